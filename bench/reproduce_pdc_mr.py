#!/usr/bin/env python3
"""Tables and figures of Zhang et al. (SIGIR 2010) with `neardupe passages`: docs/reproduce/pdc-mr.md.

Four parts, each kept as JSON in the work folder: `signatures` (Table 2), `sweeps` (Figures 6 to
9), `documents` (Figure 10 and Table 3), `timing` (Figure 11). All are run, or those that --only names;
then the document is written from all of them.

Answers are checked on the way (one thread gives the bytes of two, a larger gamma finds a part of what a
smaller one finds, ...). A wrong one ends it with code 1, and nothing is written. The collections lie in
../shared/data or where NEARDUPE_DATA says; without them it says so and ends with code 1.

    python3 bench/reproduce_pdc_mr.py --binary target/release/neardupe --out docs/reproduce/pdc-mr.md
"""

import argparse
import json
import os

import answer
import measure
import pdc_mr_collections
import pdc_mr_report
import pdc_mr_runs


def parse_arguments():
    """What was typed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--binary", required=True, help="the executable neardupe")
    parser.add_argument("--out", metavar="FILE", help="the document; charts are put beside it")
    parser.add_argument("--rounds", type=int, default=2, metavar="N", help="of the timing part")
    work = os.path.join(measure.default_work(), "pdc-mr")
    parser.add_argument("--work", default=work, metavar="DIR")
    parser.add_argument(
        "--only",
        action="append",
        choices=[*pdc_mr_runs.PARTS, "none"],
        help="run this part, or none; the others are taken from the work folder",
    )
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds must be at least 1")
    return arguments


def main():
    """Runs, checks, writes."""
    arguments = parse_arguments()
    wanted = arguments.only or list(pdc_mr_runs.PARTS)
    if set(wanted) - {"timing", "none"}:
        pdc_mr_collections.require_all()
    os.makedirs(arguments.work, exist_ok=True)
    checks = answer.Checks()
    context = pdc_mr_runs.Context(arguments.binary, arguments.work, arguments.rounds, checks)
    results = {}
    for name, run in pdc_mr_runs.PARTS.items():
        path = os.path.join(arguments.work, f"{name}.json")
        if name in wanted:
            results[name] = run(context)
            if not checks.messages:
                store(path, results[name])
        elif arguments.out:
            results[name] = stored(path, name)
    print(checks.table())
    code = checks.exit_code()
    if arguments.out and code == 0:
        pdc_mr_report.write(results, arguments.out)
    raise SystemExit(code)


def store(path, result):
    """Keeps the result of a part."""
    with open(path + ".partial", "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
    os.replace(path + ".partial", path)


def stored(path, name):
    """The kept result of a part."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        raise SystemExit(f"{path} is not there: run the part {name} first") from None


if __name__ == "__main__":
    main()
