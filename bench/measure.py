"""Running commands and measuring them; making the synthetic collections.

Standard library only; shared by the benchmarks of this folder.
"""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

SEED = 1
THRESHOLD = "0.8"
FEATURES = "words:5"
THREADS = 2
# Of truth/manifest.json, as read here.
MANIFEST_VERSION = 1


class Usage(NamedTuple):
    """What a command took."""

    wall: float
    cpu: float
    peak_bytes: int


class Collection(NamedTuple):
    """A synthetic collection on disk."""

    shape: str
    num_documents: int
    num_bytes: int
    folder: str
    command: list

    @property
    def documents(self):
        """Path of the file with the documents."""
        return os.path.join(self.folder, "documents.jsonl")

    @property
    def clusters(self):
        """Path of the file with the planted clusters."""
        return os.path.join(self.folder, "truth", "clusters.jsonl")


def progress(text):
    """Says on standard error what is being done."""
    print(f"... {text}", file=sys.stderr, flush=True)


def default_work():
    """The folder for collections and results, relative to where the user stands."""
    return os.path.relpath(Path(__file__).resolve().parent / "work")


def run(command, variables=None, messages=None, together=False):
    """Runs a command without output and measures it; ends the benchmark when it fails.
    Its standard error goes to the open file `messages` when there is one.

    The peak is that of the process, but Linux counts what the starting process has resident
    too. So all measuring comes before the answers are checked, while this one is small.
    `together` adds up all its processes, at the moments they were looked at.
    """
    environment = {**os.environ, **(variables or {})}
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=messages,
        env=environment,
    )
    watch = Watch(process.pid) if together else None
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    seen = watch.stop() if watch else 0
    if process.returncode != 0:
        raise SystemExit(f"exit code {process.returncode}: {shown(command, variables)}")
    # Kilobytes on Linux, bytes on macOS.
    unit = 1 if sys.platform == "darwin" else 1024
    peak = max(usage.ru_maxrss * unit, seen)
    return Usage(wall, usage.ru_utime + usage.ru_stime, peak)


class Watch:
    """Adds up, ten times a second, the memory of a process and of all that it started.
    Linux only; elsewhere it sees nothing."""

    INTERVAL = 0.1

    def __init__(self, process_id):
        self.process_id = process_id
        self.peak = 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()

    def look(self):
        """Looks until it is told that the process has ended."""
        while not self.ended.wait(self.INTERVAL):
            members = list(family(self.process_id))
            # Of one alone the system tells the peak itself, at the end.
            if len(members) > 1:
                self.peak = max(self.peak, sum(map(own_bytes, members)))

    def stop(self):
        """The largest sum that was seen."""
        self.ended.set()
        self.thread.join()
        return self.peak


def family(process_id):
    """The process and all its descendants, as far as they still are."""
    yield process_id
    try:
        with open(f"/proc/{process_id}/task/{process_id}/children", encoding="ascii") as file:
            children = file.read().split()
    except OSError:
        return
    for child in children:
        yield from family(int(child))


def own_bytes(process_id):
    """Resident memory of a process; of what it shares with others its part of it (PSS)."""
    try:
        with open(f"/proc/{process_id}/smaps_rollup", encoding="ascii") as file:
            for line in file:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return 0


def shown(command, variables=None):
    """A command as one would type it."""
    assigned = [f"{name}={value}" for name, value in (variables or {}).items()]
    return " ".join(assigned + command)


def best(usages):
    """The smallest time of each kind, and the largest peak."""
    return Usage(
        min(usage.wall for usage in usages),
        min(usage.cpu for usage in usages),
        max(usage.peak_bytes for usage in usages),
    )


def collection(binary, work, shape, num_documents):
    """The synthetic collection of this shape and size, made unless it is there already."""
    folder = os.path.join(work, f"{shape.replace(':', '-')}-{num_documents}")
    command = [binary, "synth", "--documents", str(num_documents), "--shape", shape]
    command += ["--seed", str(SEED), "--output", folder]
    num_bytes = bytes_of_finished(folder, shape, num_documents)
    if num_bytes is None:
        progress(f"making {folder}")
        os.makedirs(work, exist_ok=True)
        run(command)
        # Else the system would still be writing while we measure.
        os.sync()
        num_bytes = bytes_of_finished(folder, shape, num_documents)
    if num_bytes is None:
        raise SystemExit(f"{folder}: the manifest does not agree with what was asked for")
    return Collection(shape, num_documents, num_bytes, folder, command)


def bytes_of_finished(folder, shape, num_documents):
    """Size of the documents when the manifest of the folder says what is wanted, or None."""
    try:
        with open(os.path.join(folder, "truth", "manifest.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        num_bytes = os.path.getsize(os.path.join(folder, "documents.jsonl"))
    except (OSError, ValueError):
        return None
    wanted = {"documents": num_documents, "seed": SEED, "shape": shape}
    agrees = (
        manifest.get("version") == MANIFEST_VERSION
        and manifest.get("options") == wanted
        and manifest.get("counts", {}).get("bytes") == num_bytes
    )
    return num_bytes if agrees else None


def find_command(binary, of, output, threads=THREADS):
    """The command `find` on the documents of a collection."""
    command = [binary, "find", of.documents, "--threshold", THRESHOLD]
    command += ["--features", FEATURES, "--threads", str(threads)]
    return command + ["--output", output, "--quiet"]


def read_command(of):
    """The command that only reads the documents: the limit, and a warm file cache."""
    return ["cat", of.documents]


def summary(output):
    """The summary of a result folder."""
    with open(os.path.join(output, "summary.json"), encoding="utf-8") as file:
        return json.load(file)
