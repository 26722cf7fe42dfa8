"""What Ye and others and the waterloo thesis state of sampling, beside what was measured.

Numbers of the papers are cited, sentences are ours. Standard library only.
"""

WATERLOO_MARKERS = ("<!-- measured: begin -->", "<!-- measured: end -->")

# Ye et al., Table 3: documents and shingles of the groups of .GOV.
YE_GROUPS = [
    (651_983, 118_247_397),
    (153_741, 105_876_410),
    (78_590, 107_785_579),
    (28_917, 69_980_491),
    (14_669, 50_329_605),
    (8_808, 39_165_329),
    (5_636, 30_760_394),
    (3_833, 24_750_365),
    (2_790, 20_796_424),
    (1_983, 16_770_544),
    (7_775, 93_564_410),
]
# Waterloo, Table 3.2: average error, correlation, recall, precision by one shingle in so many.
WATERLOO_HASH = {
    2: (0.0087, 0.9972, 0.9681, 0.9659),
    4: (0.0177, 0.9888, 0.9378, 0.9086),
    8: (0.0444, 0.9371, 0.8810, 0.7922),
    16: (0.0715, 0.8640, 0.8211, 0.7187),
    32: (0.0940, 0.7714, 0.8330, 0.6746),
    64: (0.1053, 0.7191, 0.8607, 0.6791),
    128: (0.1627, 0.5465, 0.7258, 0.7695),
    256: (0.2656, 0.2777, 0.6929, 0.5939),
    512: (0.3292, 0.1521, 0.6079, 0.6479),
}
# Table 3.4: average error, correlation, recall by commonality threshold; precision is 1.
WATERLOO_COMMONALITY = {
    100: (0.0433, 0.8511, 0.9127),
    90: (0.0443, 0.8484, 0.9117),
    80: (0.0508, 0.8273, 0.9014),
    70: (0.0628, 0.7756, 0.8982),
    60: (0.1333, 0.7639, 0.7310),
    50: (0.1366, 0.7611, 0.7287),
    40: (0.2054, 0.7767, 0.6321),
    30: (0.2126, 0.7730, 0.6261),
    20: (0.2582, 0.7559, 0.5563),
    10: (0.3922, 0.6212, 0.3706),
}
THRESHOLDS = ["0.5", "0.6", "0.7", "0.8", "0.9", "0.95", "0.99"]
# Pairs that a group must have for a finding to say something.
FEWEST = 30
NAMES = {"synthetic": "synthetic pages", "manual": "PostgreSQL manual"}


def told(study, threshold):
    """Groups that have pairs enough at a threshold."""
    names = [group["words"] for group in study.groups()]
    return [name for name in names if study.pairs(threshold, name) >= FEWEST]


def ye_findings(studies):
    """What the paper states, and what came out: rows of claim and one cell for each study."""

    def falls(study):
        name = told(study, "0.5")[0]
        ends = [study.mean("precision", 16, threshold, name) for threshold in ("0.5", "0.95")]
        return f"{ends[0]:.3f} at 0.5, {ends[1]:.3f} at 0.95 ({name} words, 1/16)"

    def ratio(study):
        name = told(study, "0.8")[0]
        values = [study.mean("precision", divisor, "0.8", name) for divisor in (2, 4, 8, 16)]
        return " ".join(f"{value:.3f}" for value in values) + f" ({name} words at 0.8)"

    def below(study):
        name = told(study, "0.5")[0]
        values = [study.mean("precision", 16, one, name) for one in THRESHOLDS[1:]]
        best = max(value for value in values if value is not None)
        return f"at most {best:.3f} above 0.5 ({name} words)"

    def small(study):
        names = [name for name in told(study, "0.95") if int(name.split("-")[0]) < 3000]
        values = [study.mean("precision", 16, "0.99", name) for name in names]
        values = [value for value in values if value is not None]
        return " ".join(f"{value:.3f}" for value in values) + " at 0.99" if values else "no pairs"

    def large(study):
        name = told(study, "0.8")[-1]
        values = [study.mean("precision", 16, threshold, name) for threshold in ("0.5", "0.8")]
        return f"{values[0]:.3f} at 0.5, {values[1]:.3f} at 0.8 ({name} words)"

    def recall(study):
        values = [
            (study.mean("recall", 16, threshold, name), threshold, name)
            for threshold in THRESHOLDS
            for name in told(study, threshold)
        ]
        least = min(value for value in values if value[0] is not None)
        return f"least {least[0]:.3f} (at {least[1]}, {least[2]} words)"

    def plan(study):
        rows = [
            row
            for row in study.plans
            if (row["target"], row["threshold"]) == ("0.8", "0.6") and row["ratio"]
        ]
        ratios = []
        for row in rows:
            if not ratios or ratios[-1][1] != row["ratio"]:
                ratios.append((row["group"], row["ratio"]))
        shown = ", ".join(f"{ratio} from {name.split('-')[0]} words" for name, ratio in ratios)
        return f"{float(rows[0]['kept_share']) * 100:.1f} %: {shown}"

    claims = [
        ("precision falls with the threshold, most below 500 words (5.1)", falls),
        ("precision falls with the ratio: 1/2, 1/4, 1/8, 1/16 (5.3)", ratio),
        ("at 1/16 and thresholds above 0.5 it is below 0.8 for fewer than 500 words (5.1)", below),
        ("at 1/16 and above 0.95 it is below 0.1 for fewer than 3,000 words (5.1)", small),
        ("it is high and stable for large documents (5.1)", large),
        ("recall at 1/16 stays above 0.6 (5.2, Figure 3)", recall),
        ("precision 0.8 at 0.6 needs 8 % of the shingles (4.72 % with 1/32; section 6)", plan),
    ]
    return [[claim, *(measured(study) for study in studies.values())] for claim, measured in claims]


def ye_page(studies, cell, table):
    """docs/reproduce/ye.md."""
    synthetic = studies["synthetic"]
    parts = [YE_HEAD]
    counts = {name: study.summary["counts"] for name, study in studies.items()}
    exact = {name: one["exact_duplicates"] for name, one in counts.items()}
    parts.append(
        "Exact duplicates are removed first: "
        + "; ".join(
            f"{exact[name]:,} of {counts[name]['documents']:,} documents ({NAMES[name]})"
            for name in studies
        )
        + "; 94,309 of 1,053,034 in the paper."
    )
    rows = []
    for number, group in enumerate(synthetic.groups()):
        manual = studies["manual"].groups()[number]
        documents, shingles = YE_GROUPS[number]
        rows.append(
            [
                group["words"],
                f"{documents:,}",
                f"{shingles:,}",
                f"{group['documents']:,}",
                f"{group['features']:,}",
                f"{manual['documents']:,}",
                f"{manual['features']:,}",
            ]
        )
    head = ["words", ".GOV documents", "shingles", "synthetic", "shingles", "manual", "shingles"]
    parts += ["## Table 3: the groups", table(head, rows)]
    parts += ["![words by rank](ye-size-rank.svg)"]
    parts += ["## What the paper finds, and what comes out here"]
    head = ["the paper", *(NAMES[name] for name in studies)]
    parts.append(table(head, ye_findings(studies)))
    for divisor in (4, 16):
        parts.append(f"## Figure 2: precision, one shingle in {divisor}")
        for name, study in studies.items():
            parts += [f"In the {NAMES[name]}:", group_table(study, "precision", divisor, cell, table)]
        parts.append(f"![precision](ye-precision-{divisor}.svg)")
    parts.append("## Figure 3: recall, one shingle in 16")
    for name, study in studies.items():
        parts += [f"In the {NAMES[name]}:", group_table(study, "recall", 16, cell, table)]
    parts.append("![recall](ye-recall-16.svg)")
    parts.append("## Figure 4: shingles that adaptive sampling keeps")
    targets = sorted({row["target"] for row in synthetic.plans}, key=float)
    rows = []
    for target in targets:
        row = [target]
        for study in studies.values():
            for threshold in ("0.6", "0.8", "0.9"):
                kept = [
                    float(one["kept_share"])
                    for one in study.plans
                    if (one["target"], one["threshold"]) == (target, threshold)
                ]
                row.append(cell(kept[0] if kept else None))
        rows.append(row)
    head = ["precision"] + [
        f"{name} at {threshold}" for name in studies for threshold in ("0.6", "0.8", "0.9")
    ]
    parts += [table(head, rows), "![adaptive](ye-adaptive.svg)", YE_FOOT]
    return "\n\n".join(parts) + "\n"


def group_table(study, column, divisor, cell, table):
    """A value by group and threshold; groups without pairs enough are left out."""
    rows = []
    for name in told(study, "0.5"):
        values = []
        for threshold in THRESHOLDS:
            enough = study.pairs(threshold, name) >= FEWEST
            values.append(cell(study.mean(column, divisor, threshold, name)) if enough else "")
        rows.append([name, f"{study.pairs('0.5', name):,.0f}", *values])
    return table(["words", "pairs at 0.5", *THRESHOLDS], rows)


def waterloo_part(studies, cell, table):
    """Tables 3.2 and 3.4, and Figure 3.9."""
    parts = ["## How far a sample errs (Tables 3.2 and 3.4)", WATERLOO_HEAD]
    rows = []
    columns = ("average_error", "correlation", "recall", "precision")
    for divisor, paper in WATERLOO_HASH.items():
        row = [f"1/{divisor}", *(f"{value:.4f}" for value in paper)]
        for study in studies.values():
            row += [cell(study.mean(column, divisor, "0.5", "all"), 4) for column in columns]
        rows.append(row)
    names = ["error", "corr.", "recall", "prec."]
    head = ["kept"] + [f"{who}: {name}" for who in ("thesis", *studies) for name in names]
    parts += ["### Kept by hash, pairs at 0.5, mean over all trials", table(head, rows)]
    rows = []
    for limit, paper in WATERLOO_COMMONALITY.items():
        row = [str(limit), *(f"{value:.4f}" for value in paper)]
        for study in studies.values():
            of_limit = [one for one in study.commonality if one["limit"] == str(limit)][0]
            row += [cell(float(of_limit[column]), 4) for column in columns[:3]]
            saved = 1 - int(of_limit["pair_records"]) / int(of_limit["all_pair_records"])
            row.append(f"{saved * 100:.1f} %")
        rows.append(row)
    head = ["limit"] + [f"thesis: {name}" for name in names[:3]]
    head += [f"{who}: {name}" for who in studies for name in [*names[:3], "pair records saved"]]
    parts += ["### Without shingles of more documents than a limit", table(head, rows)]
    parts.append(WATERLOO_FOOT)
    return "\n\n".join(parts)


YE_HEAD = """# The study of Ye, Wen and Ma, on any collection

S. Ye, J.-R. Wen, W.-Y. Ma, *A systematic study on parameter correlations in large-scale duplicate document detection*, KAIS 2008, ran about 400
trials over a million pages of .GOV in two weeks on three machines: sampling ratio, threshold and size of documents against precision and recall. Here the
whole grid is one command:

```console
$ neardupe study sampling INPUT --preset ye          # words:10; --hash md5 as in the paper
```

This page is written by `make reproduce-ye` from two collections: 100,000 synthetic pages (`neardupe synth`, sizes by a power law like those of the paper) and the
PostgreSQL manual in three versions (3,442 pages of HTML). The pages of .GOV cannot be had. See [study.md](../study.md) for what is computed."""

YE_FOOT = """## What differs, and why

- Precision at high thresholds is lower for collections with many pairs just below the threshold. How many there are is a property of the collection: the
  synthetic pages are copies with a share of words changed, spread over all similarities; pages of one manual in three versions differ by a few sentences.
- Groups of large documents have few pairs here (a cell needs 30), so their lines end early, and means over few trials scatter.
- Recall: a document of which nothing is kept is found only by one with the same features, in the paper it is not found at all. Both lose short documents at small
  ratios.
- Shares of plans depend on how much of the text short documents have. In the paper 17 % of the shingles are of documents below 500 words.
- A plan here leaves room for chance (one standard error), so it keeps somewhat more than the smallest ratio that just meets the target."""

WATERLOO_HEAD = """The thesis compares resemblance with all shingles and with a sample over all pairs that either finds at 0.5: mean difference, correlation, recall and
precision. Here over pairs of documents, those of equal text included and compared like the others under a limit, as `neardupe study sampling --preset waterloo --thresholds 0.5 --keep-exact` computes them; a pair that
one side does not have at all counts with the value it has there. The thesis takes one trial a ratio; here it is the mean over all
remainders. Documents: the PostgreSQL manual as above (`manual`), and 20,000 synthetic pages (`synthetic`, down to 1/64). This part is written by `make reproduce-waterloo`."""

WATERLOO_FOOT = """As in the thesis, error grows and correlation falls with fewer shingles, at about its sizes, and leaving out common shingles costs recall but never precision (the program checks
that). Precision and recall by hash stay higher here than there. A likely reason, which cannot be proved without its pages: fewer of the pairs here lie near
0.5. The thesis sees precision rise again at 1/128; that is one trial, and in means over all trials it only falls.

What a limit costs depends on the largest clusters. A shingle of the manual is in as many pages as there are versions, or in a template, so a limit of 10 costs little. The synthetic
pages have clusters of up to a hundred near-copies, whose own shingles a limit below that takes for common, and there recall falls as in the thesis, below 40 even further. So a commonality threshold must be larger
than the largest cluster that is to be found whole."""
