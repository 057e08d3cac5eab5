"""White space and invisible characters."""

from __future__ import annotations

_INVISIBLE_CHARS = frozenset("\u00ad\u200b\u2060\ufeff")  # soft hyphen, zero-width space, word joiner, byte-order mark
_REMOVAL_TABLE = {ord(char): None for char in _INVISIBLE_CHARS}


def fold_text(text: str) -> str:
    """Collapse white space to single spaces, strip it at both ends, and remove invisible characters."""
    return " ".join((text if text.isascii() else drop_invisible(text)).split())


def drop_invisible(text: str) -> str:
    """Remove zero-width characters and soft hyphens, which would make equal words differ."""
    if text.isascii() or _INVISIBLE_CHARS.isdisjoint(text):
        return text
    return text.translate(_REMOVAL_TABLE)
