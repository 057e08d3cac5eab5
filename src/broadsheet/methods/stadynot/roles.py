"""Roles of headline, by-line and date line, and of comments of readers (ours).

The paper counts these lines as article text. Broadsheet returns title, authors and date as fields and leaves the lines
out of the text (`names_header`). Comments are prose without links that differs on every page, so the stages of the
paper keep them (`names_comments`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from broadsheet.blocks import Blocks, Role
from broadsheet.page import Nodes
from broadsheet.text import fold_words

_MAX_LINE_CHARS = 150  # a longer block is body text, whatever its class name
_MAX_LINE_WORDS = 12  # of a by-line or date line that is recognised by its text
_BYLINE_NAME = re.compile(r"\b(?:by-?line|authors?|credits?)\b|(?:byline|author)", re.IGNORECASE)
_DATE_NAME = re.compile(
    r"(?:^|[\s_-])(?:date|dateline|datetime|pubdate|published|timestamp|updated)(?:$|[\s_-])|timestamp", re.IGNORECASE
)
_BYLINE_TEXT = re.compile(r"(?:by|von|par|por|di|da|door|av|af|od|przez|автор|作者)[\s:：]\s*\S", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_TIME_OF_DAY = re.compile(r"(?<!\d)\d{1,2}[:.h]\d\d(?!\d)")


def find_header_roles(nodes: Nodes, blocks: Blocks, chosen: Sequence[int], body_start: int) -> dict[int, Role]:
    """Return the role of each chosen block that is a headline, by-line or date line.

    From block `body_start` on, only class names identify by-lines and date lines: a line with a year or a time of day
    is body text there.
    """
    title = _read_title_words(nodes)
    roles = {block: _find_role(nodes, blocks, block, title, is_above_body=block < body_start) for block in chosen}
    return {block: role for block, role in roles.items() if role}


def _find_role(nodes: Nodes, blocks: Blocks, block: int, title: str, *, is_above_body: bool) -> Role | None:
    text = blocks.text[block]
    if len(text) > _MAX_LINE_CHARS:
        return None
    if nodes.tag[blocks.container[block]] == "h1" or _is_headline(text, title):
        return Role.TITLE
    names = _read_names(nodes, blocks.container[block])
    if (is_above_body and _is_byline(text)) or _BYLINE_NAME.search(names):
        return Role.BYLINE
    if (is_above_body and _is_date(text)) or _DATE_NAME.search(names):
        return Role.DATE
    return None


def _read_title_words(nodes: Nodes) -> str:
    """Return the words of `<title>`, with a space before and after."""
    return f" {fold_words(nodes.text_of(nodes.rows['title'][0]))} " if nodes.rows["title"] else ""


def _is_headline(text: str, title: str) -> bool:
    """Tell whether a text is the beginning or the end of the `<title>`, and more than half of it."""
    words = f" {fold_words(text)} "
    return 2 * len(words) > len(title) and (title.startswith(words) or title.endswith(words))


def _read_names(nodes: Nodes, row: int) -> str:
    return f"{nodes.attr(row, 'class')} {nodes.attr(row, 'id')} {nodes.attr(row, 'itemprop')}"


def _is_byline(text: str) -> bool:
    return bool(_BYLINE_TEXT.match(text)) and len(text.split()) <= _MAX_LINE_WORDS


def _is_date(text: str) -> bool:
    """Tell whether a text is a date line: few words with a year or a time of day, and not a sentence."""
    has_date = _YEAR.search(text) or _TIME_OF_DAY.search(text)
    return len(text.split()) <= _MAX_LINE_WORDS and bool(has_date) and text[-1] != "."


def find_comments(nodes: Nodes, blocks: Blocks, chosen: Sequence[int]) -> list[int]:
    """Return the chosen blocks inside elements whose id or class contains "comment".

    An element around all chosen blocks does not count: it names the page, not a part of it.
    """
    if not chosen:
        return []
    first_row = blocks.first[chosen[0]]
    is_comment = bytearray(len(nodes))
    for row in nodes.attrs.rows_containing(("id", "class"), ("comment",)):
        if row > first_row:
            is_comment[row : nodes.end[row]] = b"\1" * (nodes.end[row] - row)
    return [block for block in chosen if is_comment[blocks.first[block]]]
