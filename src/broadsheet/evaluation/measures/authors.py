"""Authors: F1 of the two sets of names, per page; a wrong author costs as much as a missing one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from broadsheet.evaluation.measures.overlap import score_bags
from broadsheet.text import fold_words


def score_authors(output: Sequence[str], gold: Sequence[str]) -> float:
    """Compare names, folded to lower-case words."""
    left, right = set(map(fold_words, output)), set(map(fold_words, gold))
    return score_bags(Counter(left - {""}), Counter(right - {""})).f1
