"""Snippet score: pieces of text that the output must, or must not, contain.

Source: the evaluation of adbar/trafilatura (`tests/evaluate.py`): a required snippet in the output is a true positive,
one that is missing a false negative, a forbidden one in the output a false positive. Counts are pooled over pages.
White space and case are folded first.
"""

from __future__ import annotations

from collections.abc import Sequence

from broadsheet.evaluation.measures.block import Hits


def count_snippets(output: str, required: Sequence[str], forbidden: Sequence[str]) -> Hits:
    """Count the snippets that are in the output."""
    text = _fold(output)
    right = sum(_fold(snippet) in text for snippet in required)
    extra = sum(_fold(snippet) in text for snippet in forbidden)
    return Hits(right=right, extra=extra, missed=len(required) - right, left_out=len(forbidden) - extra)


def _fold(text: str) -> str:
    return " ".join(text.lower().split())
