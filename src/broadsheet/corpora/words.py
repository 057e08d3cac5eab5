"""Text to words, for everything that compares texts: single characters where a script does not part its words."""

from __future__ import annotations

import re
import unicodedata

# Thai, Lao, Myanmar and Khmer; then kana and Chinese characters. Korean parts its words by spaces.
_UNPARTED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{_UNPARTED}]|[^\W{_UNPARTED}]+")
_WESTERN_WORD = re.compile(r"\w+")
_UNPARTED_CHAR = re.compile(f"[{_UNPARTED}]")
_GAP = re.compile(r"\W+")


def split_words(text: str) -> list[str]:
    """Split into lower-case words; CJK, Thai and their like into characters."""
    if text.isascii():
        return _WESTERN_WORD.findall(text.lower())
    text = unicodedata.normalize("NFC", text).lower()
    pattern = _WORD if _UNPARTED_CHAR.search(text) else _WESTERN_WORD
    return pattern.findall(text)


def fold_words(text: str) -> str:
    """Lower-case, with runs of non-word characters folded to one space: for comparing short strings."""
    return _GAP.sub(" ", unicodedata.normalize("NFC", text).lower()).strip()
