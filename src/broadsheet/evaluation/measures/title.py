"""Title: alike when folded to lower-case words (punctuation and quotes differ between a page and its metadata)."""

from __future__ import annotations

from broadsheet.text import fold_words


def score_title(output: str | None, gold: str) -> float:
    """1 for a match, else 0; no title is no match."""
    return float(output is not None and fold_words(output) == fold_words(gold))
