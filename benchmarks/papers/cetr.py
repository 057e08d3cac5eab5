"""CETR with a threshold (Weninger, Hsu, Han: CETR, WWW 2010), the competitor of TWCEM whose time is compared.

Each line of the source has a ratio of text characters to tags. The ratios are smoothed, and lines above their standard
deviation are content. The published CETR also clusters the ratios and their differences in two dimensions.
"""

from __future__ import annotations

import re
from html import unescape

import numpy as np

_SMOOTHING_RADIUS = 2  # lines; as published
_REMOVED = re.compile(r"<!--.*?-->|<(script|style|noscript)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


def extract_by_cetr(html: str) -> str:
    """Return the text of the lines with a high ratio of text to tags."""
    lines = [line for line in _REMOVED.sub("", html).split("\n") if line.strip()]
    texts = [_TAG.sub("", line).strip() for line in lines]
    if not lines:
        return ""
    tags = np.array([line.count("<") for line in lines])
    ratios = np.array([len(text) for text in texts]) / np.maximum(tags, 1)
    offsets = np.arange(-_SMOOTHING_RADIUS, _SMOOTHING_RADIUS + 1)
    kernel = np.exp(-(offsets**2) / (2 * _SMOOTHING_RADIUS**2))
    smoothed = np.convolve(ratios, kernel / kernel.sum(), mode="same")[: len(lines)]
    is_content = smoothed > smoothed.std()
    return "\n".join(unescape(text) for text, is_kept in zip(texts, is_content.tolist(), strict=True) if is_kept)
