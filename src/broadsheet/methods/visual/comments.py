"""Where the readers' comments begin: texts that are alike, one close to the other (section 3.4.1, post-processing)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rapidfuzz.distance import LCSseq

from broadsheet.methods.visual.config import VisualConfig
from broadsheet.methods.visual.nce import TextNodes
from broadsheet.page import Nodes

_MAX_NODES = 400  # of the list L that are compared; a page with more has long shown whether they repeat
_COMPONENT = 3  # nodes of a connected component that are a comment section


def find_comments(nodes: Nodes, text: TextNodes, forest: Iterable[int], config: VisualConfig) -> int | None:
    """Find the row z where the comments begin: it and all rows after it are none of the article.

    Nodes of L are joined as they come, and the first component of three decides. Where its nodes have no common
    ancestor within the forest, the first of them is z.
    """
    roots = list(forest)
    listed = [row for _, row in zip(range(_MAX_NODES), _list_nodes(nodes, text, roots, config), strict=False)]
    texts = [nodes.text_of(row) for row in listed]
    component = list(range(len(listed)))  # number of the component of each
    for at, own in enumerate(texts):
        for before in range(max(0, at - config.beta_5), at):
            if component[before] != component[at] and _are_alike(texts[before], own, config.beta_6):
                old, new = component[at], component[before]
                component = [new if number == old else number for number in component]
        members = [listed[other] for other in range(at + 1) if component[other] == component[at]]
        if len(members) >= _COMPONENT:
            return _find_common_ancestor(nodes, members, roots)
    return None


def _list_nodes(nodes: Nodes, text: TextNodes, roots: list[int], config: VisualConfig) -> Iterator[int]:
    """Go depth-first through the forest; list the first node on each way down that has α1 to α2 characters."""
    for root in roots:
        row, end = root, nodes.end[root]
        while row < end:
            length = text.length(row)
            if config.alpha_1 <= length <= config.alpha_2:
                yield row
            # Below a node with less, there is less.
            row = row + 1 if length > config.alpha_2 else nodes.end[row]


def _are_alike(one: str, other: str, share: float) -> bool:
    least = share * min(len(one), len(other))
    return LCSseq.similarity(one, other, score_cutoff=int(least)) >= least


def _find_common_ancestor(nodes: Nodes, members: list[int], roots: list[int]) -> int:
    first, last = members[0], members[-1]
    above = first
    while nodes.end[above] <= last and above not in roots:
        above = nodes.parent[above]
    return above if nodes.end[above] > last else first
