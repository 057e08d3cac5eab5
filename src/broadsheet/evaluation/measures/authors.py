"""Authors: F1 of the two sets of names of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from broadsheet.evaluation.measures.overlap import score_bags
from broadsheet.text import fold_words


def score_authors(output: Sequence[str], gold: Sequence[str]) -> float:
    """Return the F1 of the names, folded to lower-case words."""
    output_names, gold_names = set(map(fold_words, output)), set(map(fold_words, gold))
    return score_bags(Counter(output_names - {""}), Counter(gold_names - {""})).f1
