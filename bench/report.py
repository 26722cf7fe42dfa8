"""Tables for people, and the Markdown record of a benchmark.

Standard library only; shared by the benchmarks of this folder.
"""

import datetime
import os
import shlex
import subprocess
import sys
from pathlib import Path


class Report:
    """Prints as it goes and keeps what was printed for the record."""

    def __init__(self, title, binary):
        self.parts = []
        self.add(f"# {title}")
        lines = [f"- {name}: {value}" for name, value in machine() + program(binary)]
        self.add("\n".join(lines))

    def add(self, text):
        """Prints a paragraph, heading or table."""
        self.parts.append(text)
        print(text, end="\n\n", flush=True)

    def add_commands(self, commands):
        """Prints the commands that were measured, below the one that started it all."""
        script = os.path.relpath(sys.argv[0])
        lines = [shlex.join(["python3", script] + sys.argv[1:])]
        self.add("\n".join(["```"] + lines + commands + ["```"]))

    def write(self, path):
        """Writes the record."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("\n\n".join(self.parts) + "\n", encoding="utf-8")


def finish(report, checks, path):
    """Prints what was checked, writes the record when all of it was right; the exit code."""
    report.add("## Answers")
    report.add(checks.table())
    code = checks.exit_code()
    if path and code == 0:
        report.write(path)
    return code


def table(header, rows):
    """A Markdown table with columns of even width; all but the first are right-aligned."""
    lines = [[str(cell) for cell in line] for line in [header, *rows]]
    widths = [max(3, *(len(cell) for cell in column)) for column in zip(*lines)]

    def line_of(cells):
        first = cells[0].ljust(widths[0])
        others = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:])]
        return "| " + " | ".join([first] + others) + " |"

    rule = ["-" * widths[0]] + ["-" * (width - 1) + ":" for width in widths[1:]]
    return "\n".join([line_of(lines[0]), line_of(rule)] + [line_of(line) for line in lines[1:]])


def met(value, limit):
    """Whether a measured value is within its limit, in words."""
    return "met" if value <= limit else "not met"


def grouped(number):
    """A whole number with commas."""
    return f"{number:,}"


def megabytes(num_bytes):
    """A size in millions of bytes."""
    return f"{num_bytes / 1e6:,.1f} MB"


def machine():
    """Date and machine, by name."""
    system = os.uname()
    memory = (proc_value("/proc/meminfo", "MemTotal") or "0 kB").partition(" ")[0]
    return [
        ("date", datetime.date.today().isoformat()),
        ("processor", proc_value("/proc/cpuinfo", "model name") or system.machine),
        ("cores", os.cpu_count()),
        ("memory", f"{int(memory) / (1 << 20):.1f} GiB"),
        ("kernel", f"{system.sysname} {system.release}"),
    ]


def program(binary):
    """Version of the program and of its source, by name."""
    rows = [("version", output_of([binary, "--version"]) or "unknown")]
    here = str(Path(__file__).resolve().parent)
    commit = output_of(["git", "-C", here, "rev-parse", "--short=12", "HEAD"])
    if commit:
        top = output_of(["git", "-C", here, "rev-parse", "--show-toplevel"])
        changed = output_of(["git", "-C", top, "status", "--porcelain", "--", "crates"])
        rows.append(("commit", commit + (" with changes in crates" if changed else "")))
    return rows


def proc_value(path, name):
    """The first value of this name in a file of /proc, or None."""
    try:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                key, _, value = line.partition(":")
                if key.strip() == name:
                    return value.strip()
    except OSError:
        pass
    return None


def output_of(command):
    """Standard output of a command, or None when it fails or is not there."""
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
