#!/usr/bin/env python3
"""Time of `neardupe trec` on many runs and many groups of near-duplicates.

100 runs of 50 topics with 1,000 results each (5 million lines) against 500,000 groups, all drawn
with a fixed seed: each topic has 4,000 documents of which runs draw theirs, a quarter of them in
groups; the other groups are of documents that no run has. `prevalence`, `dedup-run` and `effect`
run with 2 threads, three times each, and the best counts; asked for are less than 10 s each.

Checks the answers with a program of its own, a slow one: the counts of sampled run-topics at
every depth, the results that stay in sampled run-topics, and the average precision of sampled runs
as they are. Ends with code 1 when one is wrong; a missed limit is printed as not met.

    python3 bench/trec.py --binary target/release/neardupe --record bench/record/trec.md
"""

import argparse
import csv
import json
import os
import random
import sys

import measure
import report

LIMIT_SECONDS = 10
ROUNDS = 3
DEPTHS = (10, 20, 50, 100, 200, 500)
SAMPLED = 200


def parse_arguments():
    """What was typed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", required=True, help="the executable neardupe")
    parser.add_argument("--runs", type=int, default=100, metavar="N")
    parser.add_argument("--topics", type=int, default=50, metavar="N")
    parser.add_argument("--results", type=int, default=1000, metavar="N")
    parser.add_argument("--groups", type=int, default=500_000, metavar="N")
    parser.add_argument("--work", default=measure.default_work(), metavar="DIR")
    parser.add_argument("--record", metavar="FILE", help="write a Markdown record")
    return parser.parse_args()


def make(arguments):
    """The runs, groups and qrels, made anew unless they are there already."""
    sizes = (arguments.runs, arguments.topics, arguments.results, arguments.groups)
    folder = os.path.join(arguments.work, "trec-" + "-".join(map(str, sizes)))
    done = os.path.join(folder, "done")
    if os.path.exists(done):
        return folder
    measure.progress(f"making {folder}")
    os.makedirs(os.path.join(folder, "runs"), exist_ok=True)
    rng = random.Random(measure.SEED)
    pool_size = 4 * arguments.results
    pools = []
    groups = []
    with open(os.path.join(folder, "qrels.txt"), "w") as qrels:
        for topic in range(1, arguments.topics + 1):
            pool = [f"clueweb-en{topic:04}-{number:06}" for number in range(pool_size)]
            pools.append(pool)
            grouped = rng.sample(pool, pool_size // 4)
            while len(grouped) > 1:
                size = min(rng.choice((2, 2, 2, 3, 4, 8)), len(grouped))
                groups.append([grouped.pop() for _ in range(size)])
            for document in rng.sample(pool, 400):
                qrels.write(f"{topic} 0 {document} {rng.choice((0, 0, 0, 1, 2))}\n")
    number = 0
    while len(groups) < arguments.groups:
        size = rng.choice((2, 2, 2, 3, 4))
        groups.append([f"clueweb-other-{number + at:08}" for at in range(size)])
        number += size
    rng.shuffle(groups)
    with open(os.path.join(folder, "groups.jsonl"), "w") as out:
        for ids in groups:
            out.write(json.dumps({"ids": ids}) + "\n")
    for run in range(arguments.runs):
        with open(os.path.join(folder, "runs", f"run{run:03}.txt"), "w") as out:
            for topic, pool in enumerate(pools, 1):
                score = 30.0
                for rank, document in enumerate(rng.sample(pool, arguments.results), 1):
                    # Some ties.
                    score -= rng.choice((0.0, 0.01, 0.02))
                    out.write(f"{topic} Q0 {document} {rank} {score:.4f} run{run:03}\n")
    with open(done, "w"):
        pass
    return folder


def read_run(path):
    """Topics with documents in the order of trec_eval, by a way of its own."""
    topics = {}
    with open(path) as file:
        for line in file:
            topic, _, document, _, score, _ = line.split()
            topics.setdefault(topic, []).append((float(score), document))
    return {topic: [one for _, one in sorted(found, reverse=True)] for topic, found in topics.items()}


def wrong(what):
    """Ends after a wrong answer."""
    sys.exit(f"WRONG: {what}")


def check(arguments, folder, outputs):
    """Compares sampled answers with the slow way."""
    measure.progress("checking answers")
    group_of = {}
    with open(os.path.join(folder, "groups.jsonl")) as file:
        for number, line in enumerate(file):
            for document in json.loads(line)["ids"]:
                group_of[document] = number
    labels = {}
    with open(os.path.join(folder, "qrels.txt")) as file:
        for line in file:
            topic, _, document, label = line.split()
            labels.setdefault(topic, {})[document] = int(label)
    rng = random.Random(measure.SEED + 1)
    names = sorted(rng.sample(range(arguments.runs), min(8, arguments.runs)))
    topics = [str(topic) for topic in range(1, arguments.topics + 1)]
    wanted = {(f"run{rng.choice(names):03}", rng.choice(topics)) for _ in range(SAMPLED)}
    counted = {}
    with open(os.path.join(outputs["prevalence"], "run-topics.csv")) as file:
        for row in csv.DictReader(file):
            if (row["run"], row["topic"]) in wanted:
                key = row["run"], row["topic"], int(row["depth"])
                counted[key] = int(row["near_duplicates"])
    precision = {}
    with open(os.path.join(outputs["effect"], "effect-topics.csv")) as file:
        for row in csv.DictReader(file):
            if row["measure"] == "AP" and (row["run"], row["topic"]) in wanted:
                precision[row["run"], row["topic"]] = float(row["before"])
    for number in names:
        name = f"run{number:03}"
        run = read_run(os.path.join(folder, "runs", name + ".txt"))
        clean = read_run(os.path.join(outputs["dedup-run"], "runs", name + ".txt"))
        for topic in sorted({topic for run, topic in wanted if run == name}):
            results = run[topic]
            near = [
                any(
                    document in group_of
                    and group_of[document] == group_of.get(other)
                    for other in results[:at]
                )
                for at, document in enumerate(results)
            ]
            for depth in DEPTHS:
                if counted[name, topic, depth] != sum(near[:depth]):
                    wrong(f"{name} {topic} {depth}: {counted[name, topic, depth]}")
            kept = [one for one, is_near in zip(results, near) if not is_near]
            if clean[topic] != kept:
                wrong(f"{name} {topic}: the cleaned run")
            found, total = 0, 0.0
            for rank, document in enumerate(results, 1):
                if labels[topic].get(document, 0) > 0:
                    found += 1
                    total += found / rank
            value = total / sum(label > 0 for label in labels[topic].values())
            if abs(precision[name, topic] - value) > 1e-6:
                wrong(f"{name} {topic}: AP {precision[name, topic]}, not {value}")
    return len(wanted)


def main():
    """Runs it all."""
    arguments = parse_arguments()
    folder = make(arguments)
    load = os.getloadavg()[0]
    runs, groups = os.path.join(folder, "runs"), os.path.join(folder, "groups.jsonl")
    common = ["--groups", groups, "--threads", str(measure.THREADS), "--quiet"]
    qrels = ["--qrels", os.path.join(folder, "qrels.txt")]
    outputs, commands, best = {}, [], {}
    for name, more in (("prevalence", qrels), ("dedup-run", []), ("effect", qrels)):
        outputs[name] = os.path.join(arguments.work, f"out-trec-{name}")
        command = [arguments.binary, "trec", name, runs, *more, *common, "-o", outputs[name]]
        commands.append(" ".join(command))
        for _ in range(ROUNDS):
            measure.progress(f"trec {name}")
            usage = measure.run(command)
            if name not in best or usage.wall < best[name].wall:
                best[name] = usage
    sampled = check(arguments, folder, outputs)
    rows = [
        [
            name,
            f"{usage.wall:.2f}",
            f"{usage.cpu:.2f}",
            report.megabytes(usage.peak_bytes),
            LIMIT_SECONDS,
            report.met(usage.wall, LIMIT_SECONDS),
        ]
        for name, usage in best.items()
    ]
    told = report.Report("`trec` on many runs and groups", arguments.binary)
    told.add_commands(commands)
    told.add(
        f"{arguments.runs} runs x {arguments.topics} topics x {arguments.results} results,\n"
        f"{report.grouped(arguments.groups)} groups; {measure.THREADS} threads, warm file cache, "
        f"best of {ROUNDS}; all tables, figures and the page are written.\n"
        f"Other work on the machine when it began: load average {load:.1f}."
    )
    told.add(report.table(["command", "wall s", "CPU s", "peak memory", "at most s", ""], rows))
    told.add(
        f"Answers are right: {sampled} sampled run-topics were counted, cleaned and scored again "
        "by a slow program of its own."
    )
    if arguments.record:
        told.write(arguments.record)


if __name__ == "__main__":
    main()
