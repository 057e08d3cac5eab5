"""Shingle P/R: multisets of four-word runs, so that the order of words counts.

Source: scrapinghub/article-extraction-benchmark (`evaluate.py`). F1 of a set of pages is the F1 of the averaged
precision and the averaged recall. One difference: there, a page without output does not lower the precision; here its
precision is 0, so that an extractor without output does not get a high precision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from broadsheet.evaluation.measures.overlap import Score, score_bags

SHINGLE_WORDS = 4


def score_shingles(output: Sequence[str], gold: Sequence[str]) -> Score:
    """Compare the four-word runs of two texts, given as words."""
    return score_bags(_count_shingles(output), _count_shingles(gold))


def _count_shingles(words: Sequence[str]) -> Counter[Hashable]:
    if len(words) < SHINGLE_WORDS:
        return Counter([tuple(words)] if words else [])
    columns = (words[shift:] for shift in range(SHINGLE_WORDS))
    return Counter(zip(*columns, strict=False))
