"""Cut running text that is too long for a chunk: between sentences, then between words, then between characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from broadsheet.output.chunks.units import Unit
from broadsheet.text.punctuation import CLOSING_QUOTES, RARE_ENDS, SENTENCE_ENDS, WIDE_ENDS

_CLOSING = re.escape(CLOSING_QUOTES + ")]）」』")
# After the end of a sentence: white space; none in Chinese and Japanese.
_SENTENCE_BORDER = re.compile(
    rf"[{re.escape(SENTENCE_ENDS + RARE_ENDS)}][{_CLOSING}]{{0,3}}(\s+)|[{WIDE_ENDS}][{_CLOSING}]{{0,3}}()"
)
_WORD_BORDER = re.compile(r"(\s+)")
_JOINER = "\u200d"  # joins the characters of one emoji


def split_sentences(text: str, unit: Unit) -> tuple[Unit, ...]:
    """Return the sentences of a unit."""
    return tuple(_split(text, unit, _SENTENCE_BORDER))


def split_words(text: str, unit: Unit) -> tuple[Unit, ...]:
    """Return the words of a unit, each with its punctuation."""
    return tuple(_split(text, unit, _WORD_BORDER))


def split_characters(text: str, unit: Unit) -> tuple[Unit, ...]:
    """Return the characters of a unit, each with its accents."""
    borders = [at for at in range(unit.start + 1, unit.end) if not _is_joined(text, at)]
    return tuple(Unit(*span) for span in zip((unit.start, *borders), (*borders, unit.end), strict=True))


def _split(text: str, unit: Unit, border: re.Pattern[str]) -> Iterator[Unit]:
    start = unit.start
    for match in border.finditer(text, unit.start, unit.end):
        gap_start, gap_end = match.span(match.lastindex or 0)
        if start < gap_start:
            yield Unit(start, gap_start)
        start = gap_end
    if start < unit.end:
        yield Unit(start, unit.end)


def _is_joined(text: str, at: int) -> bool:
    """Return whether a character belongs to the one before it."""
    is_mark = unicodedata.category(text[at]) in ("Mn", "Mc", "Me") or "\U0001f3fb" <= text[at] <= "\U0001f3ff"
    return is_mark or text[at] == _JOINER or text[at - 1] == _JOINER
