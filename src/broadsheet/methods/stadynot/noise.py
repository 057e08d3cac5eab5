"""Dynamic noise, regions dense in links (section 3.2), and tags without information (3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from broadsheet.methods.stadynot.config import StadynotConfig
from broadsheet.page import Nodes, tags

# The paper's "non-informative formatting tags".
NON_INFORMATIVE = frozenset(
    "img link script style noscript embed object param form input caption meta textarea".split()
)
_IN_BLOCKS = NON_INFORMATIVE - tags.DROPPED  # segmentation drops the others


def find_links(nodes: Nodes) -> list[int]:
    """Return the rows of all `<a>`, in order."""
    return [row for row, tag in enumerate(nodes.tag) if tag == "a"]


def find_candidates(nodes: Nodes, links: Sequence[int]) -> set[int]:
    """Return the candidates for noise: the least common ancestors of links.

    The paper writes a path for every link, for example 0(html)-1(body)-12(div)-3(a), and compares the strings; the node
    table holds the same paths. Neighbouring links have the same set of common ancestors as all pairs of links.
    """
    return {_find_common_ancestor(nodes, before, after) for before, after in pairwise(links)}


def _find_common_ancestor(nodes: Nodes, before: int, after: int) -> int:
    ancestor = before
    while nodes.end[ancestor] <= after:
        ancestor = nodes.parent[ancestor]
    return ancestor


@dataclass(frozen=True, slots=True)
class TextCounts:
    """Characters of every visible text node by row, spaces included; 0 for all other rows."""

    text: Sequence[int]
    link_text: Sequence[int]  # the part of it that is in links


def count_text(nodes: Nodes, links: Sequence[int], config: StadynotConfig) -> TextCounts:
    """Count the characters of all visible text. White space in a row is one space, as it is shown."""
    text, link_text, in_link = [0] * len(nodes), [0] * len(nodes), bytearray(len(nodes))
    for row in links:
        in_link[row : nodes.end[row]] = b"\1" * (nodes.end[row] - row)
    for _, rows, _, _ in nodes.runs:
        for row in rows:
            text[row] = len(_fold_space(nodes.text[row], with_ends=config.counts_outer_space))
            if in_link[row]:
                link_text[row] = text[row]
    return TextCounts(text, link_text)


def _fold_space(text: str, *, with_ends: bool) -> str:
    folded = " ".join(text.split())
    if not with_ends:
        return folded
    if not folded:
        return " " if text else ""
    return " " * text[0].isspace() + folded + " " * text[-1].isspace()


def mark_dynamic_noise(
    nodes: Nodes, candidates: set[int], counts: TextCounts, is_static: Sequence[int], config: StadynotConfig
) -> list[int]:
    """Return the candidates that are noise by one of the two filters. `is_static` flags the rows that 3.1 marked.

    Read literally, all text of a node counts, and a page with a fifth of its text in menus is noise as a whole. Without
    `counts_noise` (as shipped), text that is already marked does not count in the nodes around it.
    """
    text, link_text, parent = list(counts.text), list(counts.link_text), nodes.parent
    noise: list[int] = []
    for row in range(len(nodes) - 1, 0, -1):  # from the leaves up to the children of the root
        if (
            row in candidates
            and nodes.tag[row] not in config.spared_tags
            and _is_noise(text[row], link_text[row], config)
        ):
            noise.append(row)
            if not config.counts_noise:
                continue
        if text[row] and (config.counts_noise or not is_static[row]):
            above = parent[row]
            text[above] += text[row]
            link_text[above] += link_text[row]
    return noise


def _is_noise(text: int, link_text: int, config: StadynotConfig) -> bool:
    """Apply the filters: little text outside links (α), or a large share of text in links (β)."""
    return text - link_text < config.min_text or link_text > config.max_link_share * text


def find_non_informative(nodes: Nodes, counts: TextCounts, config: StadynotConfig) -> list[int]:
    """Return the rows of non-informative tags, except forms that hold most of the page's text."""
    rows = [row for row, tag in enumerate(nodes.tag) if tag in _IN_BLOCKS]
    if config.max_form_share >= 1 or not rows:
        return rows
    max_chars = config.max_form_share * sum(counts.text)
    return [row for row in rows if nodes.tag[row] != "form" or sum(counts.text[row : nodes.end[row]]) <= max_chars]
