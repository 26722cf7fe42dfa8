"""Checks the answers that bench/peers.py compares, and scores every tool with them.

The truth is the exact join of SetSimilaritySearch, which shares no code with neardupe; brute
force on a sample checks that one. Standard library only.
"""

import sys
from fractions import Fraction
from pathlib import Path

import answer
import measure
import peers_tools as tools
import score

sys.path.insert(0, str(Path(__file__).resolve().parent / "peers"))
import exact_pairs  # noqa: E402  (answer.py has its folder on the path)
import shared  # noqa: E402

SAMPLE_PAIRS = 150
SAMPLE_OTHERS = 300
SAMPLE_WORDS = 300
SAMPLE_ROWS = 100


def check_all(checks, results):
    """Checks the collections one by one; the scores by collection and tool."""
    scores = {}
    for measured in results:
        measure.progress(f"checking {measured.title}")
        checks.collection = measured.of.folder
        scores[measured.title] = check_one(checks, measured)
    return scores


def check_one(checks, measured):
    """Checks neardupe's answers on one collection; the scores of all tools."""
    texts = answer.Texts(measured.of.documents)
    check_words(checks, texts)
    own = score.read_pairs(measured.outputs[tools.FIND.name])
    truth = own
    if measured.ran(tools.EXACT):
        truth = score.read_pairs(measured.outputs[tools.EXACT.name])
        checks.expect(
            "all pairs equal those of the exact join in Python",
            own == truth,
            lambda: f"{len(truth - own)} missing, {len(own - truth)} too many, "
            f"such as {next(iter(truth ^ own))}",
        )
    check_brute_force(checks, texts, truth)
    check_default(checks, measured, texts, truth)
    scores = {tool.name: score_of(measured, tool, truth) for tool in tools.TOOLS}
    for tool in tools.PEERS:
        if tool.result == tools.CLUSTERS and measured.ran(tool):
            path = measured.outputs[tool.name]
            scores[tool.name, "documents"] = score.of_documents(path, truth)
    return scores


def check_words(checks, texts):
    """The peers get the words of the oracle."""
    names = answer.sample(texts.ids, SAMPLE_WORDS)
    names += answer.sample(sorted(texts.not_ascii), SAMPLE_WORDS)
    for name in names:
        text = texts.text(name)
        checks.expect(
            "words for the peers are the oracle's",
            shared.words(text) == exact_pairs.words(text),
            lambda: f"{name} has other words",
        )


def check_brute_force(checks, texts, truth):
    """Among some documents, half of them from pairs, the truth is what brute force finds."""
    names = {name for pair in answer.sample(sorted(truth), SAMPLE_PAIRS) for name in pair}
    names.update(answer.sample(texts.ids, SAMPLE_OTHERS))
    threshold = Fraction(measure.THRESHOLD)
    rows = exact_pairs.exact_pairs(
        {name: texts.text(name) for name in names}, threshold, answer.SHINGLE_WORDS
    )
    expected = {score.ordered(row[0], row[1]) for row in rows}
    got = {pair for pair in truth if pair[0] in names and pair[1] in names}
    checks.equal("pairs of a sample equal brute force", got, expected, "pairs")


def check_default(checks, measured, texts, truth):
    """The default result: its laws, and its pairs are among all pairs."""
    result = answer.Result(str(Path(measured.outputs[tools.STAR.name]).parent))
    answer.check_tables(checks, result, measured.of.num_documents)
    answer.check_representatives(checks, result)
    answer.check_rows(checks, texts, answer.choose_rows(result, texts, SAMPLE_ROWS))
    for row in result.rows:
        checks.expect(
            "a pair of the default is one of all pairs",
            score.ordered(row.id, row.duplicate_of) in truth,
            lambda: f"{row.id} and {row.duplicate_of}",
        )


def score_of(measured, tool, truth):
    """The score of a tool, or None when it has no result."""
    if not measured.ran(tool) or tool.result == tools.NOTHING:
        return None
    path = measured.outputs[tool.name]
    if tool.result == tools.CLUSTERS:
        return score.of_clusters(path, truth)
    return score.of_pairs(path, truth)
