"""Word P/R/F1: bags of words, lower-case; single characters in CJK, Thai and their like.

Source: the token overlap of SQuAD (Rajpurkar et al. 2016) and of WCXB, per page, then averaged over pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from broadsheet.evaluation.measures.overlap import Score, score_bags


def score_words(output: Sequence[str], gold: Sequence[str]) -> Score:
    """Compare the words of two texts, wherever they stand."""
    return score_bags(Counter(output), Counter(gold))
