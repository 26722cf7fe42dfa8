#!/usr/bin/env python3
"""Speed of signatures: MinHash beside exact sets, simhashes of a newspaper's year, and their join.

1. `find --method minhash` beside the exact `find` on the same web pages, taking turns: what
   reading and signing takes, by what reading alone takes.
2. `find --method simhash` from texts to all pairs within distance 3, on as many news-like texts
   as the mit paper had: pages of `neardupe synth`, cut after 1,000 words (about 400 on average).
3. The Hamming join alone: on the codes of these texts, and on a million random ones.

Checks its answers and ends with code 1 when one is wrong; a missed speed is printed as not met
and does not change the code. With --record it writes what it printed, but only when all answers
are right. --quick tries it all on few documents.

    python3 bench/signatures.py --binary target/release/neardupe --record bench/record/signatures.md
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
from collections import defaultdict
from typing import NamedTuple

import answer
import measure
import report

# Limits: reading and signing by reading; seconds of a join for a million codes.
MAX_SIGNING = 1.5
MAX_JOIN = 1.0
# What the paper took on eight cores: ten minutes for codes, two hours for all comparisons.
PAPER_DOCUMENTS, PAPER_CODES, PAPER_PAIRS = 729_885, 600, 7200

DISTANCE = 3
BITS = 64
MAX_WORDS = 1000
SLICES = 10
# Codes that are compared with all others here, in Python.
SAMPLE_CODES = 40
SAMPLE_PAIRS = 2000
EXACT, MINHASH, SHINGLES, TERMS = "exact", "minhash", "simhash", "simhash of terms"
# Stages of `find` that come before codes are compared.
CODE_STAGES = ("sample", "read", "add up", "links", "gather")


def parse_arguments():
    """What was typed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", required=True, help="the executable neardupe")
    parser.add_argument(
        "--hamming", metavar="FILE", help="the example hamming (default: beside the executable)"
    )
    parser.add_argument("--pages", type=int, default=100_000, metavar="N", help="for minhash")
    parser.add_argument("--news", type=int, default=730_000, metavar="N", help="for simhash")
    parser.add_argument("--codes", type=int, default=1_000_000, metavar="N", help="random ones")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--quick", action="store_true", help="few documents, one round")
    parser.add_argument("--work", default=measure.default_work(), metavar="DIR")
    parser.add_argument("--record", metavar="FILE", help="write a Markdown record")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.pages, arguments.news, arguments.codes = 5_000, 20_000, 200_000
        arguments.rounds = 1
    if min(arguments.pages, arguments.codes) < 2 or arguments.news < SLICES:
        parser.error(f"--pages and --codes must be at least 2, --news at least {SLICES}")
    if arguments.rounds < 1:
        parser.error("--rounds must be at least 1")
    if arguments.hamming is None:
        folder = os.path.dirname(arguments.binary)
        arguments.hamming = os.path.join(folder, "examples", "hamming")
    return arguments


class Job(NamedTuple):
    """A `find` with its result folder."""

    name: str
    command: list
    output: str


class Timed(NamedTuple):
    """A job with the smallest time of each stage and of all, over the rounds."""

    job: Job
    usage: measure.Usage
    seconds: dict

    def of(self, stages):
        """Time of some stages."""
        return sum(self.seconds.get(stage, 0) for stage in stages)


class News(NamedTuple):
    """The news-like texts."""

    documents: str
    num_documents: int
    num_bytes: int
    num_words: int


def job(arguments, name, documents, options):
    """`find` with these options."""
    size = os.path.basename(os.path.dirname(documents))
    output = os.path.join(arguments.work, f"out-{name.replace(' ', '-')}-{size}")
    command = [arguments.binary, "find", documents, *options]
    command += ["--threads", str(measure.THREADS), "--output", output, "--quiet"]
    return Job(name, command, output)


def measure_in_turn(jobs, rounds):
    """Runs the jobs in turn; the best of each."""
    usages, seconds = defaultdict(list), defaultdict(dict)
    for number in range(1, rounds + 1):
        for one in jobs:
            measure.progress(f"round {number} of {rounds}: {one.name}")
            usages[one.name].append(measure.run(one.command))
            best = seconds[one.name]
            for stage, lasted in measure.summary(one.output)["seconds"].items():
                best[stage] = min(best.get(stage, lasted), lasted)
    return [Timed(one, measure.best(usages[one.name]), seconds[one.name]) for one in jobs]


def news(arguments):
    """Pages cut after 1,000 words, made unless they are there already.

    They are made slice by slice, each with a seed of its own, so that whole pages never take much
    of the disk. Copies of a page have the same beginning, or nearly, so they stay near.
    """
    folder = os.path.join(arguments.work, f"news-{arguments.news}")
    path, told = os.path.join(folder, "documents.jsonl"), os.path.join(folder, "manifest.json")
    wanted = {"documents": arguments.news, "max_words": MAX_WORDS, "slices": SLICES}
    try:
        with open(told, encoding="utf-8") as file:
            manifest = json.load(file)
        if manifest["options"] == wanted and os.path.getsize(path) == manifest["bytes"]:
            return News(path, arguments.news, manifest["bytes"], manifest["words"])
    except (OSError, ValueError, KeyError):
        pass
    os.makedirs(folder, exist_ok=True)
    words = 0
    with open(path, "w", encoding="utf-8") as out:
        for slice_number in range(SLICES):
            first, last = (arguments.news * (slice_number + at) // SLICES for at in (0, 1))
            words += cut_slice(arguments, slice_number, last - first, out)
    os.sync()
    manifest = {"options": wanted, "bytes": os.path.getsize(path), "words": words}
    with open(told, "w", encoding="utf-8") as file:
        json.dump(manifest, file)
    return News(path, arguments.news, manifest["bytes"], words)


def cut_slice(arguments, slice_number, num_documents, out):
    """Writes the pages of a seed, cut; the number of their words."""
    whole = os.path.join(arguments.work, "news-slice")
    measure.progress(f"making news, slice {slice_number + 1} of {SLICES}")
    command = [arguments.binary, "synth", "--documents", str(num_documents)]
    measure.run(command + ["--seed", str(slice_number + 1), "--output", whole])
    beginning = re.compile(r"(?:\S+\s+){%d}" % MAX_WORDS)
    words = 0
    with open(os.path.join(whole, "documents.jsonl"), encoding="utf-8") as lines:
        for line in lines:
            page = json.loads(line)
            match = beginning.match(page["text"])
            text = match.group() if match else page["text"]
            words += MAX_WORDS if match else len(text.split())
            document = {"id": f"{slice_number}-{page['id']}", "text": text}
            out.write(json.dumps(document, ensure_ascii=False) + "\n")
    shutil.rmtree(whole)
    return words


def hamming(arguments, of):
    """What the example `hamming` tells; it checks itself and fails when a pair is wrong."""
    measure.progress(f"the Hamming join of {of}")
    environment = {**os.environ, "RAYON_NUM_THREADS": str(measure.THREADS)}
    command = [arguments.hamming, of, str(arguments.rounds)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return command, json.loads(done.stdout)


def stage_table(timed):
    """All stages of some jobs."""
    names = {name for one in timed for name in one.seconds if name != "total"}
    names = sorted(names, key=lambda name: -max(one.seconds.get(name, 0) for one in timed))
    rows = [[name] + [f"{one.seconds.get(name, 0):.3f}" for one in timed] for name in names]
    rows.append(["all, by the clock"] + [f"{one.usage.wall:.3f}" for one in timed])
    rows.append(["peak memory"] + [report.megabytes(one.usage.peak_bytes) for one in timed])
    return report.table(["wall s"] + [one.job.name for one in timed], rows)


def news_table(timed, texts):
    """Seconds to codes and to pairs, beside the paper's."""
    rows = []
    for one in timed:
        codes = one.of(CODE_STAGES)
        counts = measure.summary(one.job.output)["counts"]
        rows.append(
            (
                one.job.name,
                report.grouped(texts.num_documents),
                measure.THREADS,
                f"{codes:.1f}",
                f"{one.usage.wall - codes:.1f}",
                f"{one.usage.wall:.1f}",
                report.grouped(counts["pairs"]),
            )
        )
    paper = (report.grouped(PAPER_DOCUMENTS), 8, PAPER_CODES, PAPER_PAIRS)
    rows.append(("the paper, 2009", *paper, PAPER_CODES + PAPER_PAIRS, ""))
    header = ("", "documents", "cores", "codes, s", "pairs and all else, s", "all, s", "pairs")
    return report.table(header, rows)


def per_million(told):
    """Seconds of a join for a million codes."""
    return told["join_seconds"] / told["codes"] * 1e6


def join_table(joins):
    """The joins by themselves."""
    rows = [
        (
            name,
            report.grouped(told["codes"]),
            report.grouped(told["pairs"]),
            f"{told['join_seconds']:.3f}",
            f"{per_million(told):.3f}",
        )
        for name, told in joins
    ]
    return report.table(("codes of", "codes", "pairs", "s", "s per million"), rows)


def requirement_table(ratio, joins):
    """Each requirement with its limit and what was measured."""
    rows = [("read and sign / read", MAX_SIGNING, f"{ratio:.2f}", report.met(ratio, MAX_SIGNING))]
    for name, told in joins:
        value = per_million(told)
        row = (f"join of {name}, s per million", MAX_JOIN, f"{value:.2f}")
        rows.append((*row, report.met(value, MAX_JOIN)))
    return report.table(("", "at most", "measured", ""), rows)


def rows_of(output, name):
    """The rows of a table of a result."""
    with open(os.path.join(output, name), encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def check_minhash(checks, exact, minhash):
    """What MinHash finds was verified: the exact join has it too, with the same similarity."""
    checks.collection = minhash.output
    rows = rows_of(exact.output, "pairs.jsonl")
    everything = {(row["left"], row["right"]): row["similarity"] for row in rows}
    number = 0
    for row in rows_of(minhash.output, "pairs.jsonl"):
        number += 1
        pair = (row["left"], row["right"])
        got = everything.get(pair)
        checks.equal("a pair of minhash is one of exact", row["similarity"], got, pair)
    share = number / max(1, len(everything))
    checks.expect("minhash finds 95 of 100 pairs", share >= 0.95, lambda: f"only {share:.3f}")


def check_simhash(checks, one, num_documents):
    """Pairs are exactly those of near codes, for a sample; all written distances are right."""
    checks.collection = one.output
    rows = rows_of(one.output, "codes.jsonl")
    codes = {row["id"]: int(row["code"], 16) for row in rows if row["code"]}
    partners, number = defaultdict(set), 0
    sample = random.Random(measure.SEED)
    for row in rows_of(one.output, "pairs.jsonl"):
        number += 1
        left, right = row["left"], row["right"]
        partners[left].add(right)
        partners[right].add(left)
        apart = bin(codes[left] ^ codes[right]).count("1")
        name = "a pair is within the distance"
        checks.expect(name, apart <= DISTANCE, lambda: f"{left} {right}: {apart} bits")
        if sample.random() * number < SAMPLE_PAIRS:
            share = 1 - apart / BITS
            name = "similarity is the share of equal bits"
            checks.expect(
                name, abs(row["similarity"] - share) < 1e-4, lambda: f"{left} {right}: {row}"
            )
    counts = measure.summary(one.output)["counts"]
    checks.equal("rows", number, counts["pairs"], "pairs")
    checks.equal("documents", counts["documents"], num_documents, "documents")
    # Half of those asked have a partner.
    asked = sample.sample(sorted(partners), min(len(partners), SAMPLE_CODES // 2))
    asked += sample.sample(sorted(codes), min(len(codes), SAMPLE_CODES // 2))
    for document in asked:
        code = codes[document]
        near = {
            other
            for other, its in codes.items()
            if bin(its ^ code).count("1") <= DISTANCE and other != document
        }
        checks.equal("all near codes are found", partners[document], near, document)


def check_join(checks, joins, num_different):
    """The joins checked themselves by brute force; they and `find` agree."""
    for name, told in joins:
        checks.collection = name
        checks.expect("a join has pairs", told["pairs"] > 0, lambda: told)
        checks.expect("a join was checked by brute force", told["checked_codes"] > 0, lambda: told)
    told = joins[0][1]
    checks.collection = joins[0][0]
    checks.equal("different codes, by find and by the join", told["codes"], num_different, "codes")


def num_codes(output):
    """Different codes of a result."""
    return len({row["code"] for row in rows_of(output, "codes.jsonl") if row["code"]})


def main():
    """Measures, prints, checks, records."""
    arguments = parse_arguments()
    # First all measuring, while this process is small; see measure.run.
    pages = measure.collection(arguments.binary, arguments.work, "web", arguments.pages)
    pairs_only = ["--cluster", "none", "--pairs", "all"]
    usual = ["--threshold", measure.THRESHOLD, "--features", measure.FEATURES, *pairs_only]
    sets = [
        job(arguments, EXACT, pages.documents, usual),
        job(arguments, MINHASH, pages.documents, [*usual, "--method", "minhash"]),
    ]
    exact, minhash = measure_in_turn(sets, arguments.rounds)
    texts = news(arguments)
    near = ["--method", "simhash", "--no-verify", "--distance", str(DISTANCE), *pairs_only]
    terms = [*near, "--features", "terms", "--stop-words", "en"]
    simhashes = [
        job(arguments, SHINGLES, texts.documents, near),
        job(arguments, TERMS, texts.documents, terms),
    ]
    measure.run(["cat", texts.documents])
    timed = measure_in_turn(simhashes, arguments.rounds)
    of_news = hamming(arguments, texts.documents)
    of_random = hamming(arguments, f"random:{arguments.codes}")
    joins = [("news", of_news[1]), ("random codes", of_random[1])]

    written = report.Report("Speed of signatures", arguments.binary)
    commands = [measure.shown(one.command) for one in [pages] + sets + simhashes]
    threads = {"RAYON_NUM_THREADS": measure.THREADS}
    commands += [measure.shown(command, threads) for command, _ in (of_news, of_random)]
    written.add_commands(commands)
    written.add(
        f"Best of {arguments.rounds} rounds in which all take turns, {measure.THREADS} threads, "
        "warm file cache."
    )
    written.add("## Requirements")
    ratio = minhash.of(("read", "sign")) / exact.of(("read",))
    written.add(requirement_table(ratio, joins))
    written.add(f"## MinHash beside exact sets: {report.grouped(arguments.pages)} pages")
    written.add(stage_table([exact, minhash]))
    mean = texts.num_words / texts.num_documents
    written.add(f"## Simhash of {report.grouped(texts.num_documents)} news-like texts")
    written.add(
        f"Pages of `neardupe synth` cut after {MAX_WORDS:,} words: {mean:.0f} words on average, "
        f"{report.megabytes(texts.num_bytes)}. From texts to all pairs within distance {DISTANCE}, "
        "written; of shingles of 3 and 5 words, and as in the paper of terms without stop words, "
        "weighed by tf and ln(N/df), for which the texts are read once more."
    )
    written.add(news_table(timed, texts))
    written.add(stage_table(timed))
    written.add("## The Hamming join alone")
    written.add(join_table(joins))

    checks = answer.Checks()
    check_minhash(checks, *sets)
    for one in simhashes:
        check_simhash(checks, one, texts.num_documents)
    check_join(checks, joins, num_codes(simhashes[0].output))
    return report.finish(written, checks, arguments.record)


if __name__ == "__main__":
    raise SystemExit(main())
