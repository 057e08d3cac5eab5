"""Text density: CETD by elements (Sun, Song, Liao, SIGIR 2011), MCSTD by lines.

CETD: the density of an element is its characters by its tags; the composite density also weighs its links. The sum of
an element is that of the densities of its children. Elements at least as dense as the sparsest one on the path to the
element with the largest sum contain the text: in each of them, the element with the largest sum is kept.

MCSTD is described in the paper of TWCEM in one sentence: the continuous run of lines whose text densities, less their
mean, have the largest sum.
"""

from __future__ import annotations

import re
from html import unescape

import numpy as np
from numpy.typing import NDArray

from broadsheet.page import TEXT, Nodes, read_page

_REMOVED = re.compile(r"<!--.*?-->|<(script|style|noscript)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


def extract_by_cetd(html: str) -> str:
    """Return the text of the elements with the largest sums of composite density."""
    nodes = read_page(html).nodes
    visible = {row for _, rows, _, _ in nodes.runs for row in rows}
    if not visible or not nodes.rows["body"]:
        return ""
    density = _measure_composite(nodes, visible)
    sums = np.zeros(len(nodes))
    for row in range(1, len(nodes)):
        sums[nodes.parent[row]] += density[row]
    body = nodes.rows["body"][0]
    best = body + int(sums[body : nodes.end[body]].argmax())
    path = [row for row in (best, *nodes.ancestors(best)) if body <= row]
    threshold = min(density[row] for row in path)
    kept: set[int] = set()
    row = body
    while row < nodes.end[body]:
        if nodes.tag[row] != TEXT and density[row] >= threshold and row not in path[1:]:
            chosen = row + int(sums[row : nodes.end[row]].argmax())
            kept.update(range(chosen, nodes.end[chosen]))
            row = nodes.end[row]
        else:
            row += 1
    return "\n".join(nodes.text[row] for row in sorted(visible & kept))


def _measure_composite(nodes: Nodes, visible: set[int]) -> NDArray[np.float64]:
    """Return the composite density of each element: characters C, tags T, those in links LC and LT."""
    size = len(nodes)
    chars, tags, link_chars, link_tags = (np.zeros(size) for _ in range(4))
    linked = {row for _, _, rows, _ in nodes.runs for row in rows}
    for row in range(size - 1, -1, -1):
        if nodes.tag[row] == TEXT:
            length = len(" ".join(nodes.text[row].split())) if row in visible else 0
            chars[row] += length
            link_chars[row] += length if row in linked else 0
        above = nodes.parent[row]
        if above >= 0:
            for column in (chars, tags, link_chars, link_tags):
                column[above] += column[row]
            tags[above] += nodes.tag[row] != TEXT
            link_tags[above] += nodes.tag[row] == "a"
    tags, links, link_tags = np.maximum(tags, 1), np.maximum(link_chars, 1), np.maximum(link_tags, 1)
    plain = np.maximum(chars - link_chars, 1)
    whole = max(chars[0], 1)
    base = np.log(chars / plain * link_chars + link_chars[0] / whole * chars + np.e)
    composite: NDArray[np.float64] = (
        chars / tags * np.log(np.maximum(chars / links * tags / link_tags, 1)) / np.log(base + 1)
    )
    composite[[row for row in range(size) if nodes.tag[row] == TEXT]] = 0
    return composite


def extract_by_mcstd(html: str) -> str:
    """Return the run of lines with the largest sum of densities above their mean."""
    lines = [line for line in _REMOVED.sub("", html).split("\n") if line.strip()]
    if not lines:
        return ""
    texts = [_TAG.sub("", line).strip() for line in lines]
    density = np.array([len(text) / max(line.count("<"), 1) for text, line in zip(texts, lines, strict=True)])
    excess = (density - density.mean()).tolist()
    best, first, last = -np.inf, 0, 0
    total, start = 0.0, 0
    for line, value in enumerate(excess):
        if total <= 0:
            total, start = 0.0, line
        total += value
        if total > best:
            best, first, last = total, start, line
    return "\n".join(unescape(text) for text in texts[first : last + 1])
