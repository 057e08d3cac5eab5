"""Text functions that several folders share: words, identifiers, white space, punctuation and counts."""

from broadsheet.text.counts import format_count
from broadsheet.text.identifiers import hyphenate_camel_case, split_identifiers
from broadsheet.text.white_space import drop_invisible, fold_text
from broadsheet.text.words import fold_words, split_texts, split_words

__all__ = [
    "drop_invisible",
    "fold_text",
    "fold_words",
    "format_count",
    "hyphenate_camel_case",
    "split_identifiers",
    "split_texts",
    "split_words",
]
