"""Evidence: everything that the fields of a page are read from, passed to every strategy."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, islice

from broadsheet.blocks import CONTENT_ROLES, Blocks, Labels
from broadsheet.fields.value import PlacedFigure
from broadsheet.kernel.selection import find_members
from broadsheet.page import Metadata, Page, host_of, resolve_address
from broadsheet.text import compile_later

# The head: blocks around the headline that may contain the date and the byline.
_HEAD_BLOCKS_ABOVE = 6  # above the headline
_HEAD_BODY_BLOCKS = 6  # from the first body block on; that one is often the standfirst
_MAX_HEAD_BLOCKS = 40
_TAIL_BLOCKS = 5
# A longer text is cut: no field is this long.
_MAX_TEXT_ROWS = 1_000
_MAX_TEXT_CHARS = 5_000
_MAX_ANCESTORS = 5
_OTHER_CONTENT_NAME = compile_later(
    r"comment|repl(?:y|ies)|respon(?!sive)|komment|related|teaser|widget", re.IGNORECASE
)
_LIST_NAME = compile_later(r"(?:(?<![A-Za-z])(?:[Cc]ards?|[Ll]ist)|(?<=[a-z])(?:Cards?|List))(?![a-z])")  # whole words


@dataclass(slots=True, eq=False)
class Evidence:
    """The page, its labels, and the fields found so far that others depend on.

    It is not changed after it is made. It is not frozen because frozen objects take four times as long to make.
    """

    page: Page
    blocks: Blocks
    labels: Labels
    metadata: Metadata
    body: tuple[int, ...]  # blocks of article text
    host: str  # host name of the page without "www."; "" if its address is unknown
    site_words: str = ""  # folded words of the site name
    title: str = ""
    title_block: int = -1  # block that shows the headline; -1 if none does
    date: datetime | None = None
    figures: tuple[PlacedFigure, ...] = ()
    authors: tuple[str, ...] = ()

    def with_site_words(self, words: str) -> Evidence:
        """Return the same evidence with the folded words of the site name."""
        evidence = self._copy()
        evidence.site_words = words
        return evidence

    def with_title(self, title: str, block: int) -> Evidence:
        """Return the same evidence with the title and the block that shows it."""
        evidence = self._copy()
        evidence.title, evidence.title_block = title, block
        return evidence

    def with_date(self, date: datetime) -> Evidence:
        """Return the same evidence with the date of publication."""
        evidence = self._copy()
        evidence.date = date
        return evidence

    def with_figures(self, figures: tuple[PlacedFigure, ...]) -> Evidence:
        """Return the same evidence with the figures of the body."""
        evidence = self._copy()
        evidence.figures = figures
        return evidence

    def with_authors(self, authors: tuple[str, ...]) -> Evidence:
        """Return the same evidence with the names of the authors."""
        evidence = self._copy()
        evidence.authors = authors
        return evidence

    def _copy(self) -> Evidence:  # a tenth of the time of dataclasses.replace
        return Evidence(
            self.page, self.blocks, self.labels, self.metadata, self.body, self.host,
            self.site_words, self.title, self.title_block, self.date, self.figures, self.authors,
        )  # fmt: skip

    def head_blocks(self) -> range:
        """Return the blocks around the headline and the start of the body, which may contain date and byline."""
        below_title = bisect_right(self.body, self.title_block)
        first_body = self.body[below_title] if below_title < len(self.body) else self.title_block
        start = self.title_block if self.title_block >= 0 else first_body
        if start < 0:
            return range(0)
        stop = min(max(first_body, start) + _HEAD_BODY_BLOCKS, start + _MAX_HEAD_BLOCKS)
        return range(max(start - _HEAD_BLOCKS_ABOVE, 0), min(stop, len(self.blocks)))

    def tail_blocks(self) -> range:
        """Return the last body block and the blocks just below it, where some languages put the signature."""
        last = self.body[-1] if self.body else -1
        return range(max(last, 0), min(last + _TAIL_BLOCKS, len(self.blocks)))

    def head_rows(self) -> range:
        """Return the node rows of the head, including elements that begin between it and the block above."""
        head = self.head_blocks()
        if not head:
            return range(0)
        first = self.blocks.last[head.start - 1] + 1 if head.start else 0
        return range(first, self.blocks.last[head.stop - 1] + 1)

    def body_rows(self) -> range:
        """Return the node rows from the headline to the end of the body."""
        if not self.body:
            return range(0)
        first = self.blocks.container[self.body[0]]
        if 0 <= self.title_block < self.body[0]:
            first = self.blocks.container[self.title_block]
        return range(first, self.blocks.last[self.body[-1]] + 1)

    def elements(self, tag: str, rows: range) -> Sequence[int]:
        """Return the rows that are elements of a tag, which must be one of `tags.INDEXED`."""
        tag_rows = self.page.nodes.rows[tag]
        return tag_rows[bisect_left(tag_rows, rows.start) : bisect_left(tag_rows, rows.stop)]

    def text_below(self, row: int, *, gap: str = "") -> str:
        """Return the text of an element, white space folded, with `gap` between its nodes."""
        return self.text_between(row, self.page.nodes.end[row], gap=gap)

    def text_of_block(self, block: int, *, gap: str = " ") -> str:
        """Return the text of a block with `gap` between its nodes: `<b>By</b><a>Jane Doe</a>` shows two words."""
        return self.text_between(self.blocks.first[block], self.blocks.last[block] + 1, gap=gap)

    def text_between(self, start: int, stop: int, *, gap: str = "") -> str:
        """Return the text of node rows, white space folded, with `gap` between them."""
        texts = self.page.nodes.text[start : min(stop, start + _MAX_TEXT_ROWS)]
        if sum(map(len, texts)) > _MAX_TEXT_CHARS:
            whole_texts = bisect_left(list(accumulate(map(len, texts))), _MAX_TEXT_CHARS)
            texts = [*texts[:whole_texts], texts[whole_texts][:_MAX_TEXT_CHARS]]
        return " ".join(gap.join(texts).split())

    def is_in_other_content(self, row: int) -> bool:
        """Return True if the names of the elements around a row suggest comments or teasers of other articles."""
        nodes = self.page.nodes
        ancestors = list(islice(nodes.ancestors(row), _MAX_ANCESTORS))
        names = (*nodes.attrs.get_all(ancestors, "class"), *nodes.attrs.get_all(ancestors, "id"))
        return any(name and (_OTHER_CONTENT_NAME.search(name) or _LIST_NAME.search(name)) for name in names)

    def resolve(self, address: str) -> str:
        """Make an address absolute; return "" unless the result is http(s)."""
        absolute = resolve_address(address, self.page.base)
        return absolute if absolute and not absolute.startswith("mailto:") else ""


def gather_evidence(page: Page, blocks: Blocks, labels: Labels) -> Evidence:
    """Build the evidence, without any field."""
    body = tuple(find_members(labels.roles, CONTENT_ROLES))
    url = page.url or next(iter(page.metadata.links.get("canonical", ())), "")
    return Evidence(page, blocks, labels, page.metadata, body, host_of(url))
