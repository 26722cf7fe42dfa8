"""Writes docs/reproduce/pdc-mr.md and its charts from the results of all parts.

A sentence that says what the numbers show is held against them: `claim` ends the program when they do
not carry it any more, and then the sentence has to be written anew.
"""

import os
import re
import textwrap
from pathlib import Path

import curves
import pdc_mr_paper as paper
import pdc_mr_text as texts
import pdc_mr_text_real as real_texts
import pdc_mr_text_sweeps as sweep_texts
import report

LINE = 120
LANGUAGES = ("english", "chinese")
SEEDS = "default (seeds)"
KINDS = ("collection", "multi-page", "quotation", "forum", "other")


def write(results, out):
    """The document, and the charts beside it."""
    folder = Path(out).parent
    folder.mkdir(parents=True, exist_ok=True)
    parts = [
        texts.opening(results),
        texts.in_short(results),
        *table_2(results["signatures"]),
        *figures_6_to_9(results["sweeps"]),
        *figure_10(results["documents"]),
        *figure_11(results["timing"]),
        *table_3(results["documents"]),
        texts.differences(results),
    ]
    Path(out).write_text("\n\n".join(map(wrapped, parts)) + "\n", encoding="utf-8")
    for name, content in charts(results).items():
        (folder / f"pdc-mr-{name}.svg").write_text(content, encoding="utf-8")
    print(f"written: {os.path.relpath(out)}")


def wrapped(part):
    """Running text in lines of even length; tables, headings, pictures and code as they are."""
    paragraphs = []
    for paragraph in part.split("\n\n"):
        if not paragraph.startswith(("|", "#", "!", "<", "```")):
            items = re.split(r"\n(?=- )", paragraph)
            paragraph = "\n".join(map(filled, items))
        paragraphs.append(paragraph)
    return "\n\n".join(paragraphs)


def filled(text):
    """A paragraph, or an item of a list, in lines of even length."""
    indent = "  " if text.startswith("- ") else ""
    return textwrap.fill(
        " ".join(text.split()),
        LINE,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def three(number):
    """A share; - where nothing was found."""
    return "-" if number is None else f"{number:.3f}"


def percent(part, whole):
    """A share in %."""
    return f"{100 * part / whole:.1f} %" if whole else "-"


def table_2(part):
    """Signatures and gamma, on the planted collections and on edited passages."""
    parts = ["## Table 2: signatures and gamma", texts.of_table_2(part)]
    for language in LANGUAGES:
        about = part["collections"][language]
        parts.append(f"**{about['title']}**, {texts.planted(about)}")
        header = ["signature", "γ", "P", "R", "F1", "verbatim", "edited", "paper: P", "R", "F1"]
        rows = []
        for row in part["rows"]:
            if row["collection"] == language:
                known = paper.TABLE_2[language].get(row["method"]) if row["gamma"] == 3 else None
                if (language, row["method"], row["gamma"]) == ("english", "2-shingles", 1):
                    known = (None, None, paper.GAMMA_1_ENGLISH)
                rows.append([*measures(row, ("verbatim", "edited")), *shown_known(known)])
        parts.append(report.table(header, rows))
    parts.append(texts.after_table_2(part))
    about = part["collections"]["inserted"]
    parts.append(f"**inserted-passages-en as it is**, {texts.planted(about)}")
    kinds = ("none", "light", "heavy", "shuffle")
    rows = [measures(row, kinds) for row in part["rows"] if row["collection"] == "inserted"]
    parts.append(report.table(["signature", "γ", "P", "R", "F1", *kinds], rows))
    parts.append(texts.after_inserted(part))
    return parts


def measures(row, kinds):
    """Cells of a row of Table 2."""
    gamma = "" if row["gamma"] is None else str(row["gamma"])
    shares = [three(row[name]) for name in ("precision", "recall", "f1")]
    return [row["method"], gamma, *shares, *(three(row["kinds"][kind]) for kind in kinds)]


def shown_known(known):
    """What the paper has, or nothing."""
    return ["" if number is None else f"{number:.3f}" for number in known or (None,) * 3]


FIGURES = {
    6: ("shingles by τ", "τ"),
    7: ("I-Match by the lowest idf", "lowest idf"),
    8: ("SpotSigs by the number of antecedents", "antecedents"),
    9: ("SpotSigs by τ", "τ"),
}


def figures_6_to_9(part):
    """A chart, a finding and the numbers of each sweep."""
    parts = ["## Figures 6 to 9: parameters of the signatures", sweep_texts.of_sweeps()]
    for figure, (title, parameter) in FIGURES.items():
        parts.append(f"### Figure {figure}: {title}")
        parts.append(f"![{title}](pdc-mr-figure-{figure}.svg)")
        parts.append(sweep_texts.of_figure(figure, part))
        for language in LANGUAGES:
            table = sweep_table(part, figure, language, parameter)
            parts.append(folded(f"{language.title()}: all numbers", table))
    return parts


def folded(title, content):
    """What is shown when it is asked for."""
    return f"<details><summary>{title}</summary>\n\n{content}\n\n</details>"


def sweep_table(part, figure, language, parameter):
    """Rows of a figure in one language."""
    by_gamma = {}
    for row in part["rows"]:
        if row["figure"] == figure and row["collection"] == language:
            by_gamma.setdefault((row["method"], row["value"]), {})[row["gamma"]] = row
    header = ["signature", parameter]
    for gamma in (0, 1, 3):
        header += [f"γ = {gamma}: P", "R", "F1"]
    header += ["passages, γ = 1", "s"]
    if figure == 8:
        header.insert(2, "a sentence")
    rows = []
    for (method, value), rows_of in by_gamma.items():
        cells = [method, value]
        if figure == 8:
            cells.append(f"{part['signatures'][language][value]['mean']:.1f}")
        for gamma in (0, 1, 3):
            cells += [three(rows_of[gamma][name]) for name in ("precision", "recall", "f1")]
        rows.append([*cells, report.grouped(rows_of[1]["passages"]), f"{rows_of[1]['seconds']:.2f}"])
    return report.table(header, rows)


def figure_10(part):
    """Documents found by whole documents, and those that have only a passage in common."""
    parts = ["## Figure 10: documents that only share a passage", real_texts.of_figure_10()]
    parts.append("![documents by SpotSigs, and more by passages](pdc-mr-figure-10.svg)")
    header = ["collection", "documents", "SpotSigs", "its pairs"]
    header += ["preset: more", "not found", "default: more", "not found"]
    rows = [
        [
            row["title"],
            *(report.grouped(row[name]) for name in ("documents", "spotsigs", "spotsigs_pairs")),
            *(
                report.grouped(row[by][name])
                for by in ("preset", "seeds")
                for name in ("more", "missed")
            ),
        ]
        for row in part["rows"]
    ]
    rows.append(["paper: WT10g", "1,000,000", "31,000", "1,890,000", "94,000", "", "", ""])
    parts += [report.table(header, rows), real_texts.after_figure_10(part)]
    return parts


def figure_11(part):
    """Time against size."""
    parts = ["## Figure 11: time against size", real_texts.of_figure_11(part)]
    parts.append("![time against size](pdc-mr-figure-11.svg)")
    names = ("preset", "seeds", "spotsigs")
    header = ["documents", "MB"]
    for title in ("preset", "default", "SpotSigs"):
        header += [f"{title}: wall s", "CPU s", "pairs"]
    rows = []
    for row in part["rows"]:
        cells = [report.grouped(row["documents"]), f"{row['bytes'] / 1e6:.0f}"]
        for name in names:
            one = row[name]
            cells += [f"{one['wall']:.1f}", f"{one['cpu']:.1f}", report.grouped(one["pairs"])]
        rows.append(cells)
    parts += [report.table(header, rows), real_texts.after_figure_11(part)]
    return parts


def table_3(part):
    """Kinds of pairs."""
    parts = ["## Table 3: kinds of partial duplicates", real_texts.of_table_3()]
    header = ["collection", "pairs", *KINDS, "sentences of a quotation", "of a document"]
    for by, title in (("preset", "Preset"), ("seeds", "Default")):
        rows = []
        for row in part["rows"]:
            one = row[by]
            shares = [percent(one["kinds"].get(kind, 0), one["pairs"]) for kind in KINDS]
            quotation = one["quotation_sentences"]
            lengths = ["-" if quotation is None else f"{quotation:.1f}"]
            lengths.append(f"{row['preset']['document_sentences']:.0f}")
            rows.append([row["title"], report.grouped(one["pairs"]), *shares, *lengths])
        if by == "preset":
            for name, (collection, pages, quotation, other) in paper.TABLE_3.items():
                shares = [f"{share} %" for share in (collection, pages, quotation)]
                lengths = paper.LENGTHS.get(name, ("", ""))
                rows.append([f"paper: {name}", "", *shares, "", f"{other} %", *lengths])
        parts += [f"{title}:", report.table(header, rows)]
    parts.append(real_texts.after_table_3(part))
    return parts


def charts(results):
    """The charts, by name."""
    made = {}
    for figure, (title, parameter) in FIGURES.items():
        panels = [panel(results["sweeps"], figure, language, parameter) for language in LANGUAGES]
        what = "F1" if figure == 6 else "precision, recall, F1"
        subtitle = f"{what} of sentences in passages of more than one sentence (γ = 1)"
        # Where nothing is below, from 0.7 on, so that lines can be told apart.
        values = [value for one in panels for line in one.lines for value in line.values]
        scale = curves.Scale(least=0.7 if min(values) > 0.7 else 0)
        title = f"Figure {figure}: {title}"
        made[f"figure-{figure}"] = curves.lines_svg(title, subtitle, panels, scale)
    made["figure-10"] = documents_chart(results["documents"])
    made["figure-11"] = time_chart(results["timing"])
    return made


def panel(part, figure, language, parameter):
    """One language of a sweep."""
    rows = [
        row
        for row in part["rows"]
        if (row["figure"], row["collection"], row["gamma"]) == (figure, language, 1)
    ]
    places = list(dict.fromkeys(row["value"] for row in rows))
    if figure == 6:
        methods = dict.fromkeys(row["method"] for row in rows)
        lines = [
            curves.Line(name, [row["f1"] for row in rows if row["method"] == name])
            for name in methods
        ]
    else:
        names = ("F1", "precision", "recall")
        lines = [curves.Line(name, [row[name.lower()] for row in rows]) for name in names]
    return curves.Panel(language.title(), places, parameter, lines)


def documents_chart(part):
    """Figure 10 as shares of each collection."""
    stacks = []
    for row in part["rows"]:
        total, whole, more = row["documents"], row["spotsigs"], row["preset"]["more"]
        end = f"{whole:,} + {more:,} of {total:,} documents"
        stacks.append(curves.Stack(row["title"], (whole / total, more / total), end))
    end = "31,000 + 94,000 of 1,000,000 (paper)"
    stacks.append(curves.Stack("WT10g", (0.031, 0.094), end))
    names = ("near-duplicate by SpotSigs", "only a passage in common (preset pdc-mr)")
    return curves.stacks_svg(
        "Figure 10: documents with a duplicate", "share of the documents of a collection", names, stacks
    )


def time_chart(part):
    """Figure 11, wall time."""
    rows = part["rows"]
    names = {"preset": "preset pdc-mr", "seeds": "default", "spotsigs": "find, SpotSigs"}
    lines = [
        curves.Line(title, [row[name]["wall"] for row in rows]) for name, title in names.items()
    ]
    places = [report.grouped(row["documents"]) for row in rows]
    most = 4 * -(-max(max(line.values) for line in lines) // 4)
    sizes = [row["documents"] for row in rows]
    one = curves.Panel("Synthetic web pages", places, "documents", lines, sizes)
    subtitle = f"wall seconds, {part['threads']} threads, best of {part['rounds']}"
    return curves.lines_svg("Figure 11: time against size", subtitle, [one], curves.Scale(0, most, " s"))
