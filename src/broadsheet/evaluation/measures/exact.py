"""Exact match: the same words in the same order (article-extraction-benchmark calls it accuracy)."""

from __future__ import annotations

from collections.abc import Sequence


def is_exact(output: Sequence[str], gold: Sequence[str]) -> bool:
    """Tell whether the two texts, given as words, are alike."""
    return list(output) == list(gold)
