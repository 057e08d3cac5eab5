"""Word P/R/F1: multisets of lower-case words, or of characters in scripts without spaces such as CJK and Thai.

Source: the token overlap of SQuAD (Rajpurkar et al. 2016) and of WCXB, per page, then averaged over pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from broadsheet.evaluation.measures.overlap import Score, score_bags


def score_words(output: Sequence[str], gold: Sequence[str]) -> Score:
    """Compare the words of two texts, regardless of their order."""
    return score_bags(Counter(output), Counter(gold))
