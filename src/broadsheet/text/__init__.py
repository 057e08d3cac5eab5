"""Text primitives that several folders share: words, class names, sentence marks."""

from broadsheet.text.words import fold_words, split_texts, split_words

__all__ = ["fold_words", "split_texts", "split_words"]
