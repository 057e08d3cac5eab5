"""Words of any language, for comparing texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from broadsheet.html.normalize import normalize_text
from broadsheet.text.patterns import compile_later

# Scripts without spaces between words: Thai, Lao, Burmese and Khmer; kana and Han. Each character counts as a word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_ANY_WORD = compile_later(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_SPACED_WORD = re.compile(r"\w+")
# The same patterns, which also match the separator between texts. (`\0|\w+` would take twice as long.)
_ANY_WORD_OR_SEPARATOR = compile_later(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|\0")
_SPACED_WORD_OR_SEPARATOR = re.compile(r"[\w\0]+")
_SEPARATOR = "\0"
_UNSPACED_CHAR = compile_later(f"[{_UNSPACED}]")


def split_words(text: str) -> list[str]:
    """Split a text into lower-case words; single characters in scripts without spaces between words."""
    if text.isascii():
        return _SPACED_WORD.findall(text.lower())
    text = normalize_text(text).lower()
    pattern = _ANY_WORD if _UNSPACED_CHAR.search(text) else _SPACED_WORD
    return pattern.findall(text)


def split_texts(texts: Sequence[str]) -> list[list[str]]:
    """Split each text as `split_words` does, with one search over all of them: faster for many short texts."""
    joined = f" {_SEPARATOR} ".join(texts)
    if joined.count(_SEPARATOR) != len(texts) - 1:  # no texts, or a text contains the separator
        return [split_words(text) for text in texts]
    if joined.isascii():
        words = _SPACED_WORD_OR_SEPARATOR.findall(joined.lower())
    else:
        joined = normalize_text(joined).lower()
        pattern = _ANY_WORD_OR_SEPARATOR if _UNSPACED_CHAR.search(joined) else _SPACED_WORD_OR_SEPARATOR
        words = pattern.findall(joined)
    borders = [-1, *(index for index, word in enumerate(words) if word == _SEPARATOR), len(words)]
    return [words[first + 1 : last] for first, last in pairwise(borders)]


def fold_words(text: str) -> str:
    """Reduce a text to its lower-case words with single spaces between them, for comparing short texts."""
    return _fold_short(text) if len(text) <= _MAX_CACHED_CHARS else _fold(text)


def _fold(text: str) -> str:
    return " ".join(_SPACED_WORD.findall(normalize_text(text).lower()))


# Titles and names are compared several times: half of the short texts of a page were folded before.
_MAX_CACHED_CHARS = 400
_fold_short = lru_cache(256)(_fold)
