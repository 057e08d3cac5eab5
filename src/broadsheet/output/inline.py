"""Runs of text: prepare them for all formats, and write them as plain text.

Runs are tidied: white space is folded and moved out of formatted text, and runs of equal formatting are joined. The
formatting of a run is whether it is bold, italic, code, deleted, superscript or subscript, and its link. Plain text has
marks where the formatting changes what the text says: 10^6, a note[1], ~~deleted~~ text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Literal

from broadsheet.article.parts import Run, Script, text_of_runs
from broadsheet.output.safe import FORBIDDEN, check_href, clean_text
from broadsheet.text import compile_later

# Attributes of Run that are written as nested elements, from the outermost to the innermost.
Formatting = Literal["href", "is_deleted", "script", "is_bold", "is_italic"]
_NESTING: tuple[Formatting, ...] = ("href", "is_deleted", "script", "is_bold", "is_italic")
_read_formatting = attrgetter("is_bold", "is_italic", "is_code", "href", "is_deleted", "script")
_UNFOLDED = compile_later(rf"[^\S\n ]| [ \n]|\n |[{FORBIDDEN}]")
_SPACES = compile_later(r"[^\S\n]+")
_LINE_BREAK = compile_later(r" ?\n ?")
_NUMBER = compile_later(r"[+\-−–]?\d")
_TERM = compile_later(r"(?:\d+|[^\W\d_])(?: ?[+\-−–*/] ?(?:\d+|[^\W\d_]))+")  # n+1; not "a-posteriori"
_WORD = compile_later(r"[^\W\d_]{4,}$")  # longer than a unit (km, cm): a number behind it is the mark of a footnote
_SLASHES = ("/", "⁄")
_SENTENCE_ENDS = ".,;:!?\"'”’»"


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


def join_plain_text(runs: tuple[Run, ...]) -> str:
    """Return the text of runs, with marks for superscript, subscript and deleted text."""
    if len(runs) == 1 and not runs[0].is_deleted:  # most blocks; a script alone needs no mark
        return runs[0].text
    if not any(run.script or run.is_deleted for run in runs):
        return text_of_runs(runs)
    return "".join(_mark_deleted(_write_fractions(runs)))


def _write_fractions(runs: Sequence[Run]) -> Sequence[Run]:
    """Write fractions, a superscript and a subscript with a slash between them, as usual: 5 1/2."""
    written = list(runs)
    for index, (above, slash, below) in enumerate(zip(runs, runs[1:], runs[2:], strict=False)):
        if (above.script, slash.script, below.script) != ("sup", "", "sub") or slash.text not in _SLASHES:
            continue
        if above.text.isdigit() and below.text.rstrip().isdigit():
            gap = " " if index and runs[index - 1].text[-1:].isdigit() else ""
            written[index] = replace(above, text=gap + above.text, script="")
            written[index + 2] = replace(below, script="")
    return written


def _mark_deleted(runs: Sequence[Run]) -> Iterator[str]:
    written = ""
    for is_deleted, group in groupby(runs, key=lambda run: run.is_deleted):
        text = written
        for run in group:
            text += _mark_script(run, text) if run.script else run.text
        added = text[len(written) :]
        core = added.strip()
        yield added.replace(core, f"~~{core}~~", 1) if is_deleted and core else added
        written = text


def _mark_script(run: Run, before: str) -> str:
    """Write a superscript or subscript so that its digits do not become part of the word or number before it."""
    core = run.text.strip()
    if not core or not before or before[-1].isspace() or run.text[0].isspace():
        return run.text
    return run.text.replace(core, _mark_core(run.script, core, before), 1)


def _mark_core(script: Script, text: str, before: str) -> str:
    if script == "note":
        return f"[{text}]" if text[0].isalnum() else text
    if _TERM.fullmatch(text) and not text[0].isdigit():
        return f"^({text})" if script == "sup" else f"_({text})"
    if not _NUMBER.match(text):
        return text  # 20th, Mme
    if script == "sub":
        return f"_{text}" if before[-1].isdigit() else text
    if before[-1] in _SENTENCE_ENDS or _WORD.search(before):
        return f"[{text}]"
    return f"^{text}"
