"""Title: the same lower-case words. Punctuation is ignored, since a page and its metadata often differ in it."""

from __future__ import annotations

from broadsheet.text import fold_words


def score_title(output: str | None, gold: str) -> float:
    """Return 1 if both titles have the same words, else 0. A missing title is not a match."""
    return float(output is not None and fold_words(output) == fold_words(gold))
