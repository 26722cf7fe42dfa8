#!/usr/bin/env python3
"""Makes corpus/manuals: pages of documentation generators, with the true main text.

    tools/manual_traps.py SOURCES OUT.jsonl.zst [--pages N]

SOURCES is a folder with one folder per site, named as in SITES below; corpus/manuals/README.md
lists where each comes from. Each line of the output is a page: id, generator, site, html and
main. `main` is the text of the element that the generator puts its content in, found by the
rules below, which name elements of one generator only. They share no code and no rule with
the extractor that is measured with them.

Without --pages all pages are written. With it, each site gives N: a third of them the shortest
that have 8 words of main text or more, since short pages with large footers are what an
extractor gets wrong; a third pages with a near-duplicate, by their main text; the others
spread evenly over the rest.
"""

import argparse
import html.parser
import json
import pathlib
import re
import subprocess
import sys

VOID = set("area base br col embed hr img input link meta param source track wbr".split())
# Elements whose end tag may be missing, and what their start tag closes.
CLOSES = {"p": {"p"}, "li": {"li"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"},
          "tr": {"tr", "td", "th"}, "td": {"td", "th"}, "th": {"td", "th"},
          "option": {"option"}}
LIMITS = {"li": {"ul", "ol"}, "dt": {"dl"}, "dd": {"dl"}, "tr": {"table"},
          "td": {"table", "tr"}, "th": {"table", "tr"}, "p": set(), "option": {"select"}}
NOT_SHOWN = {"script", "style", "noscript", "template", "iframe", "head"}


class Node:
    """An element with its children; a text is a str."""

    def __init__(self, name, attributes, parent):
        self.name = name
        self.attributes = attributes
        self.parent = parent
        self.children = []

    def matches(self, rule):
        """Whether this is `name`, `.class`, `#id`, `[attribute=value]`, or several joined."""
        for part in re.findall(r"[.#]?[\w-]+|\[[^]]*\]", rule):
            if part[0] == ".":
                if part[1:] not in self.attributes.get("class", "").split():
                    return False
            elif part[0] == "#":
                if self.attributes.get("id") != part[1:]:
                    return False
            elif part[0] == "[":
                name, _, value = part[1:-1].partition("=")
                if self.attributes.get(name) != value:
                    return False
            elif self.name != part:
                return False
        return True

    def find(self, rule):
        """The first element of this rule, in the order of the page."""
        if self.matches(rule):
            return self
        for child in self.children:
            if isinstance(child, Node):
                found = child.find(rule)
                if found:
                    return found
        return None

    def text(self, dropped):
        if self.name in NOT_SHOWN or any(self.matches(rule) for rule in dropped):
            return " "
        parts = [child if isinstance(child, str) else child.text(dropped)
                 for child in self.children]
        return " " + "".join(parts) + " "


class Tree(html.parser.HTMLParser):
    """A page as a tree; end tags that are missing or too many do no harm."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.root = self.at = Node("#root", {}, None)
        self.feed(page)
        self.close()

    def handle_starttag(self, name, attributes):
        node = self.at
        while name in CLOSES and node.parent and node.name not in LIMITS[name]:
            if node.name in CLOSES[name]:
                self.at = node.parent
                break
            if name == "p" and node.name not in {"b", "i", "em", "strong", "a", "span", "code"}:
                break
            node = node.parent
        node = Node(name, {key: value or "" for key, value in attributes}, self.at)
        self.at.children.append(node)
        if name not in VOID:
            self.at = node

    def handle_startendtag(self, name, attributes):
        self.handle_starttag(name, attributes)
        if name not in VOID:
            self.handle_endtag(name)

    def handle_endtag(self, name):
        node = self.at
        while node.parent and node.name != name:
            node = node.parent
        if node.parent:
            self.at = node.parent

    def handle_data(self, text):
        self.at.children.append(text)


class Site:
    """Which files are pages of a site, and which element is the content.

    content: rules, of which the first that is found counts. A rule of several parts
    joined by ` + ` takes them all. dropped: elements inside that are not content."""

    def __init__(self, generator, pages, content, dropped=(), skipped=r"$^"):
        self.generator = generator
        self.pages = re.compile(pages)
        self.content = content
        self.dropped = dropped
        self.skipped = re.compile(skipped)


SPHINX_DROPPED = ["a.headerlink", ".related", "a.viewcode-back"]
INDEXES = r"(^|/)(genindex.*|py-modindex|search|404|opensearch)\.html$"

SITES = {
    # alabaster: role=main, and a footer without a role
    "python-requests-doc": Site("sphinx", r"/html/", ["[role=main]"], SPHINX_DROPPED, INDEXES),
    # pallets theme
    "python-click-doc": Site("sphinx", r"/html/", ["[role=main]"], SPHINX_DROPPED, INDEXES),
    # a theme of its own
    "sphinx-doc": Site("sphinx", r"/html/", ["[role=main]"], SPHINX_DROPPED, INDEXES),
    # read the docs theme
    "python-tornado-doc": Site("sphinx", r"/html/", ["[role=main]"], SPHINX_DROPPED, INDEXES),
    # a theme of its own, without any role
    "python-django-doc": Site("sphinx", r"/html/", ["#yui-main"], SPHINX_DROPPED, INDEXES),
    # python docs theme, with a footer of several sentences
    "python3.11-doc": Site("sphinx", r"/html/", ["[role=main]"], SPHINX_DROPPED, INDEXES),
    "mkdocs-doc": Site("mkdocs", r"/html/", ["[role=main]"], ["a.headerlink"], INDEXES),
    "mk-mkdocs": Site("mkdocs", r"", ["[role=main]"], ["a.headerlink"], INDEXES),
    "mk-readthedocs": Site("mkdocs", r"", ["[role=main]"], ["a.headerlink"], INDEXES),
    "mk-material": Site("mkdocs", r"", ["article.md-content__inner"],
                        ["a.headerlink", "a.md-content__button"], INDEXES),
    "docusaurus": Site("docusaurus", r"", ["article", "main"],
                       ["nav", "footer", ".theme-doc-toc-mobile", "a.hash-link", "button",
                        ".avatar"], INDEXES + r"|^blog/(tags|archive|authors|index)"),
    "libcommons-io-java-doc": Site("javadoc", r"/api/", ["main"], ["nav"],
                                   r"index-all|allclasses|overview-tree|/class-use/"),
    "libcommons-lang3-java-doc": Site("javadoc", r"/api/", ["main"], ["nav"],
                                      r"index-all|allclasses|overview-tree|constant-values"),
    "libxerces-c-doc": Site("doxygen", r"/apiDocs-3/", [".headertitle + .contents"],
                            [".dynheader", ".dyncontent"],
                            r"functions|globals|_source|classes|hierarchy|annotated|files"),
    "libeigen3-doc": Site("doxygen", r"/html/", [".headertitle + .contents"],
                          [".dynheader", ".dyncontent"],
                          r"functions|globals|_source|classes|hierarchy|annotated|files"),
    "rust-doc": Site("rustdoc", r"/html/", ["#main-content"],
                     ["button", "a.anchor"], r"/all\.html|/src/"),
    "libglib2.0-doc": Site("gtk-doc", r"/html/(glib|gobject|gio)/",
                           [".refentry", ".chapter", ".reference", ".index", ".part", ".book",
                            ".glossary"]),
    "libgtk-3-doc": Site("gtk-doc", r"/html/gtk3/",
                         [".refentry", ".chapter", ".reference", ".index", ".part", ".book",
                          ".glossary"]),
    "man2html": Site("man2html", r"", ["man2html"]),
    "mk-blog": Site("blog", r"^blog/\d{4}/", ["article.md-content__inner"], ["a.headerlink"]),
    "docusaurus-blog": Site("blog", r"^blog/n-", ["article"],
                            ["header", "nav", "footer", "a.hash-link", "button"]),
}


def main_text(site, page):
    """The true main text of a page; None where the generator has put none."""
    if site.generator == "man2html":
        # Between the line under the heading and the index at the end.
        inside = re.search(r"<HR>(.*)<HR>\s*<A NAME=.index", page, re.DOTALL)
        if not inside:
            return None
        return words_of(Tree(inside.group(1)).root.text([]))
    root = Tree(page).root
    for rule in site.content:
        if " + " in rule:
            found = [root.find(part) for part in rule.split(" + ")]
        else:
            node = root
            for part in rule.split():
                node = node and node.find(part)
            found = [node]
        if all(found):
            return words_of(" ".join(node.text(site.dropped) for node in found))
    return None


def words_of(text):
    return " ".join(text.split())


def pages_of(folder, site, max_bytes):
    """All pages of a site with their main text, by path."""
    pages = []
    for path in sorted(folder.rglob("*.html")):
        name = path.relative_to(folder).as_posix()
        if not site.pages.search(name) or site.skipped.search(name):
            continue
        if path.stat().st_size > max_bytes:
            continue
        html_text = path.read_text(encoding="utf-8", errors="replace")
        text = main_text(site, html_text)
        if text and len(text.split()) >= 8:
            pages.append((name, html_text, text))
    return pages


def chosen(pages, wanted):
    """A third the shortest, a third with near-duplicates, the others spread evenly."""
    by_length = sorted(pages, key=lambda page: (len(page[2]), page[0]))
    taken = by_length[:wanted // 3]
    for page in near_duplicates([page for page in by_length if page not in taken]):
        if len(taken) >= 2 * wanted // 3:
            break
        taken.append(page)
    rest = [page for page in by_length if page not in taken]
    step = max(1, len(rest) // max(1, wanted - len(taken)))
    return sorted(taken + rest[::step][:wanted - len(taken)])


def near_duplicates(pages):
    """Pages with another of resemblance 0.5 or more, partners one after the other."""
    sets = []
    holders = {}
    for at, (_name, _html, text) in enumerate(pages):
        words = re.findall(r"\w+", text.lower())
        sets.append({tuple(words[at:at + 5]) for at in range(max(1, len(words) - 4))})
        for shingle in sets[at]:
            holders.setdefault(shingle, []).append(at)
    found = {}
    for at, left in enumerate(sets):
        shared = {}
        for shingle in left:
            for other in holders[shingle]:
                shared[other] = shared.get(other, 0) + 1
        for other, count in sorted(shared.items()):
            if other > at and count * 3 >= len(left) + len(sets[other]):
                found[at] = found[other] = True
    return [pages[at] for at in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--pages", type=int)
    options = parser.parse_args()
    lines = []
    for name, site in SITES.items():
        folder = options.sources / name
        if not folder.is_dir():
            print(f"{name}: no such folder, skipped", file=sys.stderr)
            continue
        # The longest pages are huge and teach nothing.
        pages = pages_of(folder, site, 60_000 if options.pages else 1 << 30)
        taken = chosen(pages, options.pages) if options.pages else pages
        print(f"{site.generator}\t{name}\t{len(pages)} pages\t{len(taken)} taken")
        for page, html_text, text in taken:
            row = {"id": f"{name}/{page.rsplit('/html/', 1)[-1]}", "generator": site.generator,
                   "site": name, "html": html_text, "main": text}
            lines.append(json.dumps(row, ensure_ascii=False))
    text = "".join(line + "\n" for line in lines).encode()
    # A long window: pages of a site repeat each other's menus.
    packed = subprocess.run(["zstd", "-19", "--long=27", "-c"], input=text,
                            stdout=subprocess.PIPE, check=True).stdout
    options.out.write_bytes(packed)
    print(f"{len(lines)} pages, {len(text)} bytes, {len(packed)} packed")


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    main()
