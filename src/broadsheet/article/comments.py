"""The comments of readers: blocks that the method labels as comments, grouped into authors, dates, texts and replies.

1. Marks: elements named as an author, lines such as "Jane said:", `<time>` elements and short lines with a date.
2. Containers: elements with the same tag and class around comment blocks, such that most of them contain a text and
   one date, or one author. Each is one comment. A container inside another one is a reply to it.
3. Without containers, author lines separate the comments, as in `<dt>` and `<dd>`.
4. Without author lines, each block is a comment of its own, with a text only.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from broadsheet.article.article import Comment
from broadsheet.article.comment_lines import (
    MAX_LINE_CHARS,
    clean_author,
    find_name,
    is_label,
    read_author_line,
    read_dates,
)
from broadsheet.blocks import Blocks, Role
from broadsheet.fields.timestamps import read_timestamp
from broadsheet.fields.written_dates import find_written_date, may_contain_date
from broadsheet.kernel.selection import find_members, list_ancestors
from broadsheet.page import Nodes, Page, tags
from broadsheet.text import compile_later

_MAX_LEVELS = 12  # from a block up to the container of its comment
_MAX_AUTHOR_LINE_CHARS = 120
_MAX_COMMENTS = 2_000  # with more comment blocks, no structure is looked for
_MAX_KINDS = 40  # kinds of containers that are compared
_MIN_COVERAGE = 0.6  # share of the comment characters that are inside the containers
_MIN_REGULAR_SHARE = 0.6  # share of the containers that contain one date or one author
_LETTERS = re.compile(r"[^\W\d_]+")
_AUTHOR_NAME = compile_later(
    r"(?<![a-z])(?:author|fn|user-?name|user|nick-?name|nick|poster|commenter|byline|autor|auteur|(?:display|profile)-?name|"
    r"comment-?(?:author|name|by|user)|(?:author|user)-?(?:name|link))(?![a-z])",
    re.IGNORECASE,
)
_OTHER_NAME = compile_later(
    r"avatar|image|img|photo|pic|count|date|time|meta|info|text|content|body|comments|quote", re.IGNORECASE
)
_DEPTH = compile_later(r"(?<![a-z])(?:depth|level|indent)-?(\d{1,2})(?!\d)", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_NAMELESS_TAGS = frozenset(("#text", "br", "img"))
_ALTERNATING = frozenset("alt odd even first last".split())


@lru_cache(4096)  # the elements of all comments have the same names
def _is_author_name(name: str) -> bool:
    return _AUTHOR_NAME.search(name) is not None and _OTHER_NAME.search(name) is None


@lru_cache(4096)
def _read_kind(classes: str) -> str:
    """Return the first class of an element without digits; classes that alternate do not count."""
    name = next((name for name in classes.split(None, _MAX_LEVELS) if name.lower() not in _ALTERNATING), "")
    return " ".join(_LETTERS.findall(name))


class _Mark(NamedTuple):
    """An author or a date on the page."""

    row: int
    end: int  # one past its last row
    author: str = ""
    date: datetime | None = None


class _Item(NamedTuple):
    """A comment: its container, if there is one, its comment blocks, and its marks."""

    row: int
    blocks: Sequence[int]
    marks: Sequence[_Mark]
    authors: Sequence[str]
    dates: Sequence[datetime]

    @property
    def is_regular(self) -> bool:
        return len(self.dates) == 1 or (not self.dates and len(self.authors) == 1)


def _make_item(row: int, blocks: Sequence[int], marks: Sequence[_Mark]) -> _Item:
    if not marks:
        return _Item(row, blocks, (), (), ())
    authors = list(dict.fromkeys([mark.author for mark in marks if mark.author]))
    return _Item(row, blocks, marks, authors, list(dict.fromkeys([mark.date for mark in marks if mark.date])))


def build_comments(page: Page, blocks: Blocks, roles: Sequence[Role]) -> tuple[Comment, ...]:
    """Build the comments of a page from the blocks with the role COMMENT."""
    if Role.COMMENT not in roles:  # most pages
        return ()
    comment_blocks = find_members(roles, (Role.COMMENT,))
    if len(comment_blocks) > _MAX_COMMENTS:
        return tuple([Comment(blocks.text[block]) for block in comment_blocks])
    builder = _Builder(page.nodes, blocks, comment_blocks)
    return builder.build()


class _Builder:
    """The comment blocks of a page, and the marks around them."""

    def __init__(self, nodes: Nodes, blocks: Blocks, comment_blocks: list[int]) -> None:
        self.nodes = nodes
        self.blocks = blocks
        self.comment_blocks = comment_blocks
        containers = [blocks.container[block] for block in comment_blocks]
        self.paths = list_ancestors(containers, nodes.parent, nodes.tag, _MAX_LEVELS)
        region = self._find_region()
        self.marks = sorted([*self._find_authors(region), *self._find_dates(region)], key=lambda mark: mark.row)
        self.mark_rows = [mark.row for mark in self.marks]
        self.texts = [
            block for block in comment_blocks if not self._is_mark(block) and not is_label(self.blocks.text[block])
        ]

    def build(self) -> tuple[Comment, ...]:
        if not self.texts:
            return ()
        items = self._find_container_items() or self._split_at_authors()
        if not items:
            return tuple([Comment(self.blocks.text[block]) for block in self.texts])
        return self._make_comments(items)

    # Marks.

    def _find_region(self) -> range:
        """Return the rows of the smallest element around all comments, or of the comments if it is too far away."""
        first, last = self.comment_blocks[0], self.comment_blocks[-1]
        end = self.blocks.last[last] + 1
        for row in self.paths[0]:
            if self.nodes.end[row] >= end:
                return range(row, self.nodes.end[row])
        start = self.blocks.container[first] if self.blocks.container[first] > 0 else self.blocks.first[first]
        return range(start, max(end, self.nodes.end[self.blocks.container[last]]))

    def _find_authors(self, region: range) -> Iterable[_Mark]:
        nodes = self.nodes
        has_quotes = "blockquote" in nodes.tag
        end = 0
        for row in self._list_author_rows(region):
            if row < end or (has_quotes and self._is_quoted(row)):
                continue
            author = clean_author(nodes.text_of(row)) if self._is_line(row) else ""
            if author:
                end = nodes.end[row]
                yield _Mark(row, end, author=author)
        yield from self._find_author_lines(region)

    def _list_author_rows(self, region: range) -> Iterable[int]:
        """Yield the rows of the elements whose class, id, `itemprop` and `rel` name an author."""
        nodes = self.nodes
        elements = [row for row in region if nodes.tag[row] not in _NAMELESS_TAGS]
        marked = {*nodes.rows["[itemprop]"], *nodes.rows["a[rel]"]}
        columns = [nodes.attrs.get_all(elements, name) for name in ("class", "id")]
        for row, class_names, identifier in zip(elements, *columns, strict=True):
            # Without its numbers, an id such as "comment-123" is the same in all comments, for the cache.
            values = [class_names, _DIGITS.sub("0", identifier)] if identifier else [class_names]
            if row in marked:
                values += (nodes.attr(row, "itemprop"), nodes.attr(row, "rel"))
            name = " ".join(filter(None, values)) if len(values) > 1 else class_names
            if name and _is_author_name(name):
                yield row

    def _is_quoted(self, row: int) -> bool:
        return any(self.nodes.tag[outer] == "blockquote" for outer in islice(self.nodes.ancestors(row), _MAX_LEVELS))

    def _is_line(self, row: int) -> bool:
        """Tell whether an element is small and shows at most one block: a name, not a profile."""
        end = self.nodes.end[row]
        return end - row <= MAX_LINE_CHARS and sum(tag in tags.CONTAINERS for tag in self.nodes.tag[row + 1 : end]) < 2

    def _find_author_lines(self, region: range) -> Iterable[_Mark]:
        for block in self._list_lines(region):
            if author := read_author_line(self.blocks.text[block].replace("\n", " ")):
                yield _Mark(self.blocks.first[block], self.blocks.last[block] + 1, author=author)

    def _find_dates(self, region: range) -> Iterable[_Mark]:
        nodes = self.nodes
        times = [row for row in nodes.rows["time"] if row in region]
        for row in times:
            text = nodes.text_of(row)[:MAX_LINE_CHARS]
            if date := read_timestamp(nodes.attr(row, "datetime")) or find_written_date(text):
                yield _Mark(row, nodes.end[row], date=date)
        if times:
            return
        lines = [block for block in self._list_lines(region) if may_contain_date(self.blocks.text[block])]
        for block, date in zip(lines, read_dates([self.blocks.text[block] for block in lines]), strict=True):
            if date:
                yield _Mark(self.blocks.first[block], self.blocks.last[block] + 1, date=date)

    def _list_lines(self, region: range) -> list[int]:
        """Return the short blocks of the region."""
        blocks = self.blocks
        start, stop = bisect_left(blocks.first, region.start), bisect_left(blocks.first, region.stop)
        return [block for block in range(start, stop) if len(blocks.text[block]) <= MAX_LINE_CHARS]

    def _is_mark(self, block: int) -> bool:
        """Tell whether a short block consists of an author, a date, or both."""
        text = self.blocks.text[block]
        if len(text) > MAX_LINE_CHARS:
            return False
        first, last = self.blocks.first[block], self.blocks.last[block]
        near = self.marks[bisect_left(self.mark_rows, first - _MAX_LEVELS) : bisect_left(self.mark_rows, last + 1)]
        return any((mark.row <= first and last < mark.end) or first <= mark.row <= last for mark in near)

    # Items.

    def _find_container_items(self) -> list[_Item]:
        """Find the kind of container of which each contains one comment; of several kinds, the one with most."""
        by_kind: dict[tuple[str, str], list[int]] = {}
        containers = sorted({row for path in self.paths for row in path})
        for row, classes in zip(containers, self.nodes.attrs.get_all(containers, "class"), strict=True):
            by_kind.setdefault((self.nodes.tag[row], _read_kind(classes or "")), []).append(row)
        text_rows = [self.blocks.first[block] for block in self.texts]
        lengths = [len(self.blocks.text[block]) for block in self.texts]
        total = sum(lengths)
        best: list[_Item] = []
        best_size = 0.0
        # An element that is the only one of its kind is around all comments, unless there is only one comment.
        kinds = [rows for rows in by_kind.values() if len(rows) > 1 or len(self.texts) == 1] or by_kind.values()
        for rows in sorted(kinds, key=len, reverse=True)[:_MAX_KINDS]:
            if len(rows) < len(best):
                break  # the other kinds have fewer containers
            owners = self._find_owners(rows, text_rows)
            chars = sum([length for owner, length in zip(owners, lengths, strict=True) if owner >= 0])
            if not chars or chars < _MIN_COVERAGE * total:
                continue
            filled = [row for row in set(owners) if row >= 0]
            size = sum([self.nodes.end[row] - row for row in filled]) / len(filled)  # mean number of rows
            if (len(filled), size) <= (len(best), best_size):
                continue
            items = self._make_items(rows, owners)
            if sum([item.is_regular for item in items]) >= _MIN_REGULAR_SHARE * len(items):
                best, best_size = items, size
        return best

    def _make_items(self, rows: list[int], owners: list[int]) -> list[_Item]:
        """Give each text to its owner, and each mark to the innermost container around it; leave out empty ones."""
        texts: dict[int, list[int]] = {}
        marks: dict[int, list[_Mark]] = {}
        for owner, block in zip(owners, self.texts, strict=True):
            texts.setdefault(owner, []).append(block)
        for owner, mark in zip(self._find_owners(rows, self.mark_rows), self.marks, strict=True):
            marks.setdefault(owner, []).append(mark)
        return [_make_item(row, texts[row], marks.get(row, ())) for row in rows if row in texts]

    def _find_owners(self, containers: list[int], rows: list[int]) -> list[int]:
        """Return the innermost of the containers around each row, -1 if there is none. Both lists are sorted."""
        end = self.nodes.end
        owners = []
        open_containers = [-1]
        last = len(containers)
        following = 0
        for row in rows:
            while following < last and containers[following] <= row:
                open_containers.append(containers[following])
                following += 1
            while (owner := open_containers[-1]) >= 0 and end[owner] <= row:
                open_containers.pop()
            owners.append(owner)
        return owners

    def _split_at_authors(self) -> list[_Item]:
        """Split the comments at the lines that name an author, if these lines are above the texts."""
        starts = [mark.row for mark in self.marks if mark.author]
        if not starts or starts[0] > self.blocks.first[self.texts[0]]:
            return []
        items = []
        text_rows = [self.blocks.first[block] for block in self.texts]
        for start, stop in zip(starts, [*starts[1:], len(self.nodes)], strict=True):
            texts = self.texts[bisect_left(text_rows, start) : bisect_left(text_rows, stop)]
            marks = self.marks[bisect_left(self.mark_rows, start) : bisect_left(self.mark_rows, stop)]
            if texts:
                items.append(_make_item(-1, texts, marks))
        regular = sum(len(item.dates) <= 1 for item in items)
        return items if regular >= _MIN_REGULAR_SHARE * len(items) else []

    # Comments.

    def _make_comments(self, items: list[_Item]) -> tuple[Comment, ...]:
        """Make the comments in the order of the page; comment blocks outside the items have a text only."""
        inside = {block for item in items for block in item.blocks}
        lone = [_make_item(-1, (block,), ()) for block in self.texts if block not in inside]
        ordered = sorted([*items, *lone], key=lambda item: item.blocks[0])
        parents = self._find_parents(ordered)
        return tuple([self._make_comment(item, parent) for item, parent in zip(ordered, parents, strict=True)])

    def _make_comment(self, item: _Item, reply_to: int | None) -> Comment:
        author = item.authors[0] if item.authors else self._read_line_author(item)
        lines = [self.blocks.text[block] for block in item.blocks]
        if len(lines) > 1 and lines[0] == author:  # shown twice
            lines = lines[1:]
        return Comment("\n".join(lines), author, item.dates[0] if item.dates else None, reply_to)

    def _read_line_author(self, item: _Item) -> str | None:
        """Read the name on one line with the date: "Jane Doe, on 5 May 2021", "posted on 5 May by Jane"."""
        row = next((mark.row for mark in item.marks if mark.date), -1)
        block = bisect_left(self.blocks.first, row + 1) - 1
        # A <time> element is above its text, which may be the first text of its block.
        if row >= 0 and block + 1 < len(self.blocks) and self.blocks.first[block + 1] <= row + 2:
            block += 1
        if row < 0 or block < 0 or len(self.blocks.text[block]) > _MAX_AUTHOR_LINE_CHARS:
            return None
        texts = [self.nodes.text[text_row] for text_row in self.blocks.rows[block]]
        return find_name([" ".join(text.split()) for text in texts]) or None

    def _find_parents(self, items: Sequence[_Item]) -> list[int | None]:
        """Find the comment that each one replies to: the container around it, or the last one of a lower depth."""
        parents: list[int | None] = []
        positions = {item.row: position for position, item in enumerate(items) if item.row >= 0}
        outer_of: dict[int, int | None] = {}
        open_items: list[tuple[int, int]] = []  # depth and position of the last comment of each depth
        for position, item in enumerate(items):
            if item.row < 0:
                parents.append(None)
                continue
            outer = self._find_outer(item.row, positions, outer_of)
            depth = self._read_depth(item.row)
            while open_items and open_items[-1][0] >= depth:
                open_items.pop()
            if outer is None and depth > 0 and open_items:
                outer = open_items[-1][1]
            open_items.append((depth, position))
            parents.append(outer)
        return parents

    def _find_outer(self, row: int, positions: dict[int, int], outer_of: dict[int, int | None]) -> int | None:
        """Return the position of the comment around a row, if there is one. `outer_of` caches the rows above."""
        parents, path = self.nodes.parent, []
        row = parents[row]
        while row >= 0 and row not in positions and row not in outer_of:
            path.append(row)
            row = parents[row]
        outer = positions.get(row, outer_of.get(row))
        outer_of.update(dict.fromkeys(path, outer))
        return outer

    def _read_depth(self, row: int) -> int:
        match = _DEPTH.search(self.nodes.attr(row, "class"))
        return int(match[1]) if match else 0
