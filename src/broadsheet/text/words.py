"""Words of any language: what counts as one when texts are compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

# Scripts that put no spaces between words count by character: Thai, Lao, Burmese and Khmer; kana and Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_ANY_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_SPACED_WORD = re.compile(r"\w+")
# The same, and a sign that stands between texts. (`\0|\w+` would take twice as long.)
_ANY_OR_BORDER = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|\0")
_SPACED_OR_BORDER = re.compile(r"[\w\0]+")
_BORDER = " \0 "
_UNSPACED_CHAR = re.compile(f"[{_UNSPACED}]")


def split_words(text: str) -> list[str]:
    """Split a text into words in lower case; single characters where the script does not part words."""
    if text.isascii():
        return _SPACED_WORD.findall(text.lower())
    text = unicodedata.normalize("NFC", text).lower()
    pattern = _ANY_WORD if _UNSPACED_CHAR.search(text) else _SPACED_WORD
    return pattern.findall(text)


def split_texts(texts: Sequence[str]) -> list[list[str]]:
    """Split many texts as `split_words` does each: in one go."""
    whole = _BORDER.join(texts)
    if whole.count("\0") != len(texts) - 1:  # a text that has the sign for a border in it; or no text at all
        return [split_words(text) for text in texts]
    if whole.isascii():
        words = _SPACED_OR_BORDER.findall(whole.lower())
    else:
        whole = unicodedata.normalize("NFC", whole).lower()
        pattern = _ANY_OR_BORDER if _UNSPACED_CHAR.search(whole) else _SPACED_OR_BORDER
        words = pattern.findall(whole)
    borders = [-1, *(place for place, word in enumerate(words) if word == "\0"), len(words)]
    return [words[first + 1 : last] for first, last in pairwise(borders)]


def fold_words(text: str) -> str:
    """Reduce a text to its words in lower case with one space between them: for comparing short texts."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return " ".join(_SPACED_WORD.findall(text.lower()))
