"""Dynamic noise: the places where links gather (section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from broadsheet.methods.stadynot.config import StadynotConfig
from broadsheet.page import Nodes


def find_links(nodes: Nodes) -> list[int]:
    """Rows of all `<a>`, in order."""
    return [row for row, tag in enumerate(nodes.tag) if tag == "a"]


def find_candidates(nodes: Nodes, links: Sequence[int]) -> set[int]:
    """Find the least common ancestors of the links: candidates for noise.

    The document writes a path string for every link, such as 0(html)-1(body)-12(div)-3(a), and compares them; the node
    table holds the same paths. The ancestors of all pairs of links are those of neighbouring links.
    """
    return {_find_common_ancestor(nodes, before, after) for before, after in pairwise(links)}


def _find_common_ancestor(nodes: Nodes, before: int, after: int) -> int:
    above = before
    while nodes.end[above] <= after:
        above = nodes.parent[above]
    return above


@dataclass(frozen=True, slots=True)
class TextCounts:
    """Characters of every shown text node, spaces included, by row; and of those in links."""

    text: Sequence[int]
    link_text: Sequence[int]


def count_text(nodes: Nodes, links: Sequence[int]) -> TextCounts:
    """Count the characters of all text that is shown."""
    text, link_text, in_link = [0] * len(nodes), [0] * len(nodes), bytearray(len(nodes))
    for row in links:
        in_link[row : nodes.end[row]] = b"\1" * (nodes.end[row] - row)
    for _, rows, _, _ in nodes.runs:
        for row in rows:
            text[row] = len(" ".join(nodes.text[row].split()))
            if in_link[row]:
                link_text[row] = text[row]
    return TextCounts(text, link_text)


def mark_dynamic_noise(
    nodes: Nodes, candidates: set[int], counts: TextCounts, is_static: Sequence[int], config: StadynotConfig
) -> list[int]:
    """Choose the candidates that are noise, by the two filters. `is_static` tells, for each row, what 3.1 has marked.

    Read literally, all text of a node counts, and a page whose menus are a fifth of its text is noise as a whole. With
    `counts_noise` off, which is how we ship it, text that is marked already does not count in the nodes around it.
    """
    text, link_text, parent = list(counts.text), list(counts.link_text), nodes.parent
    noise: list[int] = []
    for row in range(len(nodes) - 1, 0, -1):  # from the leaves up; the root has nothing around it
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
    """Filter candidates: little text outside links, or a large share of links (α and β)."""
    return text - link_text < config.min_text or link_text > config.max_link_share * text
