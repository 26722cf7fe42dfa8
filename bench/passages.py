#!/usr/bin/env python3
"""Speed and memory of `neardupe passages` beside `find`, and how much of what was planted it finds.

Measures, in rounds one after the other, `find` and `passages` on the same synthetic web pages with
the same threads, and `passages` with --memory 256M; then `passages` on pages of which 90, and of which
90 %, have one sentence in common. The best of each counts.

Checks its answers: places slice the texts, both sides of a verbatim passage are equal, planted
passages are found, bytes do not depend on memory. Ends with code 1 when one is wrong.

    python3 bench/passages.py --binary target/release/neardupe --record bench/record/passages.md
"""

import argparse
import csv
import filecmp
import json
import os
import random
from collections import defaultdict

import answer
import measure
import report

# Times `find`, and times the collection with the rare sentence.
MAX_RATIO = 3.0
MAX_FREQUENT = 1.1
MEMORY = "256M"
MAX_PEAK_BYTES = (256 << 20) * 5 // 4
SAMPLE = 3000
SENTENCE = (
    "This sentence stands in many documents of the collection and leads from none of them to any other one."
)
TABLES = ("passages.jsonl", "passage-pairs.jsonl", "copies.jsonl", "boilerplate.jsonl")


def parse_arguments():
    """What was typed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", required=True, help="the executable neardupe")
    parser.add_argument("--documents", type=int, default=100_000, metavar="N")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--work", default=measure.default_work(), metavar="DIR")
    parser.add_argument("--record", metavar="FILE", help="write a Markdown record")
    parser.add_argument("--noise", metavar="WHY", help="why times cannot be trusted; is told with them")
    return parser.parse_args()


def passages_command(arguments, documents, name, *options):
    """`passages` on a file; the folder of its result."""
    output = os.path.join(arguments.work, f"out-passages-{name}")
    command = [arguments.binary, "passages", documents, "--threads", str(measure.THREADS), *options]
    return command + ["--no-text", "--quiet", "--output", output], output


def with_sentence(arguments, of, share):
    """Unrelated documents, of which so many have one sentence; made unless it is there."""
    path = os.path.join(arguments.work, f"sentence-{of.num_documents}-{share}.jsonl")
    if not os.path.exists(path):
        measure.progress(f"making {path}")
        with open(of.documents, encoding="utf-8") as lines, open(
            path + ".partial", "w", encoding="utf-8"
        ) as out:
            for number, line in enumerate(lines):
                page = json.loads(line)
                if number < share:
                    page["text"] = SENTENCE + " " + page["text"]
                out.write(json.dumps(page, ensure_ascii=False) + "\n")
        os.rename(path + ".partial", path)
        os.sync()
    return path


def rows_of(output, name):
    """The rows of a table of a result."""
    return answer.rows_of(os.path.join(output, name))


def check_places(checks, of, output):
    """A sample of passages slices to texts with as many equal words as the row says."""
    checks.collection = output
    sample = random.Random(measure.SEED)
    chosen, number = [], 0
    for row in rows_of(output, "passages.jsonl"):
        number += 1
        if len(chosen) < SAMPLE:
            chosen.append(row)
        elif sample.randrange(number) < SAMPLE:
            chosen[sample.randrange(SAMPLE)] = row
    counts = measure.summary(output)["counts"]
    checks.equal("rows", number, counts["passages"], "passages")
    wanted = {row[side] for row in chosen for side in ("left", "right")}
    texts = {}
    with open(of.documents, encoding="utf-8") as lines:
        for line in lines:
            page = json.loads(line)
            if page["id"] in wanted:
                texts[page["id"]] = page["text"]
    for row in chosen:
        sides = [
            texts[row[side]][row[f"{side}_start"] : row[f"{side}_end"]] for side in ("left", "right")
        ]
        words = [answer.words_of(text) for text in sides]
        name = "a side begins and ends with a word"
        trimmed = all(text[0].isalnum() and text[-1].isalnum() for text in sides)
        checks.expect(name, trimmed, lambda: f"{row}")
        checks.equal("words of the shorter side", row["words"], min(map(len, words)), row["left"])
        sets = [set(each) for each in words]
        told = answer.six_decimals(*answer.ratio(*sets))
        name = "similarity is the resemblance of the words"
        checks.equal(name, row["similarity"], told, f"{row['left']} {row['right']}")


def planted_recall(of, output):
    """Share of the characters of planted passages that rows of the same documents cover."""
    copies = {row["id"]: row["copy_of"] for row in rows_of(output, "copies.jsonl")}
    found = defaultdict(list)
    for row in rows_of(output, "passages.jsonl"):
        found[row["left"], row["right"]].append((row["left_start"], row["left_end"]))
        found[row["right"], row["left"]].append((row["right_start"], row["right_end"]))
    covered = characters = 0
    with open(os.path.join(of.folder, "truth", "passages.tsv"), encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            ids = [copies.get(row[side], row[side]) for side in ("left", "right")]
            for side, (one, other) in zip(("left", "right"), (ids, ids[::-1])):
                start, end = int(row[f"{side}_start"]), int(row[f"{side}_end"])
                characters += end - start
                inside = sorted(
                    (max(start, begin), min(end, stop))
                    for begin, stop in found[one, other]
                    if begin < end and stop > start
                )
                last = start
                for begin, stop in inside:
                    covered += max(0, stop - max(begin, last))
                    last = max(last, stop)
    return covered / max(1, characters)


def main():
    """Measures, prints, checks, records."""
    arguments = parse_arguments()
    of = measure.collection(arguments.binary, arguments.work, "web", arguments.documents)
    unrelated = measure.collection(
        arguments.binary, arguments.work, "unrelated", arguments.documents
    )
    few = with_sentence(arguments, unrelated, 90)
    many = with_sentence(arguments, unrelated, arguments.documents * 9 // 10)
    find_output = os.path.join(arguments.work, "out-passages-find")
    commands = {
        "find": (measure.find_command(arguments.binary, of, find_output), find_output),
        "passages": passages_command(arguments, of.documents, "web"),
        f"passages --memory {MEMORY}": passages_command(
            arguments, of.documents, "bounded", "--memory", MEMORY
        ),
        "a sentence in 90 documents": passages_command(arguments, few, "few"),
        "a sentence in 90 % of them": passages_command(arguments, many, "many"),
    }
    measure.run(measure.read_command(of))
    usages = defaultdict(list)
    for number in range(arguments.rounds):
        for name, (command, _) in commands.items():
            measure.progress(f"round {number + 1} of {arguments.rounds}: {name}")
            usages[name].append(measure.run(command))
    best = {name: measure.best(rounds) for name, rounds in usages.items()}
    written = report.Report("Copied passages", arguments.binary)
    written.add_commands([measure.shown(command) for command, _ in commands.values()])
    written.add(
        f"{report.grouped(of.num_documents)} documents, {report.megabytes(of.num_bytes)}; best of "
        f"{arguments.rounds} rounds, {measure.THREADS} threads, warm file cache."
    )
    if arguments.noise:
        written.add(f"**Times are to be measured again: {arguments.noise}.**")
    rows = [
        (
            name,
            f"{usage.wall:.2f}",
            f"{usage.cpu:.2f}",
            f"{usage.wall / best['find'].wall:.2f}",
            f"{usage.cpu / best['find'].cpu:.2f}",
            report.megabytes(usage.peak_bytes),
        )
        for name, usage in best.items()
    ]
    written.add(report.table(("", "wall s", "CPU s", "wall / find", "CPU / find", "peak memory"), rows))
    outputs = {name: output for name, (_, output) in commands.items() if name != "find"}
    stages = {name: measure.summary(output)["seconds"] for name, output in outputs.items()}
    names = sorted({stage for one in stages.values() for stage in one})
    rows = [[stage] + [f"{one.get(stage, 0):.2f}" for one in stages.values()] for stage in names]
    written.add(report.table(["wall s, last round"] + list(stages), rows))
    counts = {name: measure.summary(output)["counts"] for name, output in outputs.items()}
    names = ("documents", "copies", "passages", "pairs", "near_duplicates", "boilerplate")
    rows = [[name] + [report.grouped(one[name]) for one in counts.values()] for name in names]
    written.add(report.table(["count"] + list(counts), rows))
    web = outputs["passages"]
    recall = planted_recall(of, web)
    written.add(f"Of the characters of planted passages {recall:.4f} are found.")
    ratio = best["passages"].wall / best["find"].wall
    frequent = best["a sentence in 90 % of them"].cpu / best["a sentence in 90 documents"].cpu
    peak = best[f"passages --memory {MEMORY}"].peak_bytes
    written.add(
        report.table(
            ("", "at most", "measured", ""),
            [
                ("wall / find", MAX_RATIO, f"{ratio:.2f}", report.met(ratio, MAX_RATIO)),
                (
                    "CPU, frequent / rare sentence",
                    MAX_FREQUENT,
                    f"{frequent:.2f}",
                    report.met(frequent, MAX_FREQUENT),
                ),
                (
                    f"peak memory with {MEMORY}",
                    report.megabytes(MAX_PEAK_BYTES),
                    report.megabytes(peak),
                    report.met(peak, MAX_PEAK_BYTES),
                ),
            ],
        )
    )
    checks = answer.Checks()
    check_places(checks, of, web)
    checks.collection = "planted"
    checks.expect("planted passages are found", recall >= 0.97, lambda: f"only {recall}")
    bounded = outputs[f"passages --memory {MEMORY}"]
    for table in TABLES:
        same = filecmp.cmp(os.path.join(web, table), os.path.join(bounded, table), shallow=False)
        checks.expect("the same bytes with little memory", same, lambda: table)
    checks.collection = "frequent sentence"
    listed = list(rows_of(outputs["a sentence in 90 % of them"], "boilerplate.jsonl"))
    texts = [row["text"] for row in listed]
    checks.expect("the frequent sentence is listed", SENTENCE in texts, lambda: texts[:3])
    raise SystemExit(report.finish(written, checks, arguments.record))


if __name__ == "__main__":
    main()
