"""The sentences of docs/reproduce/pdc-mr.md.

What they say of the numbers is held against them: `claim` ends the program when a number does not carry
its sentence any more, which then has to be written anew.
"""

import pdc_mr_paper as paper
import report

SHINGLES = ("2-shingles", "3-shingles", "4-shingles")
IMATCH = "I-Match [0.1, 1]"
SEEDS = "default (seeds)"
MANY, USUAL = "SpotSigs, 10,000 antecedents", "SpotSigs, 1,000 antecedents"
CHINESE_SPOTS = "SpotSigs, 60 antecedents"


def claim(holds, text):
    """The text, if the numbers carry it."""
    if not holds:
        raise SystemExit(f"the numbers do not carry this sentence any more: {text}")
    return text


def row_of(part, collection, method, gamma):
    """A row of Table 2."""
    for row in part["rows"]:
        if (row["collection"], row["method"], row["gamma"]) == (collection, method, gamma):
            return row
    raise SystemExit(f"no row for {collection}, {method}, {gamma}")


def planted(about):
    """What a collection with known passages is."""
    kinds = ", ".join(f"{number} {kind}" for kind, number in about["kinds"].items())
    return (
        f"{report.grouped(about['documents'])} documents, {report.grouped(about['sentences'])} "
        f"sentences, passages: {kinds}; {report.grouped(about['ignored'])} pairs not judged:"
    )


def opening(results):
    """Title, what was run, and in short what came out."""
    machine = results["timing"]["machine"]
    return f"""# Partial duplicates by sequences of sentences: pdc-mr

Q. Zhang, Y. Zhang, H. Yu and X. Huang, *Efficient Partial-Duplicate Detection Based on Sequence
Matching*, SIGIR 2010, find passages that two documents have in common in three steps: sentences
get signatures, sentences with similar signatures match, and runs of more than γ matching
sentences, diagonals in the matrix of two documents, are passages. `neardupe passages --preset
pdc-mr` does that; `--signature` and `--gamma` give its variants. This page repeats the tables and
figures of sections 5.3 to 5.5 with it, and beside it has the method that `neardupe passages` uses
when nothing is said ([passages.md](../passages.md)), called *default* here. It is written by one
command:

```console
$ make reproduce-pdc-mr
```

The collections of the paper cannot be had: WT10g, Blogs06, SogouT and ClueWeb09 need licences,
and the Oracle sets that six people labelled were not published. Those used here are named with
each table. Where passages must be known, they were planted: runs of three to nine sentences of
one document, put between two paragraphs of another as they stand, and in one passage of ten a
word of each sentence replaced. So most have more than three sentences, and about 90 % of the
copied sentences are exactly the same, which is what the paper tells of its Oracle sets (section
5.3: 89 % in English, 91 % in Chinese). The planted collections stay in `bench/work/pdc-mr`.

Written with {machine['version']}; times are of {machine['date']}, {machine['cores']} cores of an
{machine['processor']}."""


def in_short(results):
    """The main findings."""
    part, times = results["signatures"], results["timing"]["rows"][-1]
    preset = {name: row_of(part, name, IMATCH, 3) for name in ("english", "chinese")}
    recall = ", ".join(
        f"{preset[name]['recall']:.3f} in {name.title()} ({paper.TABLE_2[name][IMATCH][1]:.3f} in "
        "the paper)"
        for name in preset
    )
    verbatim = [row["kinds"]["verbatim"] for row in preset.values()]
    lines = [
        claim(
            min(row["precision"] for row in preset.values()) > 0.985,
            "- What the preset finds is right: precision is at least that of the paper, but pairs "
            "of documents that have text in common of themselves are not judged here.",
        ),
        claim(
            all(row["recall"] < 0.9 for row in preset.values()),
            f"- It finds less: recall is {recall}. That is how passages were planted: a tenth is "
            "edited, and some have three sentences, which a diagonal of more than three does not "
            f"find. Of verbatim passages it finds {verbatim[0]:.3f} and {verbatim[1]:.3f}.",
        ),
        "- Shingles and I-Match are about equal in English, as in the paper; in Chinese shingles "
        "are ahead. SpotSigs comes close to both with 1,000 antecedents, in either language.",
        claim(
            times["preset"]["cpu"] > times["spotsigs"]["cpu"],
            "- Documents that only share a passage are many in some collections, as in the paper, "
            "and few in others. Whole documents are compared faster than passages are found; the "
            "paper says the opposite.",
        ),
        claim(
            row_of(part, "english", SEEDS, None)["recall"] > 0.95
            and row_of(part, "inserted", SEEDS, None)["recall"] > 0.95,
            "- The default method finds edited passages too. It finds more that nobody planted.",
        ),
    ]
    return "In short:\n\n" + "\n".join(lines)


def of_table_2(part):
    """How Table 2 is to be read."""
    return """Counted are sentences, as `neardupe eval` does it
([eval.md](../eval.md#eval-of-passages)): precision is the share of the sentences in found
passages that are in true ones, recall the share of the sentences of true passages that were
found. `verbatim` and `edited` are the shares of the characters of such passages that were found.
Passages within the giving or the taking documents do not count, nor do pairs that have 12 words
(20 ideographs) in a row in common without a planted passage. No sentence is left out for being
frequent (`--max-documents none`) except by the default. English are pages of the documentation of
Linux (inserted-passages-en, with what is planted there cut out), Chinese are laws that exist in
one version. A row is

```console
$ neardupe passages docs.jsonl --signature words:2 --tau 0.9 --gamma 3 --max-documents none -o found
$ neardupe eval found --truth passages.tsv --ignore-pairs natural.tsv --between into-,from- --input docs.jsonl
```"""


def after_table_2(part):
    """What Table 2 shows."""
    def row(language, method, gamma):
        return row_of(part, language, method, gamma)

    lines = []
    signatures = [*SHINGLES, IMATCH]
    best = {
        language: [row(language, method, 3)["f1"] for method in signatures]
        for language in ("english", "chinese")
    }
    spread = {language: max(values) - min(values) for language, values in best.items()}
    keys, short = row("chinese", IMATCH, 3), row("chinese", SHINGLES[0], 3)
    lines.append(
        claim(
            spread["english"] < 0.02 and spread["chinese"] > 0.02,
            "**Signatures.** In English shingles and I-Match differ by at most "
            f"{spread['english']:.3f} in F1 at γ = 3, as in the paper (0.005). In Chinese I-Match "
            f"is {spread['chinese']:.3f} below the best shingles. Of verbatim passages it finds "
            f"{keys['kinds']['verbatim']:.3f}, shingles {short['kinds']['verbatim']:.3f}: "
            f"{report.grouped(keys['without'])} sentences have fewer than two terms left and so no "
            "key, and one such sentence ends a diagonal.",
        )
    )
    gammas = [row("english", "2-shingles", gamma) for gamma in (1, 2, 3)]
    rises = [one["precision"] for one in gammas]
    lines.append(
        claim(
            rises == sorted(rises) and gammas[0]["f1"] > gammas[2]["f1"],
            "**γ.** Precision rises with γ and recall falls. In the paper the first "
            f"outweighs the second (English 2-shingles: F1 {paper.GAMMA_1_ENGLISH} at γ = 1, "
            f"{paper.TABLE_2['english']['2-shingles'][2]} at 3). Here it is the other way round "
            f"({gammas[0]['f1']:.3f} and {gammas[2]['f1']:.3f}): pages of a manual have few chance "
            f"sentences in common, so that γ = 1 has a precision of {gammas[0]['precision']:.3f} "
            "already, and about one planted passage in seven has three sentences only. On a crawl "
            "with its banners and menus a larger γ has more to win.",
        )
    )
    shingles = [row(language, "4-shingles", 3)["kinds"] for language in ("english", "chinese")]
    lines.append(
        claim(
            all(kinds["verbatim"] > 0.9 and kinds["edited"] < 0.1 for kinds in shingles)
            and all(row(name, "4-shingles", 2)["kinds"]["verbatim"] > 0.99 for name in best),
            "**Recall.** Of what was copied as it stands 4-shingles find "
            f"{shingles[0]['verbatim']:.3f} (English) and {shingles[1]['verbatim']:.3f} (Chinese) "
            "at γ = 3, and nearly all at γ = 2: what is missing is too short. Of edited passages "
            "they find next to nothing at τ = 0.9: a replaced word takes four of the 4-shingles "
            "of a sentence. The paper's recall of 0.966 can be had only if most of the tenth of "
            "its sentences that is not exactly the same match at 0.9 all the same, so differ by "
            "less than a word: in case, say, or in signs.",
        )
    )
    lines.append(
        claim(
            abs(row("english", MANY, 3)["f1"] - row("english", USUAL, 3)["f1"]) < 0.01
            and row("chinese", USUAL, 3)["f1"] > row("chinese", CHINESE_SPOTS, 3)["f1"] + 0.03,
            "**SpotSigs** with the 10,000 antecedents of the paper has an F1 of "
            f"{row('english', MANY, 3)['f1']:.3f} in English, with 1,000, the default here, "
            f"{row('english', USUAL, 3)['f1']:.3f}. Chains skip stop words and nothing else: a list "
            "of 10,000 words is nearly all that these texts consist of, so there would be no chain "
            "if antecedents could not stand in it. In Chinese the paper's 60 have an F1 of "
            f"{row('chinese', CHINESE_SPOTS, 3)['f1']:.3f}, since "
            f"{share_without(part, 'chinese', CHINESE_SPOTS)} of the sentences have no signature "
            f"and many have few; 1,000 have {row('chinese', USUAL, 3)['f1']:.3f}.",
        )
    )
    seeds = {language: row(language, SEEDS, None) for language in ("english", "chinese")}
    num_planted = sum(part["collections"]["chinese"]["kinds"].values())
    lines.append(
        claim(
            min(one["kinds"]["edited"] for one in seeds.values()) > 0.98
            and seeds["chinese"]["precision"] < 0.5,
            "**The default** finds edited passages as well as verbatim ones (recall "
            f"{seeds['english']['recall']:.3f} and {seeds['chinese']['recall']:.3f}). Its "
            f"precision is {seeds['english']['precision']:.3f} in English. In Chinese it is "
            f"{seeds['chinese']['precision']:.3f}: it finds "
            f"{report.grouped(seeds['chinese']['found'])} passages where {num_planted} are planted. "
            "Those of the others that we looked at are formulas which laws have in common of "
            "themselves, in slightly other words: who passed the law and when, which sanctions "
            "there are. Nobody planted them, so they count as false.",
        )
    )
    return "\n\n".join(lines)


def share_without(part, language, method):
    """Share of the sentences without a signature."""
    without = row_of(part, language, method, 3)["without"]
    return f"{100 * without / part['collections'][language]['sentences']:.0f} %"


def after_inserted(part):
    """What edited passages show."""
    best = row_of(part, "inserted", IMATCH, 1)
    preset = row_of(part, "inserted", IMATCH, 3)
    seeds = row_of(part, "inserted", SEEDS, None)
    return claim(
        best["recall"] < 0.5 < seeds["recall"] and preset["kinds"]["shuffle"] < 0.05,
        "This collection was made for other methods: words were deleted, replaced and put in "
        "(`light` 6 %, `heavy` 25 % of them), sentences shuffled, and even in passages of the "
        "kind `none` the blank lines between paragraphs were lost, so that a heading or a line "
        "that ends with a colon is joined to the next sentence. Sentences as units do not forgive "
        f"that: the preset finds {preset['kinds']['none']:.3f} of `none`, "
        f"{preset['kinds']['light']:.3f} of `light` and hardly anything of the rest, at a "
        f"precision of {preset['precision']:.3f}. The default, which follows words, finds "
        f"{seeds['recall']:.3f} of all sentences at a precision of {seeds['precision']:.3f}.",
    )


def differences(results):
    """What is not as in the paper, in one place."""
    return """## What differs from the paper

- One machine and sorted files in the place of MapReduce; equal signatures are joined once
  ([ARCHITECTURE.md](../../ARCHITECTURE.md)). The result is the same.
- The paper prints `< τ` where a pair of sentences is emitted; `>= τ` is meant, and done.
- Sentences end by the rules of [sentences.md](../sentences.md), in the paper by about 50 rules
  that it does not give. A diagonal has more than γ sentences, as its Algorithm 2 has it.
- Words of shingles are single ideographs in Chinese. I-Match and SpotSigs take words of a
  dictionary. What the paper takes is not said.
- A sentence with fewer than two terms in the range has no key of I-Match; in the paper it seems
  to have one.
- idf is counted over the documents of the collection at hand: some hundreds.
- What counts as true was planted by a program, not labelled by people: what texts have in common
  of themselves is left out where it is long and counts as false where it is short.

Checked on the way: the preset gives the same bytes with one thread and with two; what is found at
a larger γ is a part of what is found at a smaller one; single sentences that match at a higher τ
are not more than at a lower one; planted passages slice to equal texts; counts of pairs and kinds
agree with the rows."""
