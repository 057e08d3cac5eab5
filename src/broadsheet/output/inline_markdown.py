"""Write runs and figures as inline Markdown: emphasis, code, links, and escapes for text that would be read as markup.

CommonMark (section 6.2) reads `**` as the start of bold only if it is "left-flanking": it is not followed by a space,
and if it is followed by punctuation, it is preceded by a space or punctuation. For the end the same holds in reverse.
So `<b>Rome:</b>here` cannot be written as `**Rome:**here`. The colon is moved out of the bold text: `**Rome**:here`.

The caption of an image is written as its description, and the credit as its title: Pandoc makes a figure with a caption
of an image that is a paragraph. A video with a preview image is a linked image. Other figures are links with a sign as
text. So the figures add no letters to the text: a parser reads the same letters as in `Article.text`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

from broadsheet.article.parts import Figure, Run, Script
from broadsheet.output.inline import fold_spaces, join_runs, keep_common_formatting, tidy_runs
from broadsheet.output.safe import check_href

HARD_BREAK = "\\\n"
_SCRIPT_TAGS: dict[Script, str] = {"": "", "sup": "sup", "sub": "sub", "note": "sup"}

_BACKTICKS = re.compile(r"`+")
_MARKUP_CHAR = re.compile(r"[\\`*\[\]<_~&]")  # most text has none of these, and this search is fast
# Not an underscore inside a word, nor a tilde before a word ("~5 km"); an ampersand only in an entity.
_MARKUP = re.compile(r"[\\`*\[\]<]|(?<![^\W_])_|_(?![^\W_])|(?<!\s)~|~(?![^\W_])|&(?=#?[0-9A-Za-z]{1,40};)")
_TEX = re.compile(r"(\$\$?(?![\s\d$])[^$\n`<]{0,2000}[\\^_{][^$\n`<]{0,2000}(?<!\s)\$\$?)")  # a formula, not a price
_ADDRESS_MARKUP = re.compile(r"[()]|&(?=#?[0-9A-Za-z]{1,40};)")
# The start of a list item, quote, heading, underline or table. The backslash goes to the end of the match.
_LINE_START = re.compile(
    r"\d{1,9}(?=[.)](?:\s|$))|(?=>|\||\+(?:\s|$)|-(?![^\W_])|:-|#{1,6}(?:\s|$)|=+\s*$)",
)
_ASCII_SYMBOLS = frozenset("$+<=>^`|~")
_EDGE = Run(" ")
_MAX_PASSES = 4
_SIGNS = {"video": "▶", "audio": "▶", "post": "↗", "embed": "↗"}


def render_inline(runs: Iterable[Run], *, line_break: str = HARD_BREAK) -> str:
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
    if not _MARKUP_CHAR.search(text):
        return text
    if "$" not in text:
        return _MARKUP.sub(_escape, text)
    pieces = _TEX.split(text)  # formulas are every second piece
    return "".join(piece if number % 2 else _MARKUP.sub(_escape, piece) for number, piece in enumerate(pieces))


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


def render_figure(figure: Figure) -> str:
    """Write an image, or a link to a video or post; "" if its address is not safe."""
    url = check_href(figure.url)
    if not url:
        return ""
    caption = _fold_line(figure.caption)
    title, credit = _fold_line(figure.title), _fold_line(figure.credit)
    if figure.kind == "image":
        return f"![{escape_text(caption or title)}]({escape_address(url)}{_write_title(credit)})"
    details = _write_title(" · ".join(dict.fromkeys(filter(None, (title, caption, credit)))))
    if preview := check_href(figure.preview_url):
        return f"[![{escape_text(title)}]({escape_address(preview)})]({escape_address(url)}{details})"
    return f"[{_SIGNS[figure.kind]}]({escape_address(url)}{details})"


def _write_title(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;").replace("<", "&lt;")
    return f' "{escaped}"' if text else ""


def _fold_line(text: str) -> str:
    return fold_spaces(text).replace("\n", " ").strip()
