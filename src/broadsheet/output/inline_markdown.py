"""Runs to inline Markdown: emphasis, code, links, and everything escaped that would be read as markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

from broadsheet.article.parts import Run
from broadsheet.output.emphasis import choose_italic_mark, settle_looks
from broadsheet.output.runs import tidy_runs

HARD_BREAK = "\\\n"

_BACKTICKS = re.compile(r"`+")
_SUSPECT = re.compile(r"[\\`*\[\]<_~&]")  # most text has none of these, and finding that out is fast
# An underscore inside a word and a tilde before one ("~5 km") mean nothing; an ampersand only does in an entity.
_MARKUP = re.compile(r"[\\`*\[\]<]|(?<![^\W_])_|_(?![^\W_])|(?<!\s)~|~(?![^\W_])|&(?=#?[0-9A-Za-z]{1,40};)")
_IN_ADDRESS = re.compile(r"[()]|&(?=#?[0-9A-Za-z]{1,40};)")
# What makes a line a list item, quote, heading, underline or table; the backslash goes to the end of the match.
_LINE_START = re.compile(
    r"\d{1,9}(?=[.)](?:\s|$))|(?=>|\||\+(?:\s|$)|-(?![^\W_])|:-|#{1,6}(?:\s|$)|=+\s*$)",
)


def write_inline(runs: Iterable[Run], *, line_break: str = HARD_BREAK) -> str:
    """Write runs as inline Markdown."""
    written: list[str] = []
    for href, linked in groupby(tidy_runs(map(_strip_code_look, runs)), key=attrgetter("href")):
        text = _write_unlinked(linked, line_break)
        if href:
            # An exclamation mark before a link would make it a picture.
            if written and written[-1].endswith("!"):
                written[-1] = written[-1][:-1] + "\\!"
            text = f"[{text}]({_IN_ADDRESS.sub(_escape, href)})"
        written.append(text)
    return "".join(written)


def escape_line_starts(text: str) -> str:
    """Escape what would make a line of a paragraph something else."""
    return "\n".join(map(_escape_line_start, text.split("\n")))


def _escape_line_start(line: str) -> str:
    found = _LINE_START.match(line)
    return f"{line[: found.end()]}\\{line[found.end() :]}" if found else line


def _escape_text(text: str) -> str:
    return _MARKUP.sub(_escape, text) if _SUSPECT.search(text) else text


def _escape(match: re.Match[str]) -> str:
    return "\\" + match[0]


def _strip_code_look(run: Run) -> Run:
    """Code is neither bold nor italic here: two spans of code that touch would be read as one.

    And with a bracket in it, it is no code inside a link: "[`]:`](x)" would define a reference, whatever the backticks.
    """
    if not run.is_code:
        return run
    return replace(run, is_bold=False, is_italic=False, is_code=not (run.href and "]" in run.text))


def _write_unlinked(runs: Iterable[Run], line_break: str) -> str:
    written: list[str] = []
    for is_code, group in groupby(runs, key=attrgetter("is_code")):
        stretch = [replace(run, href=None) if run.href else run for run in group]
        if is_code:
            written.append(_write_code(stretch[0].text))
        else:
            written.append(_write_looks(settle_looks(stretch), line_break))
    return "".join(written)


def _write_code(text: str) -> str:
    text = text.replace("\n", " ")
    longest = max((len(found[0]) for found in _BACKTICKS.finditer(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _write_looks(runs: Sequence[Run], line_break: str) -> str:
    """Write text with its emphasis: `**` around all that is bold, inside it `_` or `*` around what is italic."""
    written: list[str] = []
    for at, run in enumerate(runs):
        before = runs[at - 1] if at else None
        after = runs[at + 1] if at + 1 < len(runs) else None
        is_first = run.is_bold and not (before and before.is_bold)
        is_last = run.is_bold and not (after and after.is_bold)
        mark = choose_italic_mark(run, before, after)
        text = _escape_text(run.text).replace("\n", line_break)
        written.append(f"{'**' * is_first}{mark}{text}{mark}{'**' * is_last}")
    return "".join(written)
