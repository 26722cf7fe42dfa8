#!/usr/bin/env python3
"""Every method of `neardupe methods` on two real collections: how good, how fast.

Truth are the pairs with a resemblance of word 5-shingles of at least 0.5, and of at least
0.8, found by an exact join in Python that shares no code with neardupe (only the texts are
what neardupe reads, as `--write-text` writes them). Each method is run with --threshold 0.5
and 0.8, or once where it takes none, with all pairs and no clusters; precision and recall
are of its pairs (of `passages`: those that are covered almost wholly, and copies), CPU time is user and system time, the best of the rounds counts.

The list of methods comes from `neardupe methods --json`, also what is certain of each:
the exact ones must have precision and recall 1. A wrong answer ends it with code 1, and
nothing is written. The collections (reuters21578, chinese-laws) lie in ../shared/data or
where NEARDUPE_DATA says; they are not part of the repository.

    python3 bench/methods.py --binary target/release/neardupe \\
        --record bench/record/methods.md --figures FILE
"""

import argparse
import glob
import hashlib
import itertools
import json
import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import answer
import measure
import report
import score

sys.path.insert(0, str(Path(__file__).resolve().parent / "peers"))
import shared  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
THRESHOLDS = ("0.5", "0.8")
VERSION = 1


class Collection(NamedTuple):
    """Documents that are measured, and their exact pairs by threshold."""

    name: str
    title: str
    files: list
    num_documents: int
    truth: dict

    def described(self):
        """For the file of figures."""
        pairs = {threshold: len(self.truth[threshold]) for threshold in THRESHOLDS}
        return {
            "name": self.name,
            "title": self.title,
            "documents": self.num_documents,
            "pairs": pairs,
        }


# By name: how it is called, and its files.
COLLECTIONS = {
    "reuters21578": ("Reuters-21578", "reut2-*.sgm.gz"),
    "chinese-laws": ("Chinese laws", "docs.jsonl.gz"),
}


def parse_arguments():
    """What was typed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", required=True, help="the executable neardupe")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--work", default=measure.default_work(), metavar="DIR")
    parser.add_argument("--record", metavar="FILE", help="write a Markdown record")
    parser.add_argument("--figures", metavar="FILE", help="renew what `neardupe methods` shows")
    parser.add_argument(
        "--only", action="append", metavar="METHOD", help="others keep the figures they have"
    )
    parser.add_argument(
        "--provisional", metavar="WHY", help="why times cannot be trusted; is told with them"
    )
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds must be at least 1")
    if arguments.only and not arguments.figures:
        parser.error("--only needs --figures, which has the figures of the others")
    return arguments


def find_files():
    """The files of each collection; ends the benchmark when one is not there."""
    folder = Path(os.environ.get("NEARDUPE_DATA", ROOT / ".." / "shared" / "data"))
    files = {}
    for name, (title, pattern) in COLLECTIONS.items():
        files[name] = sorted(glob.glob(str(folder / name / pattern)))
        if not files[name]:
            raise SystemExit(
                f"{title} is not there: no {folder / name / pattern}; "
                "NEARDUPE_DATA can name another folder"
            )
    return files


def command_of(arguments, trial, output):
    """`find` with all pairs, or `passages` with rows for all documents; --no-text since the
    report is no part of a method."""
    command = [arguments.binary, trial.method["command"], *trial.of.files, *trial.options]
    if trial.method["command"] == "find":
        command += ["--pairs", "all", "--cluster", "none"]
    else:
        command += ["--expand"]
    command += ["--threads", str(measure.THREADS), "--no-text"]
    return command + ["--quiet", "--output", output]


def pairs_of(command, output):
    """The pairs of a result; of passages those that are covered almost wholly, and copies."""
    if command == "find":
        return score.read_pairs(os.path.join(output, "pairs.jsonl"))
    found, copies = set(), {}
    for row in answer.rows_of(os.path.join(output, "passage-pairs.jsonl")):
        if row["near_duplicate"] == "yes":
            found.add(score.ordered(row["left"], row["right"]))
    for row in answer.rows_of(os.path.join(output, "copies.jsonl")):
        copies.setdefault(row["copy_of"], [row["copy_of"]]).append(row["id"])
    for same in copies.values():
        found |= {score.ordered(*pair) for pair in itertools.combinations(same, 2)}
    return found


def collection(arguments, name, files):
    """A collection with its truth, from the texts as neardupe reads them."""
    output = os.path.join(arguments.work, f"methods-texts-{name}")
    measure.progress(f"{name}: texts")
    command = [arguments.binary, "find", *files, "--threshold", "1", "--write-text"]
    command += ["--pairs", "none", "--cluster", "none", "--quiet", "--output", output]
    measure.run(command)
    texts = os.path.join(output, "texts.jsonl")
    num_documents = measure.summary(output)["counts"]["documents"]
    found = truth_of(texts, os.path.join(arguments.work, f"methods-truth-{name}.json"))
    truth = {
        threshold: {
            score.ordered(left, right)
            for left, right, overlap, union in found
            if overlap >= Fraction(threshold) * union
        }
        for threshold in THRESHOLDS
    }
    return Collection(name, COLLECTIONS[name][0], files, num_documents, truth)


def truth_of(texts, kept):
    """Exact pairs of a file of texts; kept beside it for the next time."""
    with open(texts, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    try:
        with open(kept, encoding="utf-8") as file:
            known = json.load(file)
        if known["texts"] == digest:
            return known["pairs"]
    except (OSError, ValueError, KeyError):
        pass
    measure.progress(f"exact join of {texts}")
    pairs = exact_join(read_sets(texts), Fraction(min(THRESHOLDS)))
    with open(kept, "w", encoding="utf-8") as file:
        json.dump({"texts": digest, "pairs": pairs}, file)
    return pairs


def read_sets(texts):
    """The set of shingles of each document, as numbers: the rarer the larger."""
    numbers, sets = {}, {}
    with open(texts, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            found = set(shared.shingles(row["text"]))
            if found:
                sets[row["id"]] = {numbers.setdefault(one, len(numbers)) for one in found}
    seen = Counter(number for found in sets.values() for number in found)
    order = sorted(seen, key=lambda number: -seen[number])
    rank = {number: place for place, number in enumerate(order)}
    return {name: {rank[number] for number in found} for name, found in sets.items()}


def exact_join(sets, threshold):
    """All pairs (left, right, overlap, union) at or above a resemblance.

    A set of n elements shares at least ceil(t n) of them with any set that it resembles so
    much, so the two have one in common among the n - ceil(t n) + 1 rarest of each: only those
    are looked up. What is found is compared in full.
    """
    postings, rows = {}, []
    for name, found in sets.items():
        needed = -(-len(found) * threshold.numerator // threshold.denominator)
        rarest = sorted(found, reverse=True)[: len(found) - needed + 1]
        others = {other for number in rarest for other in postings.get(number, ())}
        for other in sorted(others):
            overlap = len(found & sets[other])
            union = len(found) + len(sets[other]) - overlap
            if overlap >= threshold * union:
                rows.append((other, name, overlap, union))
        for number in rarest:
            postings.setdefault(number, []).append(name)
    return rows


def methods_of(binary):
    """All methods, as the program tells them."""
    done = subprocess.run([binary, "methods", "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["methods"]


class Trial(NamedTuple):
    """One command to measure; a method without a threshold answers for all of them."""

    method: dict
    of: Collection
    options: list
    thresholds: tuple


def trials_of(method, of):
    """What is run for a method on a collection."""
    options = method["options"].split()
    if not method["takes_threshold"]:
        return [Trial(method, of, options, THRESHOLDS)]
    return [
        Trial(method, of, [*options, "--threshold", threshold], (threshold,))
        for threshold in THRESHOLDS
    ]


def measured(arguments, checks, trial):
    """Runs a trial in all rounds; a row for each threshold it answers for."""
    output = os.path.join(arguments.work, f"methods-out-{trial.method['command']}")
    command = command_of(arguments, trial, output)
    name = trial.method["name"]
    measure.progress(f"{trial.of.name}: {name} {' '.join(trial.options)}")
    usages = [measure.run(command) for _ in range(arguments.rounds)]
    found = pairs_of(trial.method["command"], output)
    checks.collection = f"{trial.of.name}, {name}"
    rows = []
    for threshold in trial.thresholds:
        truth = trial.of.truth[threshold]
        right = len(found & truth)
        check(checks, trial.method, threshold, (right, len(found), len(truth)))
        cpu = measure.best(usages).cpu * 1000 / trial.of.num_documents
        rows.append(
            {
                "method": name,
                "options": trial.method["options"],
                "collection": trial.of.name,
                "threshold": threshold,
                "found": len(found),
                "right": right,
                "cpu_seconds_per_1000": round(cpu, 4),
            }
        )
    return rows


def check(checks, method, threshold, numbers):
    """What is certain of a method must be so."""
    right, found, wanted = numbers
    if method["certain"]["precision"]:
        checks.expect(
            "nothing is found that is not in the truth",
            right == found,
            lambda: f"at {threshold} {found - right} of {found} pairs are wrong",
        )
    if method["certain"]["recall"]:
        checks.expect(
            "all of the truth is found",
            right == wanted,
            lambda: f"at {threshold} {wanted - right} of {wanted} pairs are missing",
        )


def write_figures(arguments, collections, methods, rows):
    """Writes what the program shows; rows in the order of the methods."""
    order = [method["name"] for method in methods]
    options = {method["name"]: method["options"] for method in methods}
    if arguments.only:
        rows = [row for row in old_rows(arguments) if row["method"] not in arguments.only] + rows
    rows = [row for row in rows if options.get(row["method"]) == row["options"]]
    rows.sort(key=lambda row: (order.index(row["method"]), row["collection"], row["threshold"]))
    facts = dict(report.machine() + report.program(arguments.binary))
    head = {
        "version": VERSION,
        "date": facts["date"],
        "machine": f"{facts['cores']} cores of an {facts['processor']}",
        "provisional": arguments.provisional,
        "collections": [of.described() for of in collections],
    }
    if arguments.only:
        # Most figures are as old as they were; --provisional tells of the others.
        with open(arguments.figures, encoding="utf-8") as file:
            old = json.load(file)
        head = {**head, **{name: old[name] for name in ("date", "machine")}}
    # A line for each row: differences can be read.
    lines = ",\n".join("    " + json.dumps(row, ensure_ascii=False) for row in rows)
    text = json.dumps(head, indent=2, ensure_ascii=False)
    text = text.removesuffix("\n}") + f',\n  "rows": [\n{lines}\n  ]\n}}\n'
    Path(arguments.figures).write_text(text, encoding="utf-8")
    return rows


def old_rows(arguments):
    """The rows that are there."""
    with open(arguments.figures, encoding="utf-8") as file:
        return json.load(file)["rows"]


def add_tables(out, collections, methods, rows):
    """A table for each collection."""
    for of in collections:
        numbers = {threshold: len(of.truth[threshold]) for threshold in THRESHOLDS}
        out.add(f"## {of.title}: {report.grouped(of.num_documents)} documents")
        pairs = ", ".join(
            f"{report.grouped(number)} pairs at {threshold}" for threshold, number in numbers.items()
        )
        out.add(f"Truth: {pairs}. CPU is seconds for 1,000 documents.")
        header = ["method"]
        for threshold in THRESHOLDS:
            header += [f"pairs, {threshold}", "precision", "recall", "CPU s"]
        by_key = {
            (row["method"], row["threshold"]): row for row in rows if row["collection"] == of.name
        }
        lines = []
        for method in methods:
            line = [typed(method)]
            for threshold in THRESHOLDS:
                line += cells(by_key.get((method["name"], threshold)), numbers[threshold])
            lines.append(line)
        out.add(report.table(header, lines))


def typed(method):
    """What is typed for a method."""
    if method["command"] != "find":
        return f"`neardupe {method['command']} INPUT {method['options']}".rstrip() + "`"
    return f"`{method['options']}`" if method["options"] else "(the default)"


def cells(row, wanted):
    """A row of figures as cells."""
    if row is None:
        return ["", "", "", ""]
    right, found = row["right"], row["found"]
    precision = score.shown(right, found) if found else "-"
    cpu = f"{row['cpu_seconds_per_1000']:.3f}"
    return [report.grouped(found), precision, score.shown(right, wanted), cpu]


def main():
    """Measures, checks, writes."""
    arguments = parse_arguments()
    files = find_files()
    os.makedirs(arguments.work, exist_ok=True)
    methods = methods_of(arguments.binary)
    unknown = set(arguments.only or ()) - {method["name"] for method in methods}
    if unknown:
        raise SystemExit(f"--only: there is no method {', '.join(sorted(unknown))}")
    collections = [collection(arguments, name, files[name]) for name in COLLECTIONS]
    checks, rows = answer.Checks(), []
    for method in methods:
        if arguments.only and method["name"] not in arguments.only:
            continue
        for of in collections:
            for trial in trials_of(method, of):
                rows += measured(arguments, checks, trial)
    out = report.Report("Every method on real collections", arguments.binary)
    if arguments.provisional:
        out.add(f"**Times are to be measured again: {arguments.provisional}.**")
    out.add_commands([])
    out.add(
        "Truth: pairs with a resemblance of `words:5` of at least the threshold, by an exact join in "
        f"Python. Each method with `--threshold` 0.5 and 0.8 where it takes one, {measure.THREADS} "
        f"threads, best of {arguments.rounds} rounds; precision and recall are cut off at three decimals."
    )
    if arguments.figures and not checks.messages:
        rows = write_figures(arguments, collections, methods, rows)
    add_tables(out, collections, methods, rows)
    return report.finish(out, checks, arguments.record)


if __name__ == "__main__":
    sys.exit(main())
