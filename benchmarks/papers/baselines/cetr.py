"""CETR (Weninger, Hsu, Han: CETR, content extraction via tag ratios, WWW 2010).

Each line of the source has a ratio of text characters to tags. The ratios are smoothed by a Gaussian of radius 2. With
a threshold, the lines above their standard deviation are kept. CETR adds the smoothed absolute differences of the
ratios as a second dimension, and clusters the lines by k-means with three centres, of which one stays at the origin:
its lines are dropped.
"""

from __future__ import annotations

import re
from html import unescape

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_RADIUS = 2  # lines; as published
_CLUSTERS = 3
_ROUNDS = 50
_REMOVED = re.compile(r"<!--.*?-->|<(script|style|noscript)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


def extract_by_cetr(html: str) -> str:
    """Return the text of the lines with a high ratio of text to tags."""
    texts, ratios = _measure_lines(html)
    return _join(texts, ratios > ratios.std())


def extract_by_clusters(html: str) -> str:
    """Return the text of the lines that are not in the cluster at the origin."""
    texts, ratios = _measure_lines(html)
    if not texts:
        return ""
    padded = np.concatenate((ratios, np.repeat(ratios[-1:], _RADIUS)))
    ahead = np.array([padded[line + 1 : line + 1 + _RADIUS].mean() for line in range(len(ratios))])
    changes = _smooth(np.abs(ahead - ratios))
    return _join(texts, _cluster(np.stack((ratios, changes), axis=1)) > 0)


def _measure_lines(html: str) -> tuple[list[str], Floats]:
    """Return the texts of the lines that are not empty, and their smoothed ratios."""
    lines = [line for line in _REMOVED.sub("", html).split("\n") if line.strip()]
    texts = [_TAG.sub("", line).strip() for line in lines]
    tags = np.array([line.count("<") for line in lines])
    ratios = np.array([len(text) for text in texts]) / np.maximum(tags, 1)
    return texts, _smooth(ratios) if texts else ratios


def _smooth(values: Floats) -> Floats:
    offsets = np.arange(-_RADIUS, _RADIUS + 1)
    kernel = np.exp(-(offsets**2) / (2 * _RADIUS**2))
    return np.convolve(values, kernel / kernel.sum(), mode="same")[: len(values)]


def _cluster(points: Floats) -> NDArray[np.intp]:
    """Return the cluster of each point; 0 is the one at the origin. Centres start on the diagonal, evenly spaced."""
    centres = np.outer(np.linspace(0, 1, _CLUSTERS), points.max(axis=0))
    nearest = np.zeros(len(points), np.intp)
    for _ in range(_ROUNDS):
        nearest = np.linalg.norm(points[:, None] - centres[None], axis=2).argmin(axis=1)
        moved = centres.copy()
        for cluster in range(1, _CLUSTERS):
            if (nearest == cluster).any():
                moved[cluster] = points[nearest == cluster].mean(axis=0)
        if np.allclose(moved, centres):
            break
        centres = moved
    return nearest


def _join(texts: list[str], is_kept: NDArray[np.bool_]) -> str:
    return "\n".join(unescape(text) for text, kept in zip(texts, is_kept.tolist(), strict=True) if kept)
