"""Words of any language: what counts as one when texts are compared."""

from __future__ import annotations

import re

# Scripts that put no spaces between words count by character: Thai, Lao, Khmer, Burmese, kana and Han.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


def split_words(text: str) -> list[str]:
    """Split a text into case-folded words; single characters where the script does not part words."""
    return _WORD.findall(text.casefold())
