"""Write runs as inline Markdown: emphasis, code, links, and escapes for text that would be read as markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

from broadsheet.article.parts import Run, Script
from broadsheet.output.emphasis import choose_italic_mark, move_punctuation
from broadsheet.output.runs import tidy_runs

HARD_BREAK = "\\\n"
_SCRIPT_TAGS: dict[Script, str] = {"": "", "sup": "sup", "sub": "sub", "note": "sup"}

_BACKTICKS = re.compile(r"`+")
_MARKUP_CHAR = re.compile(r"[\\`*\[\]<_~&]")  # most text has none of these, and this search is fast
# Not an underscore inside a word, nor a tilde before a word ("~5 km"); an ampersand only in an entity.
_MARKUP = re.compile(r"[\\`*\[\]<]|(?<![^\W_])_|_(?![^\W_])|(?<!\s)~|~(?![^\W_])|&(?=#?[0-9A-Za-z]{1,40};)")
_ADDRESS_MARKUP = re.compile(r"[()]|&(?=#?[0-9A-Za-z]{1,40};)")
# The start of a list item, quote, heading, underline or table. The backslash goes to the end of the match.
_LINE_START = re.compile(
    r"\d{1,9}(?=[.)](?:\s|$))|(?=>|\||\+(?:\s|$)|-(?![^\W_])|:-|#{1,6}(?:\s|$)|=+\s*$)",
)


def write_inline(runs: Iterable[Run], *, line_break: str = HARD_BREAK) -> str:
    """Write runs as inline Markdown."""
    written: list[str] = []
    for href, linked in groupby(tidy_runs(map(_adapt_code, runs)), key=attrgetter("href")):
        text = _write_unlinked(linked, line_break)
        if href:
            # An exclamation mark before a link would make it an image.
            if written and written[-1].endswith("!"):
                written[-1] = written[-1][:-1] + "\\!"
            text = f"[{text}]({escape_address(href)})"
        written.append(text)
    return "".join(written)


def escape_address(address: str) -> str:
    """Escape characters that would end an address."""
    return _ADDRESS_MARKUP.sub(_escape, address)


def escape_line_starts(text: str) -> str:
    """Escape line starts that would make a paragraph a list, quote, heading or table."""
    return "\n".join(map(_escape_line_start, text.split("\n")))


def fence_code(text: str, *, min_backticks: int = 1) -> str:
    """Return a fence of backticks that is longer than any in the text."""
    longest = max((len(match[0]) for match in _BACKTICKS.finditer(text)), default=0)
    return "`" * max(longest + 1, min_backticks)


def _escape_line_start(line: str) -> str:
    match = _LINE_START.match(line)
    return f"{line[: match.end()]}\\{line[match.end() :]}" if match else line


def escape_text(text: str) -> str:
    """Escape characters that would be read as inline markup."""
    return _MARKUP.sub(_escape, text) if _MARKUP_CHAR.search(text) else text


def _escape(match: re.Match[str]) -> str:
    return "\\" + match[0]


def _adapt_code(run: Run) -> Run:
    """Remove bold and italic from code: two adjacent code spans would be read as one.

    Code with a bracket in a link becomes text: "[`]:`](x)" would define a reference, in spite of the backticks.
    """
    if not run.is_code:
        return run
    return replace(run, is_bold=False, is_italic=False, is_code=not (run.href and "]" in run.text))


def _write_unlinked(runs: Iterable[Run], line_break: str) -> str:
    """Write runs of one link: deleted text around superscript and subscript, around code, around emphasis.

    CommonMark has marks for none of the first three, but HTML tags are allowed.
    """
    written: list[str] = []
    for is_deleted, group in groupby(runs, key=attrgetter("is_deleted")):
        text = "".join(_write_script(*item, line_break) for item in groupby(group, key=attrgetter("script")))
        written.append(f"<del>{text}</del>" if is_deleted else text)
    return "".join(written)


def _write_script(script: Script, runs: Iterable[Run], line_break: str) -> str:
    """Write text of one position in the line."""
    written: list[str] = []
    for is_code, group in groupby(runs, key=attrgetter("is_code")):
        unlinked = [replace(run, href=None) if run.href else run for run in group]
        if is_code:
            written.append(_write_code(unlinked[0].text))
        else:
            written.append(_write_emphasis(move_punctuation(unlinked), line_break))
    tag = _SCRIPT_TAGS[script]
    return f"<{tag}>{''.join(written)}</{tag}>" if tag else "".join(written)


def _write_code(text: str) -> str:
    text = text.replace("\n", " ")
    fence = fence_code(text)
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def _write_emphasis(runs: Sequence[Run], line_break: str) -> str:
    """Write text with emphasis: `**` around bold, inside it `_` or `*` around italic."""
    written: list[str] = []
    for index, run in enumerate(runs):
        before = runs[index - 1] if index else None
        after = runs[index + 1] if index + 1 < len(runs) else None
        starts_bold = run.is_bold and not (before and before.is_bold)
        ends_bold = run.is_bold and not (after and after.is_bold)
        mark = choose_italic_mark(run, before, after)
        text = escape_text(run.text).replace("\n", line_break)
        written.append(f"{'**' * starts_bold}{mark}{text}{mark}{'**' * ends_bold}")
    return "".join(written)
