"""Clean the text of metadata."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from broadsheet.text import fold_text
from broadsheet.text.patterns import compile_later

_SURROGATE = compile_later("[\ud800-\udfff]")
_FORMATTING_TAG = compile_later(
    r"</?(?:a|b|big|br|div|em|font|h[1-6]|i|li|p|small|span|strong|su[bp]|u)(?:\s[^<>]{0,200})?/?>", re.IGNORECASE
)
_MAX_CHARS = 5_000
_MAX_TEXTS = 50


def clean_text(raw: str) -> str:
    """Fold white space, resolve entities that were escaped twice, and drop formatting tags and broken characters."""
    text = raw[:_MAX_CHARS]
    if "&" in text:
        text = html.unescape(html.unescape(text))
    if "<" in text:
        text = _FORMATTING_TAG.sub(" ", text)
    # JSON can contain half a surrogate pair, which UTF-8 cannot encode.
    if not text.isascii() and _SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    return fold_text(text)


def clean_texts(raw_texts: Iterable[str], *, max_texts: int = _MAX_TEXTS) -> Iterator[str]:
    """Clean the first texts, without duplicates: a page can state the same value a thousand times."""
    return map(clean_text, dict.fromkeys(islice(raw_texts, max_texts)))
