"""Emphasis that Markdown can express.

CommonMark (section 6.2) reads `**` as the start of bold only if it is "left-flanking": it is not followed by a space,
and if it is followed by punctuation, it is preceded by a space or punctuation. For the end the same holds in reverse.
So `<b>Rome:</b>here` cannot be written as `**Rome:**here`. The colon is moved out of the bold text: `**Rome**:here`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from broadsheet.article.parts import Run
from broadsheet.output.runs import join_runs, keep_common_formatting

_ASCII_SYMBOLS = frozenset("$+<=>^`|~")
_EDGE = Run(" ")
_MAX_PASSES = 4


def move_punctuation(runs: list[Run]) -> list[Run]:
    """Move punctuation out of bold and italic where Markdown cannot mark it.

    The runs are tidy and have no links or code. Before and after them is white space, a bracket or a code mark.
    """
    for _ in range(_MAX_PASSES):
        moved = join_runs(piece for index in range(len(runs)) for piece in _split_run(runs, index))
        if moved == runs:
            return runs
        runs = moved
    # A pass can affect a neighbour that consists of punctuation only. Real pages need fewer passes.
    return join_runs(replace(run, is_bold=False, is_italic=False) for run in runs)


def choose_italic_mark(run: Run, before: Run | None, after: Run | None) -> str:
    """Choose `_`, or `*` inside a word, or "" where `*` would be read as part of the `**` of bold."""
    if not run.is_italic:
        return ""
    before, after = before or _EDGE, after or _EDGE
    if _is_space_or_punctuation(before.text[-1]) and _is_space_or_punctuation(after.text[0]):
        return "_"
    return "*" if before.is_bold == run.is_bold == after.is_bold else ""


def _split_run(runs: Sequence[Run], index: int) -> list[Run]:
    """Split a run into punctuation moved out at the start, the rest, and punctuation moved out at the end."""
    run = runs[index]
    if not run.is_bold and not run.is_italic:
        return [run]
    before = runs[index - 1] if index else _EDGE
    after = runs[index + 1] if index + 1 < len(runs) else _EDGE
    leading, trailing = keep_common_formatting(run, before), keep_common_formatting(run, after)
    text = run.text
    start = _count_moved(text, before.text[-1]) if run != leading else 0
    stop = len(text) - (_count_moved(text[::-1], after.text[0]) if run != trailing else 0)
    if start >= stop:
        return [keep_common_formatting(leading, after)]
    pieces = [replace(leading, text=text[:start])] if start else []
    pieces.append(replace(run, text=text[start:stop]))
    if stop < len(text):
        pieces.append(replace(trailing, text=text[stop:]))
    return pieces


def _count_moved(text: str, outside: str) -> int:
    """Count the characters to move out at the start of a text, given the character before it.

    White space is always moved: it gets to the edge of a run when the punctuation next to it was moved.
    """
    if text[0].isspace():
        return len(text) - len(text.lstrip())
    if _is_letter(text[0]) or _is_space_or_punctuation(outside):
        return 0
    return next((offset for offset, char in enumerate(text) if _is_letter(char)), len(text))


# Versions of CommonMark differ on whether symbols (€, ™) are punctuation. Neither function counts them.


def _is_letter(char: str) -> bool:
    """Return True if a mark can be next to a character whatever is on the other side of the mark."""
    return unicodedata.category(char)[0] not in "PSZ" and not char.isspace()


def _is_space_or_punctuation(char: str) -> bool:
    """Return True if a character is white space or punctuation in all versions of CommonMark."""
    return char.isspace() or char in _ASCII_SYMBOLS or unicodedata.category(char)[0] == "P"
