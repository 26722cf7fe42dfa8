#!/usr/bin/env python3
"""Makes a collection of real pages from documentation packages of Debian.

The packages are fetched with `apt-get download` (nothing is installed) and read without
unpacking; every HTML page becomes a document `{"id": "PACKAGE/PATH", "text": ...}`, sorted
by id. Several versions of the same manual are in the list, so near-duplicates are natural.
Pages of fewer than MIN_WORDS words, mostly redirections, are left out. `manifest.json` tells
versions and sizes. The texts stay in the work folder.

    python3 bench/debian_pages.py --output bench/work/debian
"""

import argparse
import gzip
import json
import multiprocessing
import os
import subprocess
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
from make_pages import html_to_text  # noqa: E402

PACKAGES = (
    "clang-14-doc",
    "clang-16-doc",
    "debian-reference-en",
    "libboost1.74-doc",
    "libboost1.81-doc",
    "libstdc++-11-doc",
    "libstdc++-12-doc",
    "llvm-14-doc",
    "llvm-16-doc",
    "llvm-19-doc",
    "maxima-doc",
    "postgresql-doc-15",
    "python-django-doc",
    "python3.11-doc",
    "sqlite3-doc",
)
MIN_WORDS = 20
PROCESSES = 2
ENDINGS = (".html", ".htm", ".html.gz", ".htm.gz")


def download(package, folder):
    """The path of the package, fetched unless it is there; None when apt does not give it."""
    os.makedirs(folder, exist_ok=True)
    if not (there := sorted(Path(folder).glob(f"{package}_*.deb"))):
        command = ["apt-get", "download", "-q", package]
        try:
            done = subprocess.run(
                command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
        except OSError as error:
            print(f"{package}: left out, apt-get cannot be run: {error}", file=sys.stderr)
            return None
        there = sorted(Path(folder).glob(f"{package}_*.deb"))
        if not there:
            reasons = [line for line in done.stderr.splitlines() if line.startswith("E:")]
            print(f"{package}: left out, {' '.join(reasons) or 'not given'}", file=sys.stderr)
            return None
    return str(there[-1])


def pages(path, package):
    """The pages of a package as (id, text)."""
    command = ["dpkg-deb", "--fsys-tarfile", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as unpacked:
        with tarfile.open(fileobj=unpacked.stdout, mode="r|") as archive:
            for member in archive:
                if not member.isfile() or not member.name.endswith(ENDINGS):
                    continue
                data = archive.extractfile(member).read()
                if member.name.endswith(".gz"):
                    data = gzip.decompress(data)
                text = html_to_text(data.decode("utf-8", "replace"))
                if len(text.split()) >= MIN_WORDS:
                    name = member.name.partition("/usr/share/")[2]
                    yield f"{package}/{name}", text


def convert(package_and_path):
    """The pages of a package as lines sorted by id, with what is noted about it."""
    package, path = package_and_path
    found = sorted(pages(path, package))
    lines = [
        json.dumps({"id": name, "text": text}, ensure_ascii=False) + "\n" for name, text in found
    ]
    version = subprocess.run(
        ["dpkg-deb", "-f", path, "Version"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.strip()
    words = sum(len(text.split()) for _, text in found)
    note = {"package": package, "version": version, "bytes": os.path.getsize(path)}
    return lines, {**note, "pages": len(found), "words": words}


def make(output):
    """Writes the collection; the exit code."""
    there = [(package, download(package, os.path.join(output, "packages"))) for package in PACKAGES]
    there = [(package, path) for package, path in there if path]
    if not there:
        print("no package could be fetched: is there a Debian mirror?", file=sys.stderr)
        return 1
    notes = []
    documents = os.path.join(output, "documents.jsonl")
    with multiprocessing.Pool(PROCESSES) as pool, open(documents, "w", encoding="utf-8") as file:
        for lines, note in pool.imap(convert, there, chunksize=1):
            file.writelines(lines)
            notes.append(note)
    manifest = {
        "documents": sum(note["pages"] for note in notes),
        "bytes": os.path.getsize(documents),
        "words": sum(note["words"] for note in notes),
        "missing": sorted(set(PACKAGES) - {note["package"] for note in notes}),
        "packages": notes,
    }
    # Last: who finds it finds the collection complete.
    with open(os.path.join(output, "manifest.json"), "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1)
    return 0


def main():
    """Makes the collection."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", required=True, metavar="DIR")
    return make(parser.parse_args().output)


if __name__ == "__main__":
    raise SystemExit(main())
