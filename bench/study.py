#!/usr/bin/env python3
"""Time and memory of `neardupe study sampling` beside one `find`, and whether a plan keeps its promise.

Measures, in rounds one after the other, `find --threshold 0.5 --pairs all` and the study of all 30 trials
of the ratios 1/2 to 1/16, 10 thresholds and 11 size groups, on the same synthetic web pages; then the memory
of a study of a large collection. Then plans by `study adaptive` on one half of a collection, and precision of
`find --sample adaptive:PLAN` on the other half, group by group, beside every single ratio.

Checks its answers: rows of ratio 1 are 1, and a sample of the grid equals separate `find` jobs with that
sample, whose precision and recall are counted here. Ends with code 1 when one is wrong.

    python3 bench/study.py --binary target/release/neardupe --record bench/record/study.md
"""

import argparse
import csv
import gzip
import json
import os
from bisect import bisect_right

import answer
import measure
import report

MAX_RATIO = 6.0
MAX_PEAK_BYTES = 8 << 30
THRESHOLDS = ["0.5", "0.55", "0.6", "0.65", "0.7", "0.75", "0.8", "0.85", "0.9", "0.95"]
TARGET = "0.85"
# Pairs that a group must have for its precision to count.
FEWEST_PAIRS = 100
# Trials and thresholds of the grid that are done again by themselves.
SAMPLE = [(2, 1, "0.5"), (4, 0, "0.8"), (8, 5, "0.65"), (16, 11, "0.9"), (1, 0, "0.5")]
BORDERS = [500, *range(1000, 10_000, 1000)]


def parse_arguments():
    """What was typed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", required=True, help="the executable neardupe")
    parser.add_argument("--documents", type=int, default=100_000, metavar="N")
    parser.add_argument(
        "--large", type=int, default=1_000_000, metavar="N", help="0: no large collection"
    )
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--work", default=measure.default_work(), metavar="DIR")
    parser.add_argument("--record", metavar="FILE", help="write a Markdown record")
    return parser.parse_args()


class Bench:
    """What is common to all parts."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.checks = answer.Checks()
        self.written = report.Report("Studies", arguments.binary)

    def output(self, name):
        """The folder of a result."""
        return os.path.join(self.arguments.work, f"out-study-{name}")

    def command(self, *words, name):
        """A command with its output folder."""
        threads = ["--threads", str(measure.THREADS), "--quiet"]
        return [self.arguments.binary, *words, *threads, "--output", self.output(name)]


def find_words(documents, *options):
    """`find` of all pairs."""
    return ["find", documents, "--cluster", "none", "--pairs", "all", *options]


def study_words(documents, *options):
    """The grid of the issue."""
    grid = ["--thresholds", ",".join(THRESHOLDS), "--max-ratio", "16"]
    return ["study", "sampling", documents, *grid, *options]


def timing(bench):
    """Time beside `find`, in rounds."""
    arguments = bench.arguments
    of = measure.collection(arguments.binary, arguments.work, "web", arguments.documents)
    commands = {
        "find --threshold 0.5 --pairs all": bench.command(
            "find", of.documents, "--threshold", "0.5", "--pairs", "all", name="find"
        ),
        "study sampling": bench.command(*study_words(of.documents), name="grid"),
    }
    bench.written.add(f"## Time: {of.num_documents:,} web pages, {report.megabytes(of.num_bytes)}")
    bench.written.add_commands([measure.shown(command) for command in commands.values()])
    usages = {name: [] for name in commands}
    for number in range(arguments.rounds):
        for name, command in commands.items():
            measure.progress(f"round {number + 1}: {name}")
            usages[name].append(measure.run(command))
    best = {name: measure.best(of_name) for name, of_name in usages.items()}
    first = next(iter(best.values()))
    rows = [
        (
            name,
            f"{usage.wall:.2f}",
            f"{usage.cpu:.2f}",
            f"{usage.wall / first.wall:.2f}",
            report.megabytes(usage.peak_bytes),
        )
        for name, usage in best.items()
    ]
    bench.written.add(report.table(("", "wall s", "CPU s", "wall / find", "peak memory"), rows))
    ratio = best["study sampling"].wall / first.wall
    limits = [("wall / find", MAX_RATIO, f"{ratio:.2f}", report.met(ratio, MAX_RATIO))]
    if arguments.large:
        limits.append(large(bench))
    bench.written.add(report.table(("", "at most", "measured", ""), limits))


def large(bench):
    """Memory of a large collection."""
    arguments = bench.arguments
    of = measure.collection(arguments.binary, arguments.work, "web", arguments.large)
    measure.progress(f"study of {of.num_documents} documents")
    command = bench.command(*study_words(of.documents, "--memory", "6G"), name="large")
    usage = measure.run(command)
    name = f"peak memory, {of.num_documents:,} documents, --memory 6G ({usage.wall:.0f} s)"
    peak = report.megabytes(usage.peak_bytes)
    limit = report.megabytes(MAX_PEAK_BYTES)
    return (name, limit, peak, report.met(usage.peak_bytes, MAX_PEAK_BYTES))


def pairs_of(folder):
    """The pairs of a result."""
    with open(os.path.join(folder, "pairs.jsonl"), encoding="utf-8") as file:
        rows = map(json.loads, file)
        return {(row["left"], row["right"]) for row in rows}


def check_grid(bench):
    """Rows of ratio 1, and a sample of the grid by separate jobs."""
    arguments, checks = bench.arguments, bench.checks
    of = measure.collection(arguments.binary, arguments.work, "web", 20_000)
    checks.collection = "20,000 pages"
    measure.run(bench.command(*study_words(of.documents, "--keep-exact"), name="kept"))
    with open(os.path.join(bench.output("kept"), "sampling.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["ratio"] == "1":
            values = {row["precision"], row["recall"]} - {""}
            checks.expect("rows of ratio 1 are 1", values <= {"1.000000"}, lambda: row)
    by_key = {(row["ratio"], row["trial"], row["threshold"], row["group"]): row for row in rows}
    exact = {}
    for threshold in sorted({threshold for _, _, threshold in SAMPLE}):
        words = find_words(of.documents, "--threshold", threshold)
        measure.run(bench.command(*words, name="exact"))
        exact[threshold] = pairs_of(bench.output("exact"))
    for divisor, remainder, threshold in SAMPLE:
        rule = ["--sample", f"mod:{divisor},{remainder}", "--threshold", threshold]
        measure.run(bench.command(*find_words(of.documents, *rule), name="sampled"))
        found = pairs_of(bench.output("sampled"))
        right = len(found & exact[threshold])
        ratio = "1" if divisor == 1 else f"1/{divisor}"
        row = by_key[ratio, str(remainder), threshold, "all"]
        told = (int(row["pairs"]), row["precision"], row["recall"])
        counted = (
            len(found),
            f"{right / len(found):.6f}",
            f"{right / len(exact[threshold]):.6f}",
        )
        checks.expect(
            "the grid is what separate jobs find", told == counted, lambda: (told, counted)
        )


def halves(bench, name, lines):
    """Documents of different words, every other one in each of two files; words of each."""
    paths = [os.path.join(bench.arguments.work, f"study-{name.replace(' ', '-')}-{half}.jsonl") for half in "ab"]
    seen, sizes = set(), {}
    files = [open(path, "w", encoding="utf-8") for path in paths]
    for number, (identity, text) in enumerate(lines):
        ascii_words = answer.ASCII_WORD.findall
        words = tuple(ascii_words(text.lower()) if text.isascii() else answer.words(text))
        if hash(words) in seen:
            continue
        seen.add(hash(words))
        sizes[identity] = len(words)
        row = json.dumps({"id": identity, "text": text})
        files[number % 2].write(row + "\n")
    for file in files:
        file.close()
    return paths, sizes


def by_group(pairs, sizes, borders):
    """Pairs within each size group."""
    groups = {}
    for pair in pairs:
        left, right = (bisect_right(borders, sizes[one]) for one in pair)
        if left == right:
            groups.setdefault(left, set()).add(pair)
    return groups


def precision_of(found, exact, groups):
    """Precision of each group."""
    return {
        group: len(found.get(group, set()) & exact[group]) / max(1, len(found.get(group, ())))
        for group in groups
    }


def groups_of(plan):
    """The groups of a plan; its values are whole numbers, one on a line."""
    groups = []
    with open(plan, encoding="utf-8") as file:
        for line in file:
            if line.strip() == "[[groups]]":
                groups.append({})
            elif groups and "=" in line:
                name, _, value = line.partition("=")
                groups[-1][name.strip()] = int(value)
    return groups


def held_out(bench, name, lines, threshold):
    """A plan of one half on the other half, beside single ratios."""
    paths, sizes = halves(bench, name, lines)
    plan = os.path.join(bench.arguments.work, f"study-{name.replace(' ', '-')}.toml")
    aim = ["--threshold", threshold, "--precision", TARGET, "--save", plan]
    measure.run(bench.command("study", "adaptive", paths[0], *aim, name="plan"))
    planned = groups_of(plan)

    def find(*rule):
        words = find_words(paths[1], "--threshold", threshold, *rule)
        measure.run(bench.command(*words, name="half"))
        return by_group(pairs_of(bench.output("half")), sizes, BORDERS)

    exact = find()
    groups = sorted(group for group, pairs in exact.items() if len(pairs) >= FEWEST_PAIRS)
    second = set()
    with open(paths[1], encoding="utf-8") as file:
        second.update(json.loads(line)["id"] for line in file)
    whole = sum(sizes[one] for one in second)

    def ratio_of(words):
        for row in planned:
            if row.get("min_words", 0) <= words < row.get("max_words", 1 << 62):
                return row["ratio"]
        return 1

    runs = {"adaptive": (["--sample", f"adaptive:{plan}"], ratio_of)}
    for divisor in (16, 8, 4, 2):
        runs[f"1/{divisor}"] = (["--sample", f"mod:{divisor}"], lambda _, by=divisor: by)
    rows, kept, meets = [], {}, {}
    for rule, (options, ratio) in runs.items():
        measure.progress(f"{name}: {rule}")
        precision = precision_of(find(*options), exact, groups)
        kept[rule] = sum(sizes[one] / ratio(sizes[one]) for one in second) / whole
        meets[rule] = all(value >= float(TARGET) for value in precision.values())
        cells = [f"{precision[group]:.3f}" for group in groups]
        rows.append([rule, f"{kept[rule]:.3f}", *cells, "yes" if meets[rule] else "no"])
    starts = [0, *BORDERS]
    head = [f"{starts[group]}- ({len(exact[group]):,})" for group in groups]
    bench.written.add(
        f"### {name}: plan of one half for {TARGET} at {threshold}, precision on the other half"
    )
    bench.written.add(report.table(["sample", "kept", *head, f">= {TARGET}"], rows))
    single = [kept[rule] for rule in runs if rule != "adaptive" and meets[rule]]
    best_single = min(single, default=1.0)
    verdict = "met" if meets["adaptive"] and kept["adaptive"] < best_single else "not met"
    bench.written.add(
        f"Fewer than the best single ratio that does ({best_single:.3f}), "
        f"and {TARGET} in every group of at least {FEWEST_PAIRS} pairs: {verdict}."
    )


def documents_of(path, key="text"):
    """Ids and texts of a file of JSON lines."""
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            yield str(row["id"]), row[key]


def main():
    """Measures, then checks."""
    bench = Bench(parse_arguments())
    arguments = bench.arguments
    timing(bench)
    check_grid(bench)
    bench.written.add("## Plans on documents they were not made for")
    of = measure.collection(arguments.binary, arguments.work, "web", arguments.documents)
    for threshold in ("0.6", "0.8"):
        held_out(bench, f"synthetic pages at {threshold}", documents_of(of.documents), threshold)
    raise SystemExit(report.finish(bench.written, bench.checks, arguments.record))


if __name__ == "__main__":
    main()
