"""Runs as plain text, with marks where their formatting changes what they say: 10^6, a note[1], ~~deleted~~ text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from broadsheet.article.parts import Run, Script, text_of_runs
from broadsheet.text.patterns import compile_later

_NUMBER = compile_later(r"[+\-−–]?\d")
_TERM = compile_later(r"(?:\d+|[^\W\d_])(?: ?[+\-−–*/] ?(?:\d+|[^\W\d_]))+")  # n+1; not "a-posteriori"
_WORD = compile_later(r"[^\W\d_]{4,}$")  # longer than a unit (km, cm): a number behind it is the mark of a footnote
_SLASHES = ("/", "⁄")
_SENTENCE_ENDS = ".,;:!?\"'”’»"


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
