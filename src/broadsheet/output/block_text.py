"""The plain text of an article from its blocks, without the tree of parts: most articles are paragraphs only."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from broadsheet.article.frames import ITEM_TAGS, LIST_TAGS
from broadsheet.article.tables import is_data_table
from broadsheet.blocks import Blocks, tags
from broadsheet.html.names import TAG_NAMES
from broadsheet.kernel.selection import STRUCTURED_KIND, TABLE_KIND, find_tables_around
from broadsheet.output.runs import fold_spaces
from broadsheet.page import Page

# Lists are written with bullets, code with its white space, and superscripts, subscripts and deleted text with marks.
_STRUCTURED_TAGS = LIST_TAGS | ITEM_TAGS | {"sup", "sub", "del", "s", "strike"}


def _find_kind(tag: str) -> int:
    if tag in _STRUCTURED_TAGS or tags.CONTEXT.get(tag) == tags.CODE:
        return STRUCTURED_KIND
    return TABLE_KIND if tag == "table" else 0


_TAG_KINDS = array("B", map(_find_kind, TAG_NAMES))


def write_blocks(page: Page, blocks: Blocks, content: Sequence[int]) -> str | None:
    """Write the content blocks as `render_text` writes their parts, one per line; None if the parts are needed.

    They are needed for blocks in lists, data tables and code, and for marked text.
    """
    nodes = page.nodes
    tables = find_tables_around(nodes.table, blocks.rows.rows, blocks.rows.ends, content, _TAG_KINDS)
    if tables is None or any(is_data_table(nodes, row) for row in tables):
        return None
    lines = [fold_spaces(blocks.text[block]).strip() for block in content]
    return "\n".join(filter(None, lines))
