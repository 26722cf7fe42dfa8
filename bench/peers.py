#!/usr/bin/env python3
"""`neardupe find` beside what people use instead: the same documents, shingles and threshold.

The peers are Python packages in a virtual environment; bench/peers has a small program for
each. In every round each tool runs once, `wc -w` and plain reading too, and the best round
of each counts; slow peers run in the first round only. Collections: synthetic web pages, the
same five times as large (once, for growth), and real pages of Debian packages.

All pairs that a tool returns are compared with those of an exact join in Python that shares
no code with neardupe, and that one with brute force on a sample. Ends with code 1 when an
answer of neardupe is wrong; a missed speed or a peer that does not run is told and does not
change the code. With --record it writes what it printed and a chart beside it, with --readme
also the short table of the README, but only when all answers are right.

    python3 bench/peers.py --binary target/release/neardupe --record bench/record/peers.md
"""

import argparse
import json
import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import answer
import measure
import peers_check
import peers_report
import report
from peers_tools import COUNT, EXACT, FIND, PEERS, READ, STAR, TOOLS, Measured

HERE = Path(__file__).resolve().parent
QUICK_DOCUMENTS, QUICK_LARGE = 2_000, 4_000
# A peer that takes this many times as long as the fastest peer runs in one round only.
SLOW = 5
# The exact join in Python keeps all shingles in memory.
EXACT_BYTES_PER_DOCUMENT = 150_000
LIMITED_MEMORY = "256M"
# New documents against the large collection.
ADDED_DOCUMENTS = 1_000


def parse_arguments():
    """What was typed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    work = measure.default_work()
    parser.add_argument("--binary", required=True, help="the executable neardupe")
    parser.add_argument("--documents", type=int, default=20_000, metavar="N")
    parser.add_argument(
        "--large", type=int, default=100_000, metavar="N", help="for growth; 0 leaves it out"
    )
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--no-real", action="store_true", help="leave the real pages out")
    parser.add_argument("--quick", action="store_true", help="a small trial of the script itself")
    parser.add_argument("--python", metavar="FILE", help="of the virtual environment of the peers")
    parser.add_argument("--work", default=work, metavar="DIR")
    parser.add_argument("--record", metavar="FILE", help="write a Markdown record and a chart")
    parser.add_argument("--readme", metavar="FILE", help="renew the table between its markers")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.documents, arguments.large = QUICK_DOCUMENTS, QUICK_LARGE
        arguments.rounds, arguments.no_real = 1, True
    if arguments.rounds < 1 or arguments.documents < 2:
        parser.error("--rounds must be at least 1 and --documents at least 2")
    arguments.python = arguments.python or os.path.join(arguments.work, "venv", "bin", "python")
    return arguments


def versions(python):
    """Versions of the peers that are installed, by package, and of Python itself."""
    packages = sorted({tool.package for tool in PEERS})
    code = (
        "import importlib.metadata as m, json, platform, sys\n"
        "found = {'Python': platform.python_version()}\n"
        "for name in sys.argv[1:]:\n"
        "    try: found[name] = m.version(name)\n"
        "    except m.PackageNotFoundError: pass\n"
        "print(json.dumps(found))"
    )
    return json.loads(report.output_of([python, "-c", code, *packages]) or "{}")


def real_collection(arguments):
    """The pages of Debian packages, made unless they are there; None when they cannot be."""
    folder = os.path.join(arguments.work, "debian")
    command = [sys.executable, os.path.relpath(HERE / "debian_pages.py"), "--output", folder]
    manifest = os.path.join(folder, "manifest.json")
    if not os.path.exists(manifest):
        measure.progress(f"making {folder}, some minutes")
        if subprocess.run(command).returncode != 0:
            measure.progress("the real pages are left out")
            return None
        os.sync()
    with open(manifest, encoding="utf-8") as file:
        counts = json.load(file)
    return measure.Collection(
        "debian", counts["documents"], counts["bytes"], folder, ["python3", *command[1:]]
    )


def command_of(arguments, tool, of, output):
    """The command of a tool on a collection, its variables, and where its result is."""
    if tool is COUNT:
        return ["wc", "-w", of.documents], {"LC_ALL": "C"}, None
    if tool is READ:
        return measure.read_command(of), {}, None
    if tool in (FIND, STAR):
        command = measure.find_command(arguments.binary, of, output)
        if tool is FIND:
            command += ["--pairs", "all", "--cluster", "none"]
        return command, {}, os.path.join(output, "pairs.jsonl")
    program = os.path.relpath(HERE / "peers" / f"{tool.program}.py")
    result = f"{output}.tsv"
    return [arguments.python, program, of.documents, result], {}, result


def measure_collection(arguments, title, of, rounds, installed):
    """All tools in turn, `rounds` times."""
    measured = Measured(title, of, {}, {}, {}, {})
    measure.run(measure.read_command(of))
    for number in range(1, rounds + 1):
        for tool in TOOLS:
            if tool.package and tool.package not in installed:
                measured.failures[tool.name] = "not installed"
            elif tool is EXACT and of.num_documents * EXACT_BYTES_PER_DOCUMENT > free_bytes():
                measured.failures[tool.name] = "left out: too little memory for it"
            elif tool.name not in measured.failures and not (
                number > 1 and is_slow(measured, tool)
            ):
                measure.progress(f"{title}, round {number} of {rounds}: {tool.name}")
                measure_tool(arguments, measured, tool)
    return measured


def measure_tool(arguments, measured, tool):
    """One run of a tool. A peer may fail; its last message is kept."""
    name = f"peers-{os.path.basename(measured.of.folder)}-{tool.program}"
    output = os.path.join(arguments.work, name)
    command, variables, result = command_of(arguments, tool, measured.of, output)
    measured.commands[tool.name] = measure.shown(command, variables)
    log = f"{output}.log"
    try:
        with open(log, "wb") as messages:
            usage = measure.run(command, variables, messages, together=True)
    except SystemExit:
        if tool not in PEERS:
            sys.stderr.write(Path(log).read_text(encoding="utf-8", errors="replace"))
            raise
        lines = Path(log).read_text(encoding="utf-8", errors="replace").split("\n")
        last = next((line for line in reversed(lines) if line.strip()), "no message")
        measured.failures[tool.name] = last.strip()[:200]
        measured.usages.pop(tool.name, None)
        return
    measured.usages.setdefault(tool.name, []).append(usage)
    measured.outputs[tool.name] = result


def is_slow(measured, tool):
    """Whether the first round of a peer took many times as long as that of the fastest."""
    walls = {peer: measured.usages[peer.name][0].wall for peer in PEERS if measured.ran(peer)}
    return tool in walls and walls[tool] > SLOW * min(walls.values())


def free_bytes():
    """Memory that is free, or may be."""
    available = report.proc_value("/proc/meminfo", "MemAvailable") or "0 kB"
    return int(available.partition(" ")[0]) * 1024


def measure_limited(arguments, of):
    """neardupe with little memory, for the case we lose."""
    output = os.path.join(arguments.work, "peers-limited")
    command = measure.find_command(arguments.binary, of, output)
    command += ["--pairs", "all", "--cluster", "none", "--memory", LIMITED_MEMORY]
    measure.progress(f"find in {LIMITED_MEMORY}")
    return measure.run(command, together=True)


def measure_added(arguments, of, source, installed):
    """The case we lose: some new documents against many old ones, by neardupe, which reads
    all, and by rensa with its index in memory; None when rensa is not there."""
    if "rensa" not in installed:
        return None
    new = os.path.join(arguments.work, "peers-added.jsonl")
    with open(source.documents, "rb") as lines, open(new, "wb") as file:
        file.writelines(islice(lines, ADDED_DOCUMENTS))
    measure.progress(f"{ADDED_DOCUMENTS} new documents")
    output = os.path.join(arguments.work, "peers-added")
    command = [arguments.binary, "find", new, "--against", of.documents, "--quiet"]
    command += ["--threshold", measure.THRESHOLD, "--features", measure.FEATURES]
    command += ["--pairs", "all", "--cluster", "none", "--threads", str(measure.THREADS)]
    command += ["--output", output]
    own = measure.best([measure.run(command) for _ in range(arguments.rounds)])
    program = os.path.relpath(HERE / "peers" / "rensa_added.py")
    measure.run([arguments.python, program, of.documents, new, f"{output}.tsv"])
    with open(f"{output}.tsv.json", encoding="utf-8") as file:
        spent = json.load(file)
    return peers_report.Added(ADDED_DOCUMENTS, own, measure.Usage(spent["wall"], spent["cpu"], 0))


def main():
    """Measures, prints, checks, records."""
    arguments = parse_arguments()
    installed = versions(arguments.python)
    if not installed:
        raise SystemExit(f"{arguments.python}: no Python there; `make bench` makes it")
    synthetic = measure.collection(arguments.binary, arguments.work, "web", arguments.documents)
    real = None if arguments.no_real else real_collection(arguments)
    # First all measuring, while this process is small; see measure.run.
    small = [measure_collection(arguments, "synthetic", synthetic, arguments.rounds, installed)]
    if real:
        small.append(measure_collection(arguments, "real", real, arguments.rounds, installed))
    large = limited = added = None
    if arguments.large:
        of = measure.collection(arguments.binary, arguments.work, "web", arguments.large)
        large = measure_collection(arguments, "synthetic, large", of, 1, installed)
        limited = measure_limited(arguments, of)
        added = measure_added(arguments, of, synthetic, installed)

    checks = answer.Checks()
    scores = peers_check.check_all(checks, small + ([large] if large else []))
    written = report.Report("`find` and what people use instead", arguments.binary)
    figures = peers_report.Figures(small, large, limited, added, scores, installed)
    peers_report.add_figures(written, arguments, figures)
    code = report.finish(written, checks, arguments.record)
    if code == 0:
        peers_report.write_beside(arguments, figures)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
