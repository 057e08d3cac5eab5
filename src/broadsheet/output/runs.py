"""Prepare runs for writing: fold white space, move it out of formatted text, and join runs of equal formatting.

The formatting of a run is whether it is bold, italic, code, deleted, superscript or subscript, and its link.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Literal

from broadsheet.article.parts import Run
from broadsheet.output.characters import FORBIDDEN, clean_text
from broadsheet.output.links import check_href
from broadsheet.text.patterns import compile_later

# Attributes of Run that are written as nested elements, from the outermost to the innermost.
Formatting = Literal["href", "is_deleted", "script", "is_bold", "is_italic"]
_NESTING: tuple[Formatting, ...] = ("href", "is_deleted", "script", "is_bold", "is_italic")
_read_formatting = attrgetter("is_bold", "is_italic", "is_code", "href", "is_deleted", "script")
_UNFOLDED = compile_later(rf"[^\S\n ]| [ \n]|\n |[{FORBIDDEN}]")
_SPACES = compile_later(r"[^\S\n]+")
_LINE_BREAK = compile_later(r" ?\n ?")


def tidy_runs(runs: Iterable[Run]) -> list[Run]:
    """Fold white space, check links, move white space out of formatted text, and join runs of equal formatting."""
    tidy: list[Run] = []
    gap = ""  # white space since the last text
    for run in runs:
        text = fold_spaces(run.text)
        core = text.strip()
        if not core:
            gap += text
            continue
        leading, _, trailing = text.partition(core)
        stripped = Run(core, run.is_bold, run.is_italic, run.is_code, check_href(run.href), run.is_deleted, run.script)
        if tidy and (gap := gap + leading):
            tidy.append(_make_gap(gap, tidy[-1], stripped))
        tidy.append(stripped)
        gap = trailing
    return join_runs(tidy)


def join_runs(runs: Iterable[Run]) -> list[Run]:
    """Join adjacent runs of equal formatting."""
    return [_join(list(group)) for _, group in groupby(runs, key=_read_formatting)]


def nest_runs(
    runs: Sequence[Run],
    write_run: Callable[[Run], str],
    write_formatting: Callable[[Formatting, str, str], str],
) -> str:
    """Write runs with nested formatting, in the order of `_NESTING`.

    `write_run` writes the text of a run, including code; `write_formatting(kind, value, inner)` encloses written runs.
    """
    return _nest(runs, _NESTING, write_run, write_formatting)


def fold_spaces(text: str) -> str:
    """Reduce white space to single spaces and line breaks, and remove forbidden characters."""
    if text.isprintable() and "  " not in text:  # nearly all runs; much faster than the pattern
        return text
    if _UNFOLDED.search(text) is None:
        return text
    return _LINE_BREAK.sub("\n", _SPACES.sub(" ", clean_text(text)))


def keep_common_formatting(run: Run, neighbour: Run) -> Run:
    """Return a run with the formatting that continues in its neighbour.

    Bold and italic end where the formatting around them changes: a link, deleted text, superscript or subscript. Italic
    also ends where bold changes.
    """
    has_same_link = run.href == neighbour.href
    is_inside_same = has_same_link and run.is_deleted == neighbour.is_deleted and run.script == neighbour.script
    return Run(
        run.text,
        is_bold=is_inside_same and run.is_bold and neighbour.is_bold,
        is_italic=is_inside_same and run.is_italic and neighbour.is_italic and run.is_bold == neighbour.is_bold,
        href=run.href if has_same_link else None,
        is_deleted=run.is_deleted and neighbour.is_deleted,
        script=run.script if run.script == neighbour.script else "",
    )


def _make_gap(gap: str, before: Run, after: Run) -> Run:
    """Return the white space between two runs, with the formatting that both have; it is never code."""
    text = "\n" * gap.count("\n") or " "
    return keep_common_formatting(replace(before, text=text, is_code=False), after)


def _join(runs: list[Run]) -> Run:
    first = runs[0]
    if len(runs) == 1:
        return first
    return replace(first, text="".join([run.text for run in runs]))


def _nest(
    runs: Sequence[Run],
    nesting: tuple[Formatting, ...],
    write_run: Callable[[Run], str],
    write_formatting: Callable[[Formatting, str, str], str],
) -> str:
    if not nesting:
        return "".join(map(write_run, runs))
    written: list[str] = []
    for value, group in groupby(runs, key=attrgetter(nesting[0])):
        inner = _nest(list(group), nesting[1:], write_run, write_formatting)
        written.append(write_formatting(nesting[0], str(value), inner) if value else inner)
    return "".join(written)
