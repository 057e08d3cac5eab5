"""Emphasis that Markdown can express.

CommonMark (section 6.2) takes `**` for the start of bold only if it is "left-flanking": what follows is no space, and
if it is punctuation, then what stands before is a space or punctuation too; for the end the same in the mirror. So
`<b>Rome:</b>here` cannot be written as `**Rome:**here`. The way out is to move the colon: `**Rome**:here`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from broadsheet.article.parts import Run
from broadsheet.output.runs import join_runs, keep_common_look

_ASCII_SYMBOLS = frozenset("$+<=>^`|~")
_EDGE = Run(" ")
_MOST_PASSES = 4


def settle_looks(runs: list[Run]) -> list[Run]:
    """Take punctuation out of bold and italic where a mark could not stand beside it.

    Runs are tidy, without links or code; around all of them there is white space, a bracket or a code mark.
    """
    for _ in range(_MOST_PASSES):
        settled = join_runs(piece for at in range(len(runs)) for piece in _settle_run(runs, at))
        if settled == runs:
            return runs
        runs = settled
    # Each pass may unsettle a neighbour that is nothing but punctuation. No real text needs this many.
    return join_runs(replace(run, is_bold=False, is_italic=False) for run in runs)


def choose_italic_mark(run: Run, before: Run | None, after: Run | None) -> str:
    """Choose `_`, or `*` inside a word, or nothing where a `*` would melt into the `**` of bold."""
    if not run.is_italic:
        return ""
    before, after = before or _EDGE, after or _EDGE
    if _is_border(before.text[-1]) and _is_border(after.text[0]):
        return "_"
    return "*" if before.is_bold == run.is_bold == after.is_bold else ""


def _settle_run(runs: Sequence[Run], at: int) -> list[Run]:
    """Cut a run into what leaves its look at the start, what keeps it, and what leaves it at the end."""
    run = runs[at]
    if not run.is_bold and not run.is_italic:
        return [run]
    before = runs[at - 1] if at else _EDGE
    after = runs[at + 1] if at + 1 < len(runs) else _EDGE
    lead, tail = keep_common_look(run, before), keep_common_look(run, after)
    text = run.text
    start, end = 0, len(text)
    if run != lead and not _is_solid(text[0]) and not _is_border(before.text[-1]):
        start = next((place for place, char in enumerate(text) if _is_solid(char)), end)
    if run != tail and not _is_solid(text[-1]) and not _is_border(after.text[0]):
        end = next((place for place in range(end, 0, -1) if _is_solid(text[place - 1])), 0)
    if start >= end:
        return [keep_common_look(lead, after)]
    pieces = [replace(lead, text=text[:start])] if start else []
    pieces.append(replace(run, text=text[start:end]))
    if end < len(text):
        pieces.append(replace(tail, text=text[end:]))
    return pieces


# Versions of CommonMark differ on whether symbols (€, ™) are punctuation: neither test may count on them.


def _is_solid(char: str) -> bool:
    """Tell whether a mark may stand before or after a character whatever is on the mark's other side."""
    return unicodedata.category(char)[0] not in "PSZ" and not char.isspace()


def _is_border(char: str) -> bool:
    """Tell whether a character is surely white space or punctuation."""
    return char.isspace() or char in _ASCII_SYMBOLS or unicodedata.category(char)[0] == "P"
