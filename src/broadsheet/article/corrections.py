"""Corrections of the roles before the body is built, for all methods alike: the list `CORRECTIONS`.

Each correction is a function of the draft, as the corrections before it left it, and returns the roles of the blocks
that it changes. A new one takes a function and a row of the list. Corrections that only `fusion` makes, before its
forests judge the page, are in `methods/fusion/corrections.py`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from broadsheet.article import notices
from broadsheet.article.frames import is_data_table
from broadsheet.blocks import CONTENT_ROLES, Blocks, Labels, Role, tags
from broadsheet.fields import Fields, is_post
from broadsheet.html.names import TAG_IDS
from broadsheet.kernel.selection import find_members
from broadsheet.page import Nodes, Page

_CODE_STARTS = (
    "<iframe", "<script", "<object", "<embed", "<blockquote", "<div ", "<a href", "<img ", "<!--", "//<![CDATA[",
    "window.", "document.", "(function", "!function", "googletag.", "var ", "jwplayer(", "jQuery(", "$(document",
)  # fmt: skip
_NUMBERS = re.compile(r"\d{1,6}(?:\s+\d{1,6})+")
_JOINERS = "\u200c\u200d"  # zero width; between letters, they are part of a word
_NON_TEXT_STARTS = frozenset((*(start[0] for start in _CODE_STARTS), *_JOINERS))
_CODE = re.compile(r"</|/>|=[\"']|-->|[;})]\s*$")

_MAX_LEVELS = 8  # from a block up to its table or list
_MAX_TABLE_BLOCKS = 2_000
_MAX_LIST_BLOCKS = 20
_MAX_ITEM_CHARS = 400  # an item with more text is a part of the layout
_MIN_LIST_SCORE = 0.6  # mean of the characters of a list that is kept
_MIN_TABLE_SCORE = 0.45  # the same of a table; on dev and bench, 0.6 loses more words of tables and adds as many
_GROUP_TAGS = frozenset(TAG_IDS[name] for name in ("table", "ul", "ol", "dl"))
_GROUP_CONTEXT = tags.TABLE | tags.LIST
_MOVABLE_ROLES = frozenset((Role.BOILERPLATE, Role.CAPTION))

_MAX_HEADING_CHARS = 120  # a longer heading is text
_TEXT_ENDS = (".", "!", "…", "。", ":", "：")  # a heading that ends so is a sentence, or introduces a figure
_MAX_EMPTY_HEADINGS = 3  # more of them are a list of links or products
_UNTAGGED_LEVEL = 7  # of a heading without a heading tag


class Draft:
    """The labels of a page while they are corrected."""

    def __init__(self, page: Page, blocks: Blocks, labels: Labels, fields: Fields) -> None:
        self.nodes, self.blocks, self.fields = page.nodes, blocks, fields
        self.labels = labels
        self._content: list[int] | None = None

    @property
    def content(self) -> list[int]:
        """The blocks of the text."""
        if self._content is None:
            self._content = find_members(self.labels.roles, CONTENT_ROLES)
        return self._content

    def apply(self, changes: Mapping[int, Role]) -> None:
        """Change the roles of blocks. The score of a block that becomes the title is 0; other scores stay."""
        roles, scores = list(self.labels.roles), self.labels.scores
        for block, role in changes.items():
            roles[block] = role
        if Role.TITLE in changes.values():
            scores = [0.0 if changes.get(block) is Role.TITLE else score for block, score in enumerate(scores)]
        self.labels = replace(self.labels, roles=roles, scores=scores)
        self._content = None


class Correction(NamedTuple):
    """A row of the list."""

    name: str
    description: str  # one sentence
    find: Callable[[Draft], Mapping[int, Role]]  # block -> its new role


def correct_roles(
    page: Page, blocks: Blocks, labels: Labels, fields: Fields, corrections: Sequence[Correction] | None = None
) -> Labels:
    """Return the labels with the corrections of the list, or with others."""
    return correct_draft(Draft(page, blocks, labels, fields), corrections).labels


def correct_draft(draft: Draft, corrections: Sequence[Correction] | None = None) -> Draft:
    """Apply the corrections of the list, or others, and return the draft."""
    for correction in CORRECTIONS if corrections is None else corrections:
        if changes := correction.find(draft):
            draft.apply(changes)
    return draft


def _find_title_blocks(draft: Draft) -> dict[int, Role]:
    return dict.fromkeys(draft.fields.title_blocks, Role.TITLE)


def _find_non_text(draft: Draft) -> dict[int, Role]:
    """Find code of widgets, shown because the page escapes it; numbers of lines; and zero-width characters."""
    blocks = draft.blocks
    texts, contexts = blocks.text, blocks.context
    # The first character rules out most blocks.
    candidates = [
        block for block in draft.content if texts[block][0] in _NON_TEXT_STARTS or contexts[block] & tags.CODE
    ]
    return {
        block: Role.BOILERPLATE
        for block in candidates
        if _is_widget_code(blocks, block) or _is_numbering(blocks, block) or not texts[block].strip(_JOINERS)
    }


def _is_widget_code(blocks: Blocks, block: int) -> bool:
    text = blocks.text[block]
    is_code = text.startswith(_CODE_STARTS) and _CODE.search(text) is not None
    return is_code and not blocks.context[block] & tags.CODE


def _is_numbering(blocks: Blocks, block: int) -> bool:
    """Tell whether preformatted text in a table is the numbers of the lines in the cell beside it."""
    text = blocks.text[block]
    if not (blocks.context[block] & tags.CODE and blocks.context[block] & tags.TABLE and _NUMBERS.fullmatch(text)):
        return False
    numbers = list(map(int, text.split()))
    return numbers[0] > 0 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _complete_groups(draft: Draft) -> dict[int, Role]:
    """Find the blocks of partly kept tables and lists that must be kept or dropped with the rest.

    Nothing is changed where nothing else would be left of the text.
    """
    nodes, blocks, labels = draft.nodes, draft.blocks, draft.labels
    roles, content = labels.roles, draft.content
    contexts, containers = blocks.context, blocks.container
    # Rows of tables and lists.
    around = {containers[block] for block in content if contexts[block] & _GROUP_CONTEXT}
    if not around:
        return {}
    groups = {_find_group(nodes, container) for container in around}
    changes: dict[int, Role] = {}
    end = -1  # of the last group that was completed: a list inside it is a part of it
    for row in sorted(groups - {-1}):
        members = _blocks_in(nodes, blocks, row)
        if row >= end and any(roles[block] in _MOVABLE_ROLES for block in members):
            completed = _complete_group(nodes, blocks, labels, row)
            changes |= completed
            end = nodes.end[row] if completed else end
    return {} if all(changes.get(block) is Role.BOILERPLATE for block in content) else changes


def _complete_posts(draft: Draft) -> dict[int, Role]:
    """Find the blocks of embedded posts that are kept in part only: the author without the text, or the reverse."""
    nodes, roles = draft.nodes, draft.labels.roles
    changes: dict[int, Role] = {}
    for row in nodes.rows["blockquote"]:
        if not is_post(nodes, row):
            continue
        members = _blocks_in(nodes, draft.blocks, row)
        if any(roles[block] in CONTENT_ROLES for block in members):
            changes |= {block: Role.QUOTE for block in members if roles[block] in _MOVABLE_ROLES}
    return changes


def _find_answers(draft: Draft) -> dict[int, Role]:
    """Find the answers of a page about one question (`QAPage` of schema.org). A text of answers only is kept."""
    nodes = draft.nodes
    rows = nodes.rows["[itemprop]"]
    names = nodes.attrs.get_all(rows, "itemprop") if rows else []
    answers = [row for row, name in zip(rows, names, strict=True) if name in ("acceptedAnswer", "suggestedAnswer")]
    if not answers:  # most pages
        return {}
    types = nodes.attrs.get_all(nodes.attrs.rows_with("itemtype"), "itemtype")
    if not any(name and name.endswith("/QAPage") for name in types):
        return {}
    roles = draft.labels.roles
    members = {block for row in answers for block in _blocks_in(nodes, draft.blocks, row)}
    changes = {block: Role.COMMENT for block in members if roles[block] in CONTENT_ROLES}
    return changes if len(changes) < len(draft.content) else {}


def _find_group(nodes: Nodes, container: int) -> int:
    """Return the row of the innermost table or list around a block, -1 if there is none."""
    tag, outer = nodes.table.tag, nodes.table.outer
    for _ in range(_MAX_LEVELS):
        if container < 0:
            break
        if tag[container] in _GROUP_TAGS:
            return container
        container = outer[container]
    return -1


def _complete_group(nodes: Nodes, blocks: Blocks, labels: Labels, row: int) -> dict[int, Role]:
    members = _blocks_in(nodes, blocks, row)
    is_table = nodes.tag[row] == "table"
    texts = [blocks.text[block] for block in members]
    if len(members) > (_MAX_TABLE_BLOCKS if is_table else _MAX_LIST_BLOCKS) or max(map(len, texts)) > _MAX_ITEM_CHARS:
        return {}
    if is_table and not is_data_table(nodes, row):
        return {}
    scores = labels.scores[members.start : members.stop]
    total = sum(len(text) * score for text, score in zip(texts, scores, strict=True))
    if total < (_MIN_TABLE_SCORE if is_table else _MIN_LIST_SCORE) * sum(map(len, texts)):
        return {block: Role.BOILERPLATE for block in members if labels.roles[block] in CONTENT_ROLES}
    role = Role.TABLE if is_table else Role.LIST
    return {block: role for block in members if _is_dropped(nodes, blocks, labels, block)}


def _blocks_in(nodes: Nodes, blocks: Blocks, row: int) -> range:
    return range(bisect_left(blocks.first, row), bisect_left(blocks.first, nodes.end[row]))


def _is_dropped(nodes: Nodes, blocks: Blocks, labels: Labels, block: int) -> bool:
    """Tell whether a block is boilerplate, or the caption of a table, which is part of it."""
    return labels.roles[block] is Role.BOILERPLATE or nodes.tag[blocks.container[block]] == "caption"


def _find_empty_headings(draft: Draft) -> dict[int, Role]:
    """Find headings followed by a heading of the same or a higher level, or by nothing. A text of headings is kept.

    Figures are looked for only if there is such a heading: most pages have none.
    """
    nodes, blocks, roles, content = draft.nodes, draft.blocks, draft.labels.roles, draft.content
    count = [roles[block] for block in content].count(Role.HEADING)
    if count in (0, len(content)):
        return {}
    changes: dict[int, Role] = {}
    next_level = 0  # of the next heading; the end of the text is above all headings
    next_row = len(nodes)
    is_above_text = False
    for block in reversed(content):
        row = blocks.first[block]
        if roles[block] is not Role.HEADING or _is_sentence(blocks.text[block]):
            is_above_text = True
        else:
            level = _find_level(nodes, blocks.container[block])
            if not is_above_text and level >= next_level and not _has_figure(draft.fields, row, next_row):
                changes[block] = Role.BOILERPLATE
                continue
            is_above_text, next_level = False, level
        next_row = row
    return changes if len(changes) <= _MAX_EMPTY_HEADINGS else {}


def _has_figure(fields: Fields, start: int, stop: int) -> bool:
    return any(start <= placed.row < stop for placed in fields.figures)


def _is_sentence(text: str) -> bool:
    return len(text) > _MAX_HEADING_CHARS or text.endswith(_TEXT_ENDS)


def _find_level(nodes: Nodes, container: int) -> int:
    for row in (container, *nodes.ancestors(container)):
        if level := tags.HEADINGS.get(nodes.tag_of(row)):
            return level
    return _UNTAGGED_LEVEL


# In this order: the title first, because a heading above it is not text; headings last, when the text is known.
CORRECTIONS: tuple[Correction, ...] = (
    Correction("title", "Blocks that repeat the title are not text.", _find_title_blocks),
    Correction(
        "groups",
        "Tables and short lists are kept or dropped whole, by the mean score of their characters.",
        _complete_groups,
    ),
    Correction("posts", "An embedded post of which a part is kept is kept whole.", _complete_posts),
    Correction("answers", "The answers of a page about one question are comments.", _find_answers),
    Correction("datelines", "A place with a dash before the first paragraph is text.", notices.find_datelines),
    Correction(
        "standfirst",
        "The line above the text that the page declares as its description is text.",
        notices.find_standfirst,
    ),
    Correction("promos", 'Lines such as "Read also: ..." are not text.', notices.find_promos),
    Correction("notices", "Notices about newsletters, commissions and contacts are not text.", notices.find_notices),
    Correction(
        "captions", "A paragraph with the credit of a picture at its end is a caption.", notices.find_credited_captions
    ),
    Correction(
        "bylines", 'By-lines that begin with "by", and biographies of the authors, are not text.', notices.find_bylines
    ),
    Correction("portraits", '"About the company" at the end of a press release is not text.', notices.find_portraits),
    Correction("footnotes", "Notes that superscript links of the text lead to are text.", notices.find_footnotes),
    Correction(
        "non_text",
        "The code of widgets, numbers of lines beside code, and zero-width characters are not text.",
        _find_non_text,
    ),
    Correction("headings", "A heading without text or figure below it is dropped.", _find_empty_headings),
)
