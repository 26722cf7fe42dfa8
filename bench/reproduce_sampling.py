#!/usr/bin/env python3
"""Figures of Ye and others (2008) and tables of the waterloo thesis with `neardupe study sampling`.

`ye` writes docs/reproduce/ye.md and its figures; `waterloo` writes the part of docs/reproduce/waterloo.md
between its markers. Each runs the study on a public collection, the PostgreSQL manual in three versions as
HTML (postgresql-docs-html in ../shared/data or where NEARDUPE_DATA says), and on a synthetic one with sizes
like those of the paper; without the public one it says so and ends with code 1. Findings that the papers
state are checked here and told as they come out; what must hold by definition ends it with code 1.

    python3 bench/reproduce_sampling.py ye --binary target/release/neardupe
"""

import argparse
import csv
import json
import os
import shutil
from pathlib import Path

import measure
import report
import sampling_papers as papers

DOCS = Path(__file__).resolve().parent.parent / "docs" / "reproduce"


def parse_arguments():
    """What was typed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paper", choices=["ye", "waterloo"])
    parser.add_argument("--binary", required=True, help="the executable neardupe")
    work = os.path.join(measure.default_work(), "sampling")
    parser.add_argument("--work", default=work, metavar="DIR")
    return parser.parse_args()


def public_collection():
    """The manual as HTML."""
    folder = os.environ.get("NEARDUPE_DATA", str(DOCS.parents[2] / "shared" / "data"))
    path = os.path.join(folder, "postgresql-docs-html", "pages.jsonl.gz")
    if not os.path.exists(path):
        raise SystemExit(f"{path} is missing; say where the collections are: NEARDUPE_DATA=FOLDER")
    return path


class Study:
    """A study that was run: its tables and its summary."""

    def __init__(self, arguments, name, words):
        self.folder = os.path.join(arguments.work, f"out-{arguments.paper}-{name}")
        command = [arguments.binary, "study", "sampling", *words, "--quiet"]
        measure.progress(f"{arguments.paper}: {name}")
        os.makedirs(arguments.work, exist_ok=True)
        self.usage = measure.run([*command, "--output", self.folder])
        self.summary = measure.summary(self.folder)
        self.sampling = self.rows("sampling.csv")
        self.commonality = self.rows("commonality.csv")
        self.plans = self.rows("adaptive.csv")
        for row in self.sampling:
            if row["ratio"] == "1" and {row["precision"], row["recall"]} - {"", "1.000000"}:
                raise SystemExit(f"a row of ratio 1 is not 1: {row}")
        for row in self.commonality:
            if row["precision"] not in ("", "1.000000"):
                raise SystemExit(f"commonality lost precision: {row}")

    def rows(self, name):
        """A table."""
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def mean(self, column, divisor, threshold, group):
        """Mean over the trials of a ratio, of those that have a value; none: no value."""
        ratio = "1" if divisor == 1 else f"1/{divisor}"
        values = [
            float(row[column])
            for row in self.sampling
            if (row["ratio"], row["threshold"], row["group"]) == (ratio, threshold, group)
            and row[column] != ""
        ]
        return sum(values) / len(values) if values else None

    def pairs(self, threshold, group):
        """Pairs without sampling."""
        return self.mean("pairs", 1, threshold, group) or 0

    def groups(self):
        """Names, documents and features of the size groups."""
        return self.summary["groups"]


def cell(value, digits=3):
    """A number, or nothing."""
    return "" if value is None else f"{value:.{digits}f}"


def ye(arguments):
    """docs/reproduce/ye.md."""
    large = measure.collection(arguments.binary, arguments.work, "web", 100_000)
    grid = ["--preset", "ye", "--hash", "md5", "--max-ratio", "32"]
    manual = public_collection()
    studies = {
        "synthetic": Study(arguments, "synthetic", [large.documents, *grid]),
        "manual": Study(arguments, "manual", [manual, "--text-key", "html", *grid]),
    }
    text = papers.ye_page(studies, cell, report.table)
    (DOCS / "ye.md").write_text(text, encoding="utf-8")
    for name in ("size-rank", "precision-4", "precision-16", "recall-16", "adaptive"):
        source = os.path.join(studies["synthetic"].folder, "figures", f"{name}.svg")
        shutil.copy(source, DOCS / f"ye-{name}.svg")


def waterloo(arguments):
    """The measured part of docs/reproduce/waterloo.md."""
    small = measure.collection(arguments.binary, arguments.work, "web", 20_000)
    grid = ["--preset", "waterloo", "--thresholds", "0.5", "--keep-exact"]
    manual = [public_collection(), "--text-key", "html"]
    studies = {
        "manual": Study(arguments, "manual", [*manual, *grid, "--max-ratio", "512"]),
        "synthetic": Study(arguments, "synthetic", [small.documents, *grid, "--max-ratio", "64"]),
    }
    path = DOCS / "waterloo.md"
    text = path.read_text(encoding="utf-8")
    start, end = papers.WATERLOO_MARKERS
    before, _, rest = text.partition(start)
    _, _, after = rest.partition(end)
    if not after:
        raise SystemExit(f"{path} has no {start} ... {end}")
    measured = papers.waterloo_part(studies, cell, report.table)
    path.write_text(f"{before}{start}\n\n{measured}\n\n{end}{after}", encoding="utf-8")


def main():
    """Runs what was asked for."""
    arguments = parse_arguments()
    {"ye": ye, "waterloo": waterloo}[arguments.paper](arguments)
    print(json.dumps({"written": arguments.paper}))


if __name__ == "__main__":
    main()
