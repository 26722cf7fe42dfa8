"""Tables, chart and README part of bench/peers.py. Standard library only."""

import json
import textwrap
from pathlib import Path
from typing import NamedTuple

import chart
import measure
import report
from peers_tools import (
    CLUSTERS,
    EVIDENCE,
    EXACT,
    FIND,
    PAIRS,
    PEERS,
    READ,
    STAR,
    TOOLS,
    Measured,
)

# How many times the time of neardupe the fastest peer that returns pairs must take.
MIN_RATIO = 3.5
AIM_RATIO = 8
README_WIDTH = 118
BEGIN, END = "<!-- peers:begin -->", "<!-- peers:end -->"

NOTES = """\
- CPU and wall time are for 1,000 documents, from the start of the program to the written result:
  reading, words, shingles, sketches, join. `x` is how many times the time of `neardupe, all
  pairs` it is. Two threads or processes for all but SetSimilaritySearch, which has one.
- The row to compare is `neardupe, all pairs` (`--pairs all --cluster none`), since most peers
  return all pairs too; `neardupe, default` makes star clusters and writes one pair for each
  duplicate, so it has no recall in all pairs.
- Peak memory is that of all processes of a tool together, looked at ten times a second, and at
  least that of the largest.
- Precision and recall are those of the pairs at resemblance 0.8 or more, cut off at three
  decimals. Where a tool returns clusters, every two members count as a pair.
- rensa, gaoya, datatrove: 16 bands of 8 of 128 values; datasketch and text-dedup choose bands by
  their own formula. rensa, gaoya and datasketch compare sketches and return what agrees in 80 %
  of the values; datatrove and text-dedup join what shares a band.
- All get the same words; only text-dedup makes its own (it splits at what is no letter, digit or
  underscore, and takes the empty pieces for words). datatrove's own tokenizer, spaCy, would take
  several times as long.
- gaoya's documented calls make every sketch twice, to insert and to ask. `sketched once` uses a
  call that its Python class hides, with bands and comparison in NumPy: how fast it could be.
- rensa's headline figures are of another sketch (rho), which returns flags, not pairs; nearly all
  of its time here is the making of shingles in Python, in two processes."""


class Added(NamedTuple):
    """So many new documents against the large collection: by neardupe and by rensa."""

    num_documents: int
    own: measure.Usage
    rensa: measure.Usage


class Figures(NamedTuple):
    """All that was measured."""

    small: list
    large: Measured
    limited: measure.Usage
    added: Added
    scores: dict
    versions: dict

    def ratio(self, measured, tool, kind):
        """How many times the time of neardupe a tool takes."""
        return getattr(measured.best(tool), kind) / getattr(measured.best(FIND), kind)

    def growth(self, tool):
        """How many times the CPU time the large collection takes, or None."""
        synthetic = self.small[0]
        if not self.large or not (self.large.ran(tool) and synthetic.ran(tool)):
            return None
        return self.large.best(tool).cpu / synthetic.best(tool).cpu

    def by_cpu(self, measured):
        """The tools that ran, the fastest first."""
        ran = [tool for tool in TOOLS if measured.ran(tool)]
        return sorted(ran, key=lambda tool: measured.best(tool).cpu)

    def fastest(self, measured, kind):
        """The fastest peer that returns pairs, or None."""
        ran = [tool for tool in PEERS if tool.result == PAIRS and measured.ran(tool)]
        return min(ran, key=lambda tool: getattr(measured.best(tool), kind), default=None)

    def quality(self, measured, tool):
        """Precision and recall in words."""
        found = self.scores[measured.title][tool.name]
        if found is None:
            return "", ""
        return found.precision(), "" if tool.result == EVIDENCE else found.recall()


def title_of(measured):
    """A collection in words."""
    of = measured.of
    kind = "pages of Debian packages" if of.shape == "debian" else "synthetic web pages"
    return f"{report.grouped(of.num_documents)} {kind}"


def name_of(tool):
    """A tool with what it returns, where that is no pairs."""
    return f"{tool.name} (clusters)" if tool.result == CLUSTERS else tool.name


def per_thousand(measured, seconds):
    """Time for 1,000 documents."""
    return f"{seconds * 1000 / measured.of.num_documents:.3f}"


def rows_of(figures, measured):
    """A row for each tool, the fastest first; then those that did not run."""
    for tool in figures.by_cpu(measured):
        usage = measured.best(tool)
        growth = figures.growth(tool) if measured is figures.small[0] else None
        precision, recall = figures.quality(measured, tool)
        yield (
            name_of(tool),
            figures.versions.get(tool.package, ""),
            tool.method,
            per_thousand(measured, usage.cpu),
            per_thousand(measured, usage.wall),
            f"{figures.ratio(measured, tool, 'cpu'):.2f}",
            f"{figures.ratio(measured, tool, 'wall'):.2f}",
            # Of the others it is that of this process; see measure.run.
            report.megabytes(usage.peak_bytes) if tool.result else "",
            precision,
            recall,
            f"{growth:.2f}" if growth else "",
            len(measured.usages[tool.name]),
        )
    for tool in TOOLS:
        if tool.name in measured.failures:
            version = figures.versions.get(tool.package, "")
            yield (tool.name, version, measured.failures[tool.name]) + ("",) * 9


def requirement_rows(figures):
    """What is asked of neardupe, and what was measured."""
    for measured in figures.small:
        own = figures.scores[measured.title][FIND.name]
        for name, value in (("precision", own.precision()), ("recall", own.recall())):
            verdict = "met" if value == "1.000" else "not met"
            verdict = verdict if measured.ran(EXACT) else "not checked"
            yield (f"{measured.title}: {name}", "1.000", value, verdict)
        for kind, name in (("cpu", "CPU"), ("wall", "wall")):
            peer = figures.fastest(measured, kind)
            if peer is None:
                continue
            value = figures.ratio(measured, peer, kind)
            what = f"{measured.title}: {name} of {peer.name} / neardupe"
            yield (what, MIN_RATIO, f"{value:.2f}", report.met(MIN_RATIO, value))
            yield (f"{what}, aim", AIM_RATIO, f"{value:.2f}", report.met(AIM_RATIO, value))


def memory_rows(figures):
    """Memory on the largest collection: neardupe beside those that take less."""
    measured = figures.large or figures.small[-1]
    own = measured.best(FIND).peak_bytes
    ran = [tool for tool in (FIND, *PEERS) if measured.ran(tool)]
    for tool in sorted(ran, key=lambda tool: measured.best(tool).peak_bytes):
        usage = measured.best(tool)
        if usage.peak_bytes <= own:
            precision, recall = figures.quality(measured, tool)
            yield (
                tool.name,
                report.megabytes(usage.peak_bytes),
                f"{usage.cpu:.1f}",
                f"{usage.wall:.1f}",
                precision,
                recall,
            )
    if figures.limited:
        usage = figures.limited
        peak = report.megabytes(usage.peak_bytes)
        yield ("neardupe, --memory 256M", peak, f"{usage.cpu:.1f}", f"{usage.wall:.1f}", "", "")


def stage_table(figures):
    """Wall time of neardupe's stages, as the summaries of the last round tell."""
    results = figures.small + ([figures.large] if figures.large else [])
    seconds = [
        measure.summary(str(Path(measured.outputs[FIND.name]).parent))["seconds"]
        for measured in results
    ]
    names = sorted(seconds[0], key=lambda name: -seconds[0][name])
    rows = [[name] + [f"{each.get(name, 0):.3f}" for each in seconds] for name in names]
    return report.table(["wall s"] + [title_of(measured) for measured in results], rows)


def add_figures(written, arguments, figures):
    """Prints all figures."""
    python = figures.versions.get("Python", "")
    names = [f"{name} {value}" for name, value in figures.versions.items() if name != "Python"]
    written.add(f"Python {python}; {', '.join(names)}.")
    results = figures.small + ([figures.large] if figures.large else [])
    commands = [measure.shown(measured.of.command) for measured in results]
    commands += figures.small[0].commands.values()
    written.add_commands(commands)
    written.add(
        f"Taking turns, best of {arguments.rounds} rounds (those with 1 in the last column were "
        "too slow for more; the large collection once), warm file cache. Threshold 0.8, word "
        "5-shingles."
    )
    header = ("tool", "version", "method", "CPU s", "wall s", "CPU x", "wall x", "peak memory")
    header += ("precision", "recall", "growth", "rounds")
    for measured in figures.small:
        written.add(f"## {title_of(measured)}, {report.megabytes(measured.of.num_bytes)}")
        written.add(report.table(header, rows_of(figures, measured)))
        written.add(truth_of(measured) + by_documents(figures, measured))
    if figures.large:
        times = figures.large.of.num_documents / figures.small[0].of.num_documents
        written.add(
            f"`growth`: CPU time of {report.grouped(figures.large.of.num_documents)} documents, "
            f"{times:.0f} times as many, divided by that of the first table."
        )
    written.add(NOTES)
    written.add("## Requirements")
    written.add(report.table(("", "at least", "measured", ""), requirement_rows(figures)))
    add_lost(written, figures)
    written.add("## Stages of neardupe")
    written.add(stage_table(figures))
    packages = package_table(figures)
    if packages:
        written.add("## Packages of the real pages")
        written.add(packages)


def truth_of(measured):
    """Where the exact answer comes from."""
    if measured.ran(EXACT):
        return "The exact answer is that of SetSimilaritySearch."
    return (
        "There is no exact answer from elsewhere: precision and recall are against neardupe's "
        "own pairs, which were compared with brute force on a sample only."
    )


def by_documents(figures, measured):
    """The scores of clusters by documents, in a sentence."""
    parts = [
        f"{key[0]} precision {found.precision()}, recall {found.recall()}"
        for key, found in figures.scores[measured.title].items()
        if isinstance(key, tuple)
    ]
    if not parts:
        return ""
    return (
        " In clusters one wrong link makes many wrong pairs; by documents, asking only whether one "
        f"is in a cluster and has a near-duplicate: {'; '.join(parts)}."
    )


def add_lost(written, figures):
    """Prints the case we lose, and memory."""
    if lost_sentence(figures):
        written.add("## A case we lose: new documents, again and again")
        written.add(lost_sentence(figures))
    measured = figures.large or figures.small[-1]
    written.add("## Memory")
    written.add(
        f"{title_of(measured)}, seconds in all: neardupe and the peers that take less memory than "
        "it does by default. A sketch takes 512 bytes a document, its features several thousand; "
        "with `--memory` neardupe keeps to what it is given, for more time."
    )
    header = ("tool", "peak memory", "CPU s", "wall s", "precision", "recall")
    written.add(report.table(header, memory_rows(figures)))


def package_table(figures):
    """The packages of the real collection."""
    for measured in figures.small:
        path = Path(measured.of.folder, "manifest.json")
        if measured.of.shape == "debian" and path.exists():
            found = json.loads(path.read_text(encoding="utf-8"))["packages"]
            rows = [
                (one["package"], one["version"])
                + tuple(report.grouped(one[name]) for name in ("pages", "words"))
                for one in found
            ]
            return report.table(("package", "version", "pages", "words"), rows)
    return None


def drawn(figures):
    """The chart."""
    panels = []
    for measured in figures.small:
        bars = []
        for tool in figures.by_cpu(measured):
            if tool is READ:
                continue
            precision, recall = figures.quality(measured, tool)
            end = f"precision {precision}, recall {recall}" if recall else ""
            kind = "other" if tool in PEERS else "own" if tool in (FIND, STAR) else "limit"
            seconds = measured.best(tool).cpu * 1000 / measured.of.num_documents
            bars.append(chart.Bar(name_of(tool), seconds, end, kind))
        panels.append(chart.Panel(title_of(measured), bars))
    subtitle = "All pairs with resemblance 0.8 or more of word 5-shingles; two threads"
    return chart.svg("CPU seconds for 1,000 documents", subtitle, panels)


def readme_part(figures, record):
    """The short table of the README."""
    lines = []
    for kind, name in (("cpu", "CPU"), ("wall", "wall time")):
        parts = []
        for measured in figures.small:
            peer = figures.fastest(measured, kind)
            if peer:
                value = figures.ratio(measured, peer, kind)
                parts.append(f"{value:.1f} x on {title_of(measured)} ({peer.name})")
        lines.append(f"{name} {' and '.join(parts)}")
    intro = (
        "Beside what people use instead, same documents, shingles and threshold, in one run "
        f"([record]({record}.md); `make bench`). The fastest peer that returns pairs takes, as a "
        f"multiple of neardupe's: {'; '.join(lines)}. Seconds are for 1,000 documents, reading "
        "included."
    )
    header = ["tool"]
    for measured in figures.small:
        header += [f"CPU s, {measured.title}", "wall s", "precision", "recall"]
    rows = []
    for tool in figures.by_cpu(figures.small[0]):
        row = [name_of(tool)]
        for measured in figures.small:
            if not measured.ran(tool):
                row += ["", "", "", ""]
                continue
            usage = measured.best(tool)
            row += [per_thousand(measured, usage.cpu), per_thousand(measured, usage.wall)]
            row += figures.quality(measured, tool)
        rows.append(row)
    picture = f"![CPU seconds for 1,000 documents of each tool]({record}.svg)"
    lost = lost_sentence(figures)
    table = report.table(header, rows)
    return "\n\n".join(part for part in (wrapped(intro), table, picture, wrapped(lost)) if part)


def wrapped(paragraph):
    """A paragraph in lines, as the README has them."""
    return textwrap.fill(paragraph, README_WIDTH, break_on_hyphens=False, break_long_words=False)


def lost_sentence(figures):
    """The case we lose, in words."""
    added = figures.added
    if not added or added.own.wall <= added.rensa.wall:
        return ""
    return (
        f"A case we lose: {report.grouped(added.num_documents)} new documents against "
        f"{report.grouped(figures.large.of.num_documents)} old ones take "
        f"{added.own.wall:.2f} s ({added.own.cpu:.2f} s CPU) with `find --against`, which reads "
        f"all old documents again, and {added.rensa.wall:.2f} s ({added.rensa.cpu:.2f} s CPU) in a "
        "program that keeps rensa's index in memory, once that is built."
    )


def write_beside(arguments, figures):
    """Writes the chart beside the record, and the part of the README."""
    if not arguments.record:
        return
    stem = arguments.record.removesuffix(".md")
    Path(f"{stem}.svg").write_text(drawn(figures), encoding="utf-8")
    if arguments.readme:
        path = Path(arguments.readme)
        before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
        _, end, after = rest.partition(END)
        if not begin or not end:
            raise SystemExit(f"{path}: no {BEGIN} and {END}")
        part = readme_part(figures, stem)
        path.write_text(f"{before}{BEGIN}\n\n{part}\n\n{END}{after}", encoding="utf-8")
