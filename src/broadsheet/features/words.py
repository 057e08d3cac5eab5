"""Words of any language: what counts as one when texts are compared."""

from __future__ import annotations

import re
import unicodedata

# Scripts that put no spaces between words count by character: Thai, Lao, Burmese and Khmer; kana and Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_ANY_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_SPACED_WORD = re.compile(r"\w+")
_UNSPACED_CHAR = re.compile(f"[{_UNSPACED}]")


def split_words(text: str) -> list[str]:
    """Split a text into words in lower case; single characters where the script does not part words."""
    if text.isascii():
        return _SPACED_WORD.findall(text.lower())
    text = unicodedata.normalize("NFC", text).lower()
    pattern = _ANY_WORD if _UNSPACED_CHAR.search(text) else _SPACED_WORD
    return pattern.findall(text)


def fold_words(text: str) -> str:
    """Reduce a text to its words in lower case with one space between them: for comparing short texts."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return " ".join(_SPACED_WORD.findall(text.lower()))
