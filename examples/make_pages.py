#!/usr/bin/env python3
"""Make examples/pages: pages of the PostgreSQL manual in three versions, as plain text.

Input is a gzipped JSONL file with one page per line, `{"id": "pg13/NAME", "html": ...}`.
Output is a folder with `pg13/NAME.txt`, `pg15/NAME.txt`, `pg17/NAME.txt`, and
`mirror/manual-NAME.txt`: byte-identical copies of a few pg15 pages.

The choice is fixed: each group of page names below gives a number of names, evenly
spaced in sorted order, so the same input always gives the same files.

    python3 examples/make_pages.py pages.jsonl.gz examples/pages
"""

import argparse
import gzip
import json
import re
from html.parser import HTMLParser
from pathlib import Path

VERSIONS = ("pg13", "pg15", "pg17")

# Name pattern and how many names to take. A name belongs to the first group it matches.
GROUPS = (
    (r"legalnotice", 1),
    (r"sql-(create|alter)", 14),
    (r"sql-drop", 6),
    (r"sql-", 12),
    (r"functions-", 8),
    (r"datatype-|arrays|rangetypes|domains", 7),
    (r"tutorial-", 9),
    (r"queries-|ddl-|dml-", 7),
    (r"app-|pg[a-z]+$", 8),
    (r"runtime-config-|auth-|manage-ag-|monitoring-|wal-", 9),
    (r"catalog-pg-|view-pg-", 8),
    (r"infoschema-", 5),
    (r"spi-spi-|contrib-dblink-", 5),
    (r"libpq-|ecpg-|plpgsql-|plperl-", 6),
    (r"", 8),
)
SHORT_PAGES = 8  # names whose text is below SHORT_CHARS in all versions
SHORT_CHARS = 600
ONLY_ONE_VERSION = 3  # names per version that no other version has
# Pages that went on under another name, and release notes that list the same fixes.
RENAMED = ("install-make", "install-procedure", "release-15-15", "release-17-7")
MIRRORED = 6
MAX_BYTES = 30_000

DROPPED = {"head", "script", "style"}
DROPPED_CLASSES = {"navheader", "navfooter"}
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "wbr"}
# Elements with a blank line before and after, and elements that only end the line.
PARAGRAPHS = set("p h1 h2 h3 h4 h5 h6 pre table ul ol dl blockquote".split())
LINES = set("div li dt dd tr br hr caption body html".split())
CELLS = {"td", "th"}


class _TextBuilder(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.parts = []
        self.dropped = []  # open elements since a dropped one started; empty: text is kept
        self.preformatted = 0

    def handle_starttag(self, tag, attrs):
        if tag in VOID:
            self._break_at(tag)
            return
        classes = set((dict(attrs).get("class") or "").split())
        if self.dropped or tag in DROPPED or classes & DROPPED_CLASSES:
            self.dropped.append(tag)
            return
        self._break_at(tag)
        self.preformatted += tag == "pre"

    def handle_startendtag(self, tag, attrs):
        self._break_at(tag)

    def handle_endtag(self, tag):
        if self.dropped:
            if tag in self.dropped:
                while self.dropped.pop() != tag:
                    pass
            return
        self._break_at(tag)
        if tag == "pre" and self.preformatted:
            self.preformatted -= 1

    def handle_data(self, data):
        if self.dropped:
            return
        if self.preformatted:
            self.parts.append(data)
        else:
            self.parts.append(re.sub(r"\s+", " ", data))

    def _break_at(self, tag):
        if self.dropped:
            return
        if tag in PARAGRAPHS:
            self.parts.append("\n\n")
        elif tag in LINES:
            self.parts.append("\n")
        elif tag in CELLS:
            self.parts.append(" ")


def html_to_text(html):
    """The readable text of one page.

    Head, scripts, styles and the manual's navigation are dropped; entities are decoded;
    block elements break lines, and so do line ends inside `pre`; runs of blanks become one
    blank and runs of empty lines one empty line.
    """
    builder = _TextBuilder()
    builder.feed(html)
    builder.close()
    lines = [" ".join(line.split()) for line in "".join(builder.parts).split("\n")]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return text + "\n" if text else ""


def read_pages(path):
    """All pages as {(version, name): text}."""
    pages = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            page = json.loads(line)
            version, name = page["id"].split("/", 1)
            pages[version, name] = html_to_text(page["html"])
    return pages


def names_in_versions(pages, versions, max_bytes):
    """Sorted names that exist in exactly these versions and are small enough in each."""
    where = {}
    for version, name in pages:
        where.setdefault(name, set()).add(version)
    return sorted(
        name
        for name, found in where.items()
        if found == set(versions)
        and all(len(pages[v, name].encode()) <= max_bytes for v in versions)
    )


def evenly(names, count):
    """`count` names, evenly spaced over the list (all of them when there are fewer)."""
    count = min(count, len(names))
    return [names[i * len(names) // count] for i in range(count)]


def choose_from_groups(names, groups):
    """Names taken group by group; a name belongs to the first group whose pattern matches."""
    members = [[] for _ in groups]
    for name in names:
        for number, (pattern, _) in enumerate(groups):
            if re.match(pattern, name):
                members[number].append(name)
                break
    chosen = []
    for group, (_, count) in zip(members, groups):
        chosen += evenly(group, count)
    return sorted(chosen)


def choose_examples(pages):
    """The (version, name) keys of the example pages, sorted, and the names to mirror."""
    names = names_in_versions(pages, VERSIONS, MAX_BYTES)
    chosen = choose_from_groups(names, GROUPS)
    short = [
        name
        for name in names
        if name not in chosen and all(len(pages[v, name]) < SHORT_CHARS for v in VERSIONS)
    ]
    chosen = sorted(chosen + evenly(short, SHORT_PAGES))
    keys = [(version, name) for version in VERSIONS for name in chosen]
    for version in VERSIONS:
        only = names_in_versions(pages, [version], MAX_BYTES)
        keys += [(version, name) for name in evenly(only, ONLY_ONE_VERSION)]
    keys += [key for key in pages if key[1] in RENAMED]
    return sorted(set(keys)), evenly(chosen, MIRRORED)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("input", type=Path, help="pages.jsonl.gz")
    parser.add_argument("output", type=Path, help="folder to write, for example examples/pages")
    arguments = parser.parse_args()

    pages = read_pages(arguments.input)
    keys, mirrored = choose_examples(pages)
    files = {f"{version}/{name}.txt": pages[version, name] for version, name in keys}
    for name in mirrored:
        files[f"mirror/manual-{name}.txt"] = pages["pg15", name]
    for path, text in files.items():
        target = arguments.output / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    size = sum(len(text.encode()) for text in files.values())
    print(f"{len(files)} files, {size} bytes")


if __name__ == "__main__":
    main()
