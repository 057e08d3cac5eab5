"""The start of the comment section: similar texts close to one another (section 3.4.1, post-processing)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from rapidfuzz.distance import LCSseq

from broadsheet.methods.visual.config import VisualConfig
from broadsheet.methods.visual.nce import TextNodes
from broadsheet.page import Nodes

_MAX_CANDIDATES = 400  # nodes of the list L; bounds the time, and repetition shows earlier
_MIN_COMPONENT_NODES = 3  # of a connected component that is a comment section


def find_comments(nodes: Nodes, text: TextNodes, forest: Iterable[int], config: VisualConfig) -> int | None:
    """Return the row z at which the comments begin: z and all later rows are not part of the article.

    Nodes of L are connected in page order, and the first component of three nodes decides. If its nodes have no common
    ancestor within the forest, the first of them is z.
    """
    roots = list(forest)
    candidates = list(islice(_list_candidates(nodes, text, roots, config), _MAX_CANDIDATES))
    texts = [nodes.text_of(row) for row in candidates]
    component = list(range(len(candidates)))  # the component of each candidate
    for current, current_text in enumerate(texts):
        for before in range(max(0, current - config.beta_5), current):
            if component[before] != component[current] and _are_similar(texts[before], current_text, config.beta_6):
                old, new = component[current], component[before]
                component = [new if number == old else number for number in component]
        members = [candidates[index] for index in range(current + 1) if component[index] == component[current]]
        if len(members) >= _MIN_COMPONENT_NODES:
            return _find_common_ancestor(nodes, members, roots)
    return None


def _list_candidates(nodes: Nodes, text: TextNodes, roots: list[int], config: VisualConfig) -> Iterator[int]:
    """Yield the list L: on each path down the forest, the first node with α1 to α2 characters, depth-first."""
    for root in roots:
        row, end = root, nodes.end[root]
        while row < end:
            length = text.length(row)
            if config.alpha_1 <= length <= config.alpha_2:
                yield row
            # Descendants of a node are not longer than the node.
            row = row + 1 if length > config.alpha_2 else nodes.end[row]


def _are_similar(one: str, other: str, min_share: float) -> bool:
    min_common = min_share * min(len(one), len(other))
    return LCSseq.similarity(one, other, score_cutoff=int(min_common)) >= min_common


def _find_common_ancestor(nodes: Nodes, members: list[int], roots: list[int]) -> int:
    first, last = members[0], members[-1]
    ancestor = first
    while nodes.end[ancestor] <= last and ancestor not in roots:
        ancestor = nodes.parent[ancestor]
    return ancestor if nodes.end[ancestor] > last else first
