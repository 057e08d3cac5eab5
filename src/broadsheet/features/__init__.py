"""Blocks to named numbers, and the words that they are counted in."""

from broadsheet.features.words import fold_words, split_texts, split_words

__all__ = ["fold_words", "split_texts", "split_words"]
