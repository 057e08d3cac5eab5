"""Dynamic noise: the places where links gather (section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence

from broadsheet.methods.stadynot.config import StadynotConfig
from broadsheet.page import Nodes


def find_candidates(nodes: Nodes) -> set[int]:
    """Find the least common ancestors of the links: candidates for noise.

    The document writes a path string for every link, such as 0(html)-1(body)-12(div)-3(a), and compares them; the node
    table holds the same paths. The ancestors of all pairs of links are those of neighbouring links.
    """
    found: set[int] = set()
    last = -1
    for row, tag in enumerate(nodes.tag):
        if tag == "a":
            if last >= 0:
                found.add(_find_common_ancestor(nodes, last, row))
            last = row
    return found


def _find_common_ancestor(nodes: Nodes, before: int, after: int) -> int:
    above = nodes.parent[before] if nodes.end[before] <= after else before
    while nodes.end[above] <= after:
        above = nodes.parent[above]
    return above


def mark_dynamic_noise(
    nodes: Nodes, candidates: set[int], is_marked: Sequence[int], config: StadynotConfig
) -> list[int]:
    """Choose the candidates that are noise, by the two filters. `is_marked` tells static noise, for each row.

    Read literally, all text of a node counts, and a page whose menus are a fifth of its text is noise as a whole. With
    `counts_noise` off, which is how we ship it, text that is marked already does not count in the nodes around it.
    """
    text, link_text = count_text(nodes)
    noise: list[int] = []
    for row in range(len(nodes) - 1, -1, -1):
        if is_marked[row] and not config.counts_noise:
            continue
        is_noise = row in candidates and nodes.tag[row] != "p" and _is_linked(text[row], link_text[row], config)
        if is_noise:
            noise.append(row)
        above = nodes.parent[row]
        if above >= 0 and (config.counts_noise or not is_noise):
            text[above] += text[row]
            link_text[above] += link_text[row]
    return noise


def _is_linked(text: int, link_text: int, config: StadynotConfig) -> bool:
    """Tell noise by the filters: little text outside links, or a large share of links (α and β)."""
    return text - link_text < config.min_text or link_text > config.max_link_share * text


def count_text(nodes: Nodes) -> tuple[list[int], list[int]]:
    """Count the characters of every shown text node, spaces included, and those in links."""
    text, link_text = [0] * len(nodes), [0] * len(nodes)
    link_ends = 0
    shown = {row for _, rows, _, _ in nodes.runs for row in rows}
    for row, tag in enumerate(nodes.tag):
        if tag == "a":
            link_ends = max(link_ends, nodes.end[row])
        elif row in shown:
            text[row] = len(" ".join(nodes.text[row].split()))
            link_text[row] = text[row] if row < link_ends else 0
    return text, link_text
