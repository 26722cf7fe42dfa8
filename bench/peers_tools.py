"""The tools that bench/peers.py compares, and what was measured of them on a collection."""

from typing import NamedTuple

import measure


class Tool(NamedTuple):
    """A tool: `result` tells what it returns, `package` is None when it is not a peer."""

    name: str
    package: str
    program: str
    result: str
    method: str


PAIRS, CLUSTERS, EVIDENCE, NOTHING = "pairs", "clusters", "evidence", ""
FIND = Tool("neardupe, all pairs", None, "find-all", PAIRS, "exact join")
STAR = Tool("neardupe, default", None, "find", EVIDENCE, "exact join, star clusters")
COUNT = Tool("wc -w", None, "wc", NOTHING, "counts words")
READ = Tool("cat", None, "cat", NOTHING, "reads")
EXACT = Tool(
    "SetSimilaritySearch", "SetSimilaritySearch", "set_similarity", PAIRS, "exact join in Python"
)
PEERS = (
    Tool("rensa", "rensa", "rensa_pairs", PAIRS, "MinHash 16 x 8, sketches compared"),
    Tool("gaoya", "gaoya", "gaoya_pairs", PAIRS, "MinHash 16 x 8, sketches compared"),
    Tool("gaoya, sketched once", "gaoya", "gaoya_once", PAIRS, "the same, undocumented call"),
    Tool("datasketch", "datasketch", "datasketch_pairs", PAIRS, "MinHash 128, own bands"),
    Tool("datatrove", "datatrove", "datatrove_clusters", CLUSTERS, "MinHash 16 x 8, not compared"),
    Tool("text-dedup", "text-dedup", "text_dedup_clusters", CLUSTERS, "MinHash 128, not compared"),
    EXACT,
)
TOOLS = (COUNT, READ, FIND, STAR, *PEERS)


class Measured(NamedTuple):
    """A collection and what was run on it: usages, outputs, commands and reasons of failure
    by the names of the tools."""

    title: str
    of: measure.Collection
    usages: dict
    outputs: dict
    commands: dict
    failures: dict

    def best(self, tool):
        """The best of the rounds of a tool."""
        return measure.best(self.usages[tool.name])

    def ran(self, tool):
        """Whether there is a result."""
        return tool.name in self.usages
