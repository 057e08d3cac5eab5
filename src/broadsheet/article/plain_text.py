"""The text of an article from its page, for callers that do not need the body."""

from __future__ import annotations

from collections.abc import Sequence

from broadsheet.article.frames import ITEM_TAGS, LIST_TAGS, FrameFinder
from broadsheet.article.parts import Part
from broadsheet.article.structure import build_body
from broadsheet.blocks import CONTENT_ROLES, Blocks, Role, tags
from broadsheet.fields import Fields
from broadsheet.kernel.selection import find_members
from broadsheet.page import Page

_LISTS = LIST_TAGS | ITEM_TAGS


def read_text(
    page: Page, blocks: Blocks, roles: Sequence[Role], fields: Fields, body: tuple[Part, ...] | None = None
) -> str:
    """Return the same text as that of the body, which is used if it has been built. Few texts need one."""
    # Imported here: their modules import this folder.
    from broadsheet.output.as_text import render_text, write_blocks

    if body is None:
        content = find_members(roles, CONTENT_ROLES)
        text = write_blocks(page, blocks, content)
        if text is not None:
            return text
        figures = fields.figures if _can_figures_change_text(page, blocks, content) else ()
        body = build_body(page, blocks, roles, content, figures)
    return render_text(body)


def _can_figures_change_text(page: Page, blocks: Blocks, content: Sequence[int]) -> bool:
    """Tell whether blocks are in lists or code. A figure there may divide an item, a term or a piece of code."""
    finder = FrameFinder(page.nodes)
    for block in content:
        if blocks.context[block] & tags.CODE:
            return True
        if any(page.nodes.tag[row] in _LISTS for row in finder.frames_around(blocks.container[block])):
            return True
    return False
