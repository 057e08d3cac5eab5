"""Blocks to named numbers, and the words that they are counted in."""

from broadsheet.features.words import split_words

__all__ = ["split_words"]
