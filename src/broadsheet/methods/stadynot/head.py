"""Name what the document counts as article but a reader of the text does not want twice: title, author and date."""

from __future__ import annotations

import re
from collections.abc import Sequence

from broadsheet.blocks import Blocks, Role
from broadsheet.page import Nodes
from broadsheet.text import fold_words

_MAX_LINE = 150  # characters; a longer block is text, whatever its class says
_BYLINE_NAMES = re.compile(r"\b(?:by-?line|authors?|credits?)\b|(?:byline|author)", re.IGNORECASE)
_DATE_NAMES = re.compile(
    r"(?:^|[\s_-])(?:date|dateline|datetime|pubdate|published|timestamp|updated)(?:$|[\s_-])|timestamp", re.IGNORECASE
)
_BY = re.compile(r"(?:by|von|par|por|di|da|door|av|af|od|przez|автор|作者)[\s:：]\s*\S", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_CLOCK = re.compile(r"(?<!\d)\d{1,2}[:.h]\d\d(?!\d)")
_MAX_WORDS = 12


def name_head(nodes: Nodes, blocks: Blocks, kept: Sequence[int], text_begins: int) -> dict[int, Role]:
    """Tell which of the kept blocks are the headline, the by-line or the date line.

    From block `text_begins` on a line with a year or a time in it is text, unless its class says otherwise.
    """
    found: dict[int, Role] = {}
    headline = _read_headline(nodes)
    for block in kept:
        if role := _name_block(nodes, blocks, block, headline, is_above=block < text_begins):
            found[block] = role
    return found


def _name_block(nodes: Nodes, blocks: Blocks, block: int, headline: str, *, is_above: bool) -> Role | None:
    text = blocks.text[block]
    if len(text) > _MAX_LINE:
        return None
    if nodes.tag[blocks.container[block]] == "h1" or _is_headline(text, headline):
        return Role.TITLE
    names = _read_names(nodes, blocks.container[block])
    if (is_above and _BY.match(text) and len(text.split()) <= _MAX_WORDS) or _BYLINE_NAMES.search(names):
        return Role.BYLINE
    if (is_above and _is_date(text)) or _DATE_NAMES.search(names):
        return Role.DATE
    return None


def _read_headline(nodes: Nodes) -> str:
    """The words of the `<title>`."""
    return f" {fold_words(nodes.text_of(nodes.rows['title'][0]))} " if nodes.rows["title"] else ""


def _is_headline(text: str, headline: str) -> bool:
    """Tell whether a block says the beginning or the end of the `<title>`, and much of it."""
    words = f" {fold_words(text)} "
    return 2 * len(words) > len(headline) and (headline.startswith(words) or headline.endswith(words))


def _read_names(nodes: Nodes, row: int) -> str:
    return f"{nodes.attr(row, 'class')} {nodes.attr(row, 'id')} {nodes.attr(row, 'itemprop')}"


def _is_date(text: str) -> bool:
    """Tell a line that is a date: few words, and a year or a time of day among them."""
    return len(text.split()) <= _MAX_WORDS and bool(_YEAR.search(text) or _CLOCK.search(text)) and text[-1] != "."
