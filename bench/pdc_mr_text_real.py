"""The sentences of docs/reproduce/pdc-mr.md on real collections and on time (Figures 10 and 11, Table
3), held against the numbers.
"""

import report
from pdc_mr_text import claim


def of_figure_10():
    """What is counted in Figure 10."""
    return """How many documents have a near-duplicate by document-level SpotSigs, and how many
more have a passage in common with another document. SpotSigs as `find --features spotsigs
--threshold 0.44`, the threshold of its paper (Theobald and others, SIGIR 2008), with the
published antecedents; for Chinese with the 10 most frequent words. The preset with
`--max-documents none`; `not found` are documents that SpotSigs found and passages did not."""


def after_figure_10(part):
    """What Figure 10 shows."""
    rows = {row["title"]: row for row in part["rows"]}
    news, laws, pages = rows["Reuters-21578"], rows["Chinese laws"], rows["News and blog pages"]
    holds = (
        laws["preset"]["more"] > 0.8 * laws["spotsigs"]
        and pages["preset"]["more"] > 10 * pages["spotsigs"]
        and news["preset"]["missed"] > news["preset"]["found"]
        and round(news["preset"]["document_sentences"]) == 8
        and all(row["seeds"]["more"] > row["preset"]["more"] for row in part["rows"])
    )
    small = news["spotsigs_small"] / news["spotsigs_pairs"]
    return claim(
        holds and small > 0.5,
        "In the paper three times as many documents come to those that SpotSigs finds. So many or "
        f"more come only among news and blog pages: {pages['preset']['more']} to "
        f"{pages['spotsigs']}, and a part of these share what a site puts around its articles "
        "(`other` in Table 3). Among laws they are nearly as many again. Of Reuters few come: a "
        "story has eight sentences on average and seldom four in a row that another has too; of "
        f"the pairs of SpotSigs there {100 * small:.0f} % have a document with at most four "
        "signatures, which are often different stories with a few figures "
        "([spotsigs.md](../spotsigs.md)). Nearly every page of the PostgreSQL manual has its "
        "counterpart in another version, so that little is left to add, and the GOV2 pages were "
        "chosen as pairs that resemble each other. The default finds more documents than the "
        f"preset in all five; among laws {report.grouped(laws['seeds']['found'])} of "
        f"{report.grouped(laws['documents'])}, since a formula of twenty words is a passage for it.",
    )


def of_figure_11(part):
    """What was timed."""
    return f"""Synthetic web pages of `neardupe synth`, {part['threads']} threads of one machine,
best of {part['rounds']} rounds in which all take turns, warm file cache; reading, finding and
writing of all pairs. The preset and the default as they are typed, so with `--max-documents 100`;
SpotSigs as in Figure 10. The paper has a cluster of 16 machines with 60 mappers and 60 reducers
and gives curves without numbers."""


def after_figure_11(part):
    """What Figure 11 shows, whatever the machine."""
    first, last = part["rows"][0], part["rows"][-1]
    names = ("preset", "seeds", "spotsigs")
    times = [f"{last[name]['cpu'] / first[name]['cpu']:.1f}" for name in names]
    pairs = [f"{last[name]['pairs'] / first[name]['pairs']:.1f}" for name in names]
    ratio = last["preset"]["cpu"] / last["spotsigs"]["cpu"]
    stages = last["preset"]["stages"]
    total = stages["total"]
    longest = sorted(set(stages) - {"total"}, key=stages.get, reverse=True)[:3]
    shown = ", ".join(f"{name} {stages[name]:.1f} s" for name in longest)
    growth = (
        f"With {last['documents'] / first['documents']:.0f} times the documents the preset takes "
        f"{times[0]}, the default {times[1]} and SpotSigs {times[2]} times the CPU time; the pairs "
        f"grow {pairs[0]}, {pairs[1]} and {pairs[2]} times."
    )
    order = claim(
        ratio > 1,
        f"The preset takes {ratio:.1f} times the CPU time of SpotSigs at "
        f"{report.grouped(last['documents'])} documents. In the paper it is the faster one, since "
        "I-Match is cheap. Here whole documents are compared by an exact join that looks at few "
        "pairs, and passages have to be cut, located and written: the longest stages of the preset "
        f"are {shown} of {total:.1f} s.",
    )
    default = (
        f"The default takes {last['seeds']['cpu'] / last['preset']['cpu']:.1f} times the CPU time "
        f"of the preset and finds {last['seeds']['pairs'] / last['preset']['pairs']:.1f} times as "
        "many pairs."
    )
    return f"{growth} {order} {default}"


def of_table_3():
    """How kinds are given."""
    return """In the paper people sorted 200 documents of each collection into four kinds. Here
all pairs are sorted, by rules with numbers ([passages.md](../passages.md#kinds)): they cannot
tell a news digest from any other larger document, they know forums, for which its Table 3 has no
column, and two versions of one text are `multi-page`, since a large part of both is the same.
Shares are of pairs here and of documents there: they can be compared in order of size at best."""


def after_table_3(part):
    """What Table 3 shows."""
    rows = {row["title"]: row["preset"] for row in part["rows"]}
    def share(title, kind):
        one = rows[title]
        return one["kinds"].get(kind, 0) / one["pairs"]

    laws, pages = "Chinese laws", "News and blog pages"
    holds = (
        share(laws, "quotation") > 0.8
        and share(pages, "quotation") > 0.5
        and share("Reuters-21578", "multi-page") > 0.5
        and share("PostgreSQL manual", "forum") > 0
        and share("PostgreSQL manual", "quotation") > 0.5
        and share("GOV2 pages", "multi-page") > 0.5
        and 0.25 < share(pages, "other") < 0.4
    )
    return claim(
        holds,
        "Quotations are the most frequent kind among laws, in the manual and among web pages, as "
        "in the paper; most pairs of Reuters and of the GOV2 pages are `multi-page`, as versions "
        "of one text are. `other`, banners and notices, is a third of the pairs of the web pages "
        f"({100 * share(pages, 'other'):.0f} %), as in ClueWeb09 (32 %). A quotation has "
        f"{min_max([one['quotation_sentences'] for one in rows.values()])} sentences on average by "
        "the preset, about 6 in the paper; shorter than four it cannot be. The rule for forums is "
        "wrong where a manual shows messages and prompts: "
        f"{rows['PostgreSQL manual']['kinds']['forum']} pairs of the PostgreSQL manual, which has "
        "no forum.",
    )


def min_max(numbers):
    """From the smallest to the largest."""
    return f"{min(numbers):.0f} to {max(numbers):.0f}"
