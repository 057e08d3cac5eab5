"""CEPR: content extraction via tag path features (Wu, Li, Hu, Ding: Web news extraction via path ratios, CIKM 2013).

All text nodes with the same path of tags share a ratio: their characters and punctuation marks per node, times the
standard deviations of both. The ratios of the page's text nodes in order are smoothed by a Gaussian that weighs a
neighbour less, the more its path differs. Nodes above a share of the standard deviation are content.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict

import numpy as np
from rapidfuzz.distance import Levenshtein

from broadsheet.page import TEXT, read_page

_RADIUS = 1
_SHARE = 0.8  # of the standard deviation


def extract_by_cepr(html: str) -> str:
    """Return the text nodes whose path has a high ratio."""
    nodes = read_page(html).nodes
    rows = [row for _, run, _, _ in nodes.runs for row in run if nodes.tag[row] == TEXT and nodes.text[row].strip()]
    if not rows:
        return ""
    texts = [" ".join(nodes.text[row].split()) for row in rows]
    paths = [tuple(nodes.tag[above] for above in nodes.ancestors(row)) for row in rows]
    marks = [sum(unicodedata.category(char)[0] == "P" for char in text) for text in texts]
    by_path: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for path, text, count in zip(paths, texts, marks, strict=True):
        by_path[path].append((len(text), count))
    ratio_of = {path: _measure(np.array(values, np.float64)) for path, values in by_path.items()}
    ratios = np.array([ratio_of[path] for path in paths])
    smoothed = np.zeros(len(ratios))
    for at in range(len(ratios)):
        near = range(max(0, at - _RADIUS), min(len(ratios), at + _RADIUS + 1))
        distances = [Levenshtein.distance(paths[at], paths[other]) for other in near]
        weights = [np.exp(-((at - other) ** 2) / 2) / (1 + far) for other, far in zip(near, distances, strict=True)]
        smoothed[at] = np.average(ratios[near.start : near.stop], weights=weights)
    return "\n".join(text for text, value in zip(texts, smoothed, strict=True) if value > _SHARE * smoothed.std())


def _measure(values: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> float:
    chars, marks = values.mean(axis=0)
    spread = values.std(axis=0) + 1  # a path with one node has no deviation
    return float(chars * marks * spread[0] * spread[1])
