"""Snippet score: pieces of text that must, and pieces that must not, be in the output.

Source: the evaluation of adbar/trafilatura (`tests/evaluate.py`): a wanted snippet found is a true positive, one not
found a false negative, an unwanted one found a false positive. Counts are pooled over pages. White space and case are
folded first.
"""

from __future__ import annotations

from collections.abc import Sequence

from broadsheet.evaluation.measures.block import Hits


def count_snippets(output: str, wanted: Sequence[str], unwanted: Sequence[str]) -> Hits:
    """Look for each snippet in the output."""
    text = _fold(output)
    found = sum(_fold(snippet) in text for snippet in wanted)
    leaked = sum(_fold(snippet) in text for snippet in unwanted)
    return Hits(right=found, extra=leaked, missed=len(wanted) - found, left_out=len(unwanted) - leaked)


def _fold(text: str) -> str:
    return " ".join(text.lower().split())
