"""Exact match: the same words in the same order (article-extraction-benchmark calls it accuracy)."""

from __future__ import annotations

from collections.abc import Sequence


def is_exact(output: Sequence[str], gold: Sequence[str]) -> bool:
    """Return whether two texts have the same words in the same order."""
    return list(output) == list(gold)
