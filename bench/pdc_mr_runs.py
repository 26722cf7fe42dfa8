"""The runs behind docs/reproduce/pdc-mr.md, in parts that stand alone.

Each part returns what can be written as JSON, and counts wrong answers in `answer.Checks`.
"""

import filecmp
import json
import os
import subprocess
from typing import NamedTuple

import answer
import measure
import pdc_mr_collections as collections
import report

TABLES = ("passages.jsonl", "passage-pairs.jsonl", "copies.jsonl", "boilerplate.jsonl")
# What the paper compares (Table 2), by name: options of `passages`. SpotSigs by language.
SHINGLES = {f"{n}-shingles": ["--signature", f"words:{n}", "--tau", "0.9"] for n in (2, 3, 4)}
IMATCH = {"I-Match [0.1, 1]": ["--preset", "pdc-mr"]}
SPOTSIGS = ["--signature", "spotsigs", "--tau", "0.9", "--antecedents"]
# As many as the paper took, and the default.
ANTECEDENTS = {
    "english": ("10000", "1000"),
    "chinese": ("60", "1000"),
    "inserted": ("10000", "1000"),
}
SEEDS = "default (seeds)"
GAMMAS = (1, 2, 3)
TAUS = ("0.5", "0.6", "0.7", "0.8", "0.9", "1.0")
LOWEST_IDF = ("0.0", "0.1", "0.2", "0.3", "0.4", "0.5")
COUNTED = {
    "english": (5, 10, 20, 50, 100, 500, 1000, 10000),
    "chinese": (5, 10, 20, 60, 100, 200, 500, 1000, 10000),
}
# The threshold of the SpotSigs paper (Theobald et al., SIGIR 2008).
DOCUMENT_THRESHOLD = "0.44"
# A pair of which a document has so few says little.
FEW_SIGNATURES = 4
SIZES = (12_500, 25_000, 50_000, 100_000)


class Context(NamedTuple):
    """What every part needs."""

    binary: str
    work: str
    rounds: int
    checks: answer.Checks

    def folder(self, name):
        """A folder for a result."""
        return os.path.join(self.work, f"out-{name}")


def run_passages(context, files, options, name):
    """`passages` on files; the folder of its result and what it took."""
    output = context.folder(name)
    command = [context.binary, "passages", *files, *options, "--threads", str(measure.THREADS)]
    return output, measure.run(command + ["--no-text", "--quiet", "--output", output])


def judged(context, planted, output):
    """What `eval` says of a result."""
    command = [context.binary, "eval", output, "--truth", planted.truth]
    command += ["--ignore-pairs", planted.ignored, "--between", planted.between]
    command += ["--input", planted.documents, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"exit code {done.returncode}: {measure.shown(command)}")
    return json.loads(done.stdout)


def trial(context, planted, options, name="trial"):
    """One row: how good and how fast `passages` is with these options."""
    output, usage = run_passages(context, [planted.documents], options, name)
    told = judged(context, planted, output)
    summary = measure.summary(output)
    sentences = told["sentences"]
    return {
        "precision": sentences["precision"],
        "recall": sentences["recall"],
        "f1": sentences["f1"],
        "kinds": {kind["kind"]: kind["recall"] for kind in told["kinds"]},
        "found": told["measures"]["found"],
        "passages": summary["counts"]["passages"],
        "without": summary["ledger"].get("sentences_without"),
        "seconds": usage.wall,
    }


def spotsigs_options(antecedents):
    """Options for spot signatures with so many antecedents."""
    return [*SPOTSIGS, str(antecedents)]


def table_methods(planted):
    """The methods of Table 2, by name."""
    spots = {
        f"SpotSigs, {int(number):,} antecedents": spotsigs_options(number)
        for number in ANTECEDENTS[planted.name]
    }
    return {**SHINGLES, **IMATCH, **spots}


def described(context, planted):
    """What a collection with known passages is."""
    output, _ = run_passages(context, [planted.documents], ["--preset", "pdc-mr"], "described")
    summary = measure.summary(output)
    with open(planted.truth, encoding="utf-8") as rows:
        header = next(rows).rstrip("\n").split("\t")
        kinds = [row.rstrip("\n").split("\t")[len(header) - 1] for row in rows]
    with open(planted.ignored, encoding="utf-8") as rows:
        ignored = sum(1 for _ in rows) - 1
    ledger = summary["ledger"]
    return {
        "title": planted.title,
        "documents": summary["counts"]["documents"],
        "sentences": ledger["sentences_with_a_signature"] + ledger["sentences_without"],
        "kinds": {kind: kinds.count(kind) for kind in sorted(set(kinds))},
        "ignored": ignored,
    }


def signatures(context):
    """Table 2: every signature with every gamma, and the default method."""
    planted = collections.planted_collections(context.work) + [collections.inserted()]
    told = {"collections": {}, "rows": []}
    for one in planted:
        context.checks.collection = one.title
        told["collections"][one.name] = described(context, one)
        for name, options in table_methods(one).items():
            measure.progress(f"{one.title}: {name}")
            previous = None
            for gamma in GAMMAS:
                options_of = [*options, "--gamma", str(gamma), "--max-documents", "none"]
                row = trial(context, one, options_of, f"gamma-{gamma}")
                told["rows"].append({"collection": one.name, "method": name, "gamma": gamma, **row})
                rows = passage_rows(context.folder(f"gamma-{gamma}"))
                if previous is not None:
                    text = "a larger gamma finds a part of what a smaller one finds"
                    context.checks.expect(text, rows <= previous, lambda: name)
                previous = rows
        measure.progress(f"{one.title}: {SEEDS}")
        row = trial(context, one, [], "seeds")
        told["rows"].append({"collection": one.name, "method": SEEDS, "gamma": None, **row})
        check_threads(context, one)
    return told


def passage_rows(output):
    """The rows of a result, as a set."""
    with open(os.path.join(output, "passages.jsonl"), encoding="utf-8") as rows:
        return set(rows)


def check_threads(context, planted):
    """The preset writes the same bytes with one thread and with two."""
    outputs = []
    for threads in ("1", "2"):
        outputs.append(context.folder(f"threads-{threads}"))
        command = [context.binary, "passages", planted.documents, "--preset", "pdc-mr", "--quiet"]
        command += ["--no-text", "--threads", threads, "--output", outputs[-1]]
        measure.run(command)
    for table in TABLES:
        one, other = (os.path.join(output, table) for output in outputs)
        same = filecmp.cmp(one, other, shallow=False)
        context.checks.expect("1 thread gives the bytes of 2", same, lambda table=table: table)


def sweeps(context):
    """Figures 6 to 9: one parameter at a time, at gamma 0, 1 and 3."""
    told = {"signatures": {}, "rows": []}
    for planted in collections.planted_collections(context.work):
        context.checks.collection = planted.title
        counted = COUNTED[planted.name]
        told["signatures"][planted.name] = signatures_a_sentence(context, planted, counted)
        for figure, name, value, options in settings(planted):
            measure.progress(f"{planted.title}: {name} {value}")
            for gamma in (0, 1, 3):
                options_of = [*options, "--gamma", str(gamma), "--max-documents", "none"]
                row = trial(context, planted, options_of)
                where = {"collection": planted.name, "figure": figure, "method": name}
                told["rows"].append({**where, "value": value, "gamma": gamma, **row})
        check_taus(context, planted, told["rows"])
    return told


def settings(planted):
    """What is tried: figure, method, value of the parameter, options."""
    for name in SHINGLES:
        for tau in TAUS:
            yield 6, name, tau, ["--signature", f"words:{name[0]}", "--tau", tau]
    for low in LOWEST_IDF:
        yield 7, "I-Match", low, ["--signature", f"imatch:{low}-1.0,0"]
    for number in COUNTED[planted.name]:
        yield 8, "SpotSigs", str(number), spotsigs_options(number)
    best = ANTECEDENTS[planted.name][-1]
    for tau in TAUS:
        options = ["--signature", "spotsigs", "--antecedents", best, "--tau", tau]
        yield 9, f"SpotSigs, {best}", tau, options


def check_taus(context, planted, rows):
    """Sentences that match at a higher tau match at a lower one."""
    found = {}
    for row in rows:
        if row["collection"] == planted.name and row["figure"] in (6, 9) and row["gamma"] == 0:
            found.setdefault(row["method"], []).append(row["recall"])
    for method, recalls in found.items():
        falls = all(left >= right for left, right in zip(recalls, recalls[1:]))
        name = "recall of single sentences does not rise with tau"
        context.checks.expect(name, falls, lambda method=method: method)


def signatures_a_sentence(context, planted, counted):
    """How many spot signatures a sentence has on average, and the share that has none."""
    path = os.path.join(context.work, f"sentences-{planted.name}.jsonl")
    collections.sentences_as_documents(planted, path)
    told = {}
    for number in counted:
        output = context.folder("find-sentences")
        command = [context.binary, "find", path, "--features", "spotsigs", "--antecedents"]
        command += [str(number), "--threshold", "1", "--cluster", "none", "--pairs", "none"]
        measure.run(command + ["--no-text", "--quiet", "--output", output])
        spots = measure.summary(output)["spot_signatures"]
        told[str(number)] = {"mean": spots["mean"], "without": spots["share_without"]}
    return told


def documents(context):
    """Figure 10 and Table 3: documents and kinds of pairs of real collections."""
    told = {"rows": []}
    for one in collections.real_collections():
        measure.progress(f"{one.title}: documents and kinds")
        context.checks.collection = one.title
        whole, row = document_level(context, one)
        for name, options in (
            ("preset", ["--preset", "pdc-mr", "--max-documents", "none"]),
            ("seeds", []),
        ):
            options = [*options, *one.options, "--expand"]
            output, usage = run_passages(context, one.files, options, f"real-{name}")
            row[name] = {**partial(context, output, whole), "seconds": usage.wall}
        told["rows"].append(row)
    return told


def document_level(context, real):
    """Documents with a near-duplicate by SpotSigs, and what is told of them."""
    output = context.folder("document-level")
    command = [context.binary, "find", *real.files, *real.options, "--features", "spotsigs"]
    command += ["--antecedents", real.antecedents, "--threshold", DOCUMENT_THRESHOLD]
    command += ["--pairs", "all", "--cluster", "none", "--no-text", "--quiet", "--output", output]
    measure.run(command)
    whole, num_pairs, num_small = set(), 0, 0
    for row in answer.rows_of(os.path.join(output, "pairs.jsonl")):
        num_pairs += 1
        num_small += min(row["left_size"], row["right_size"]) <= FEW_SIGNATURES
        whole.update((row["left"], row["right"]))
    return whole, {
        "title": real.title,
        "documents": measure.summary(output)["counts"]["documents"],
        "spotsigs": len(whole),
        "spotsigs_pairs": num_pairs,
        "spotsigs_small": num_small,
    }


def partial(context, output, whole):
    """What a result of passages has beside what whole documents gave."""
    found, kinds, num_pairs = set(), {}, 0
    for row in answer.rows_of(os.path.join(output, "passage-pairs.jsonl")):
        num_pairs += 1
        found.update((row["left"], row["right"]))
        kinds[row["kind"]] = kinds.get(row["kind"], 0) + 1
    summary = measure.summary(output)
    context.checks.equal("pairs", num_pairs, summary["counts"]["pairs"], output)
    context.checks.equal("kinds of pairs", kinds, summary["pairs_by_kind"], output)
    ledger, counts = summary["ledger"], summary["counts"]
    sentences = ledger.get("sentences_with_a_signature", 0) + ledger.get("sentences_without", 0)
    return {
        "found": len(found),
        "more": len(found - whole),
        "missed": len(whole - found),
        "pairs": num_pairs,
        "near_duplicates": counts["near_duplicates"],
        "kinds": kinds,
        "quotation_sentences": mean_quotation(output),
        # Documents with the text of another are cut once.
        "document_sentences": sentences / (counts["documents"] - counts["copies"]),
    }


def mean_quotation(output):
    """Sentences of a quotation on average, of its left side; None when there is none."""
    total = number = 0
    for row in answer.rows_of(os.path.join(output, "passages.jsonl")):
        if row["kind"] == "quotation":
            first, last = map(int, row["left_sentences"].split("-"))
            total += last - first + 1
            number += 1
    return total / number if number else None


def timing(context):
    """Figure 11: time against size, of the preset, the default and document-level SpotSigs."""
    told = {"rounds": context.rounds, "threads": measure.THREADS, "rows": []}
    told["machine"] = dict(report.machine() + report.program(context.binary))
    for size in SIZES:
        of = measure.collection(context.binary, context.work, "web", size)
        measure.run(measure.read_command(of))
        commands = timed_commands(context, of)
        usages = {name: [] for name in commands}
        for number in range(context.rounds):
            for name, command in commands.items():
                measure.progress(f"{size:,} documents, round {number + 1}: {name}")
                usages[name].append(measure.run(command))
        row = {"documents": size, "bytes": of.num_bytes}
        for name, rounds in usages.items():
            best = measure.best(rounds)
            row[name] = {"wall": best.wall, "cpu": best.cpu, "peak_bytes": best.peak_bytes}
            summary = measure.summary(context.folder(f"timed-{name}"))
            row[name].update(pairs=summary["counts"]["pairs"], stages=summary["seconds"])
        told["rows"].append(row)
    return told


def timed_commands(context, of):
    """The commands of Figure 11, by name."""
    common = ["--threads", str(measure.THREADS), "--no-text", "--quiet", "--output"]
    spots = ["--features", "spotsigs", "--threshold", DOCUMENT_THRESHOLD, "--pairs", "all"]
    words = {
        "preset": ["passages", of.documents, "--preset", "pdc-mr"],
        "seeds": ["passages", of.documents],
        "spotsigs": ["find", of.documents, *spots, "--cluster", "none"],
    }
    return {
        name: [context.binary, *command, *common, context.folder(f"timed-{name}")]
        for name, command in words.items()
    }


PARTS = {
    "signatures": signatures,
    "sweeps": sweeps,
    "documents": documents,
    "timing": timing,
}
