"""Estimate the width of text from average characters."""

from __future__ import annotations

import re

# Average advance widths: of Latin text in the fonts that pages use, and of CJK text, whose characters are square.
_LATIN_CHAR_EM, _CJK_CHAR_EM = 0.5, 1.0
_CJK = re.compile("[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]+")


def estimate_text_width(text: str) -> float:
    """Return the width of a text on one line, in ems."""
    if not text:
        return 0.0
    if "  " in text or "\n" in text:
        text = " ".join(text.split())
    if text.isascii():
        return _LATIN_CHAR_EM * len(text)
    cjk_chars = sum(map(len, _CJK.findall(text)))
    return _LATIN_CHAR_EM * (len(text) - cjk_chars) + _CJK_CHAR_EM * cjk_chars
