#!/usr/bin/env python3
"""Make examples/walks: what the three walks begin with, from the pages in examples/pages.

    python3 examples/make_walks.py examples/pages examples/walks

The texts are real (pages of the PostgreSQL manual in three versions); what stands around
them is made here: fields, web pages with menus and footers, addresses, archive records. The same
pages always give the same texts. Packages of Python's own library do, but for the Parquet
file: without pyarrow it is left as it is.
"""

import argparse
import gzip
import html
import json
import uuid
from pathlib import Path

SMALLEST, LARGEST = 350, 3200  # bytes of the pages that are taken


class Manual:
    """The pages of all versions, by version and name."""

    def __init__(self, folder):
        self.folder = folder

    def text(self, version, name):
        return (self.folder / version / f"{name}.txt").read_text(encoding="utf-8")

    def names(self, version):
        """Names of the pages of a version that are neither very short nor long."""
        return sorted(
            path.stem
            for path in (self.folder / version).iterdir()
            if SMALLEST <= path.stat().st_size <= LARGEST and path.stem != "legalnotice"
        )

    def names_of_all(self):
        """Names that are in every version."""
        versions = [set(self.names(version)) for version in ("pg13", "pg15", "pg17")]
        return sorted(set.intersection(*versions))


# --- a folder of JSON lines and Parquet ---


def record(manual, version, name, source, date, number=""):
    text = manual.text(version, name)
    return {
        "id": f"{source}/{name}{number}",
        "meta": {"source": source, "date": date},
        "page": {"title": text.split("\n", 1)[0], "text": text},
    }


def make_folder(manual, folder):
    names = manual.names_of_all()
    archive = [
        record(manual, "pg13", name, "archive", "2024-08-08") for name in names[0:36:2]
    ]
    crawl = [
        record(manual, "pg15", name, "crawl", "2025-11-13")
        for place, name in enumerate(names[:36])
        if place % 3 != 1
    ]
    # The crawl met some pages twice.
    crawl += [
        record(manual, "pg15", name, "crawl", "2025-11-13", "-copy")
        for name in names[0:36:12]
    ]
    team = [record(manual, "pg17", name, "team", "2026-05-14") for name in names[3:40]]
    write(folder / "2024/archive.jsonl.gz", pack(json_lines(archive)))
    # The last line was cut off, as when a disk is full.
    cut = json_lines([record(manual, "pg15", names[40], "crawl", "2025-11-13")])[:400]
    write(folder / "2025/crawl.jsonl", json_lines(crawl) + cut)
    write_parquet(folder / "2026/team.parquet", team)


def json_lines(records):
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
    return "".join(lines).encode()


def write_parquet(path, records):
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        print(f"{path}: left as it is, since pyarrow is not there")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pyarrow.Table.from_pylist(records)
    pyarrow.parquet.write_table(table, path, compression="zstd", row_group_size=20)


# --- crawls ---

MENU = """Home About Download Documentation Community Developers Support Donate""".split()
CHAPTERS = """Preface
Tutorial
The SQL Language
Server Administration
Client Interfaces
Server Programming
Reference
Internals
Appendixes
Bibliography
Index
Release notes
Frequently asked questions
Mailing lists
Report a bug""".split("\n")


def listed(words, query=""):
    items = [
        f'<li><a href="/{word.lower().replace(" ", "-")}{query}">{word}</a></li>'
        for word in words
    ]
    return "<ul>\n" + "\n".join(items) + "\n</ul>"


def article(text):
    """The blocks of a text as HTML; a block of several lines is preformatted."""
    first, *blocks = text.strip().split("\n\n")
    parts = [f"<h1>{html.escape(first)}</h1>"]
    for block in blocks:
        tag = "pre" if "\n" in block else "p"
        parts.append(f"<{tag}>{html.escape(block, quote=False)}</{tag}>")
    return "\n".join(parts)


def site_page(text, time, query=""):
    """A page of the site itself: menus, a note, the time in the footer."""
    title = html.escape(text.split("\n", 1)[0])
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title} - Example Manuals</title></head>
<body>
<header><a href="/">Example Manuals</a>
<nav>{listed(MENU, query)}</nav>
<form action="/search"><input name="q"> <button>Search</button></form></header>
<aside class="sidebar"><h2>Contents</h2>
{listed(CHAPTERS, query)}</aside>
<main><article>
{article(text)}
</article></main>
<footer><h2>Submit correction</h2>
<p>If you see anything in the documentation that is not correct, does not match your experience
with the particular feature or requires further clarification, please use this form to report
a documentation issue.</p>
<p><a href="/privacy">Privacy policy</a> <a href="/conduct">Code of conduct</a> Page made {time}</p></footer>
</body></html>
"""


def mirror_page(text):
    """The same article on a mirror that has a frame of its own."""
    title = html.escape(text.split("\n", 1)[0])
    places = "Frankfurt Lisbon Montreal Nairobi Osaka Perth Quito Riga Santiago Tallinn".split()
    return f"""<html><head><meta charset="utf-8"><title>mirror: {title}</title></head>
<body>
<div id="top">mirror.example.net, a service of the student computer club. Choose a mirror near you:
{listed(places)}</div>
<div class="content">
{article(text)}
</div>
<div id="bottom"><p>All trademarks belong to their owners. The club takes no responsibility for what is
mirrored here. Traffic of last month: 4.1 TB. Disk: 71 % used. Contact: mirror-admin.</p></div>
</body></html>
"""


def print_page(text):
    return f"""<html><head><meta charset="utf-8"><title>print</title></head>
<body>
{article(text)}
</body></html>
"""


MISSING = """Page not found

We are sorry: the page that you asked for is not here any more, or never was. The manual was moved to
another place when the site got its new look, and not every old address could be kept.

Please go to the start page, or try the search at the top of this page. If a link on our site brought you
here, tell us, and we will mend it."""
PIXEL = bytes.fromhex(
    "47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b"
)


class Archive:
    """A WARC file of gzip members, one for each record."""

    def __init__(self, day):
        self.day = day
        self.seconds = 0
        self.members = []
        self.add("warcinfo", None, "application/warc-fields", b"software: example-crawler\r\n")

    def time(self):
        clock = 3 * 3600 + 7 * self.seconds
        return f"{self.day}T{clock // 3600:02}:{clock // 60 % 60:02}:{clock % 60:02}Z"

    def page(self, url, content, status="200 OK", kind="text/html; charset=utf-8"):
        body = content if isinstance(content, bytes) else content.encode()
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        kind = "application/http; msgtype=response"
        self.add("response", url, kind, head.encode() + body)

    def add(self, record_type, url, kind, block):
        self.seconds += 1
        name = uuid.uuid5(uuid.NAMESPACE_URL, f"{self.day} {self.seconds} {url}")
        lines = ["WARC/1.0", f"WARC-Type: {record_type}", f"WARC-Date: {self.time()}"]
        lines += [f"WARC-Record-ID: <urn:uuid:{name}>"]
        lines += [f"WARC-Target-URI: {url}"] if url else []
        lines += [f"Content-Type: {kind}", f"Content-Length: {len(block)}", "", ""]
        self.members.append(pack("\r\n".join(lines).encode() + block + b"\r\n\r\n"))

    def write(self, path):
        write(path, b"".join(self.members))


def make_crawl(manual, path):
    """One crawl of a site with all that makes pages come twice."""
    crawl = Archive("2026-05-13")
    site = "http://www.example.org"
    names = manual.names_of_all()[2:50:2]
    for place, name in enumerate(names):
        text = manual.text("pg15", name)
        crawl.page(f"{site}/docs/{name}.html", site_page(text, crawl.time()))
        if place % 6 == 0:
            sid = f"?sid={uuid.uuid5(uuid.NAMESPACE_URL, name).hex[:8]}"
            page = site_page(text, crawl.time(), sid)
            crawl.page(f"{site}/docs/{name}.html{sid}", page)
        if place % 8 == 3:
            crawl.page(f"{site}/docs/print/{name}.html", print_page(text))
        if place % 3 == 1:
            crawl.page(f"http://mirror.example.net/pub/docs/{name}.html", mirror_page(text))
        if place % 4 == 2:
            old = manual.text("pg13", name)
            crawl.page(f"{site}/docs/13/{name}.html", site_page(old, crawl.time()))
        if place % 8 == 5:
            gone = f"{site}/docs/9.6/{name}.html"
            crawl.page(gone, site_page(MISSING, crawl.time()))
    crawl.page(f"{site}/logo.gif", PIXEL, kind="image/gif")
    page = site_page(MISSING, crawl.time())
    crawl.page(f"{site}/favicon.ico", page, status="404 Not Found")
    crawl.write(path)
    # What the site answers to an address that never was.
    write(path.parent / "not-found.html", site_page(MISSING, crawl.time()).encode())


def make_days(manual, folder):
    """The same site on two days: the manual of version 15, then that of version 17."""
    site = "http://www.example.org/docs"
    both = manual.names_of_all()[1:58:2]
    days = {}
    for day, version in (("2026-05-13", "pg15"), ("2026-05-14", "pg17")):
        days[version] = crawl = Archive(day)
        for place, name in enumerate(both):
            text = manual.text(version, name)
            url = f"{site}/current/{name}.html"
            if place == 8 and version == "pg17":
                url = f"{site}/current/reference/{name}.html"  # moved
            crawl.page(url, site_page(text, crawl.time()))
            if place in (4, 20) and version == "pg17":
                page = site_page(text, crawl.time())
                crawl.page(f"{site}/17/{name}.html", page)
    # Version 17 has pages that 15 had not, and the other way round.
    for version, name, places in (
        ("pg15", "oldsnapshot", ["current"]),
        ("pg17", "app-pgcombinebackup", ["current", "17"]),
        ("pg17", "logical-replication-failover", ["current"]),
    ):
        crawl = days[version]
        for place in places:
            page = site_page(manual.text(version, name), crawl.time())
            crawl.page(f"{site}/{place}/{name}.html", page)
    days["pg15"].write(folder / "yesterday.warc.gz")
    days["pg17"].write(folder / "today.warc.gz")


def pack(content):
    # Without a time, so that the bytes are the same every time.
    return gzip.compress(content, 9, mtime=0)


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", type=Path, help="examples/pages")
    parser.add_argument("output", type=Path, help="folder to write, as examples/walks")
    arguments = parser.parse_args()
    manual = Manual(arguments.pages)
    make_folder(manual, arguments.output / "collected")
    make_crawl(manual, arguments.output / "crawl.warc.gz")
    make_days(manual, arguments.output)
    files = sorted(path for path in arguments.output.rglob("*") if path.is_file())
    for path in files:
        print(f"{path.stat().st_size:>9}  {path}")


if __name__ == "__main__":
    main()
