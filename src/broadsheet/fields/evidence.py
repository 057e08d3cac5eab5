"""Evidence: all that the fields of a page are read from, in one value that every strategy takes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from broadsheet.blocks import CONTENT_ROLES, Blocks, Labels
from broadsheet.page import Metadata, Page, host_of, resolve_address

_HEAD_BEFORE = 6  # blocks above the headline that may hold its date or by-line
_HEAD_AFTER = 6  # blocks from the first of the text on that may; that one is often the standfirst
_MAX_HEAD = 40
_TAIL = 5
# Of a text that may be a fact; of a longer one, the beginning is read.
_MAX_ROWS = 1_000
_MAX_CHARS = 5_000


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The page and what has been read from it so far."""

    page: Page
    blocks: Blocks
    labels: Labels
    metadata: Metadata
    body: tuple[int, ...]  # the blocks that are article text
    host: str  # host name of the page without "www.", "" when its address is unknown
    site_words: str = ""  # the site's name, folded
    title: str = ""
    title_block: int = -1  # block that shows the headline, -1 when none does

    def add_site(self, words: str) -> Evidence:
        """Give the same evidence with the site's name, folded."""
        return Evidence(self.page, self.blocks, self.labels, self.metadata, self.body, self.host, words)

    def add_title(self, title: str, block: int) -> Evidence:
        """Give the same evidence with the headline, and the block that shows it."""
        known = self.page, self.blocks, self.labels, self.metadata, self.body, self.host, self.site_words
        return Evidence(*known, title, block)

    def head(self) -> range:
        """Blocks around the headline and the start of the text, where date and by-line stand."""
        below = bisect_right(self.body, self.title_block)
        first_body = self.body[below] if below < len(self.body) else self.title_block
        start = self.title_block if self.title_block >= 0 else first_body
        if start < 0:
            return range(0)
        stop = min(max(first_body, start) + _HEAD_AFTER, start + _MAX_HEAD)
        return range(max(start - _HEAD_BEFORE, 0), min(stop, len(self.blocks)))

    def tail(self) -> range:
        """Blocks just below the text, where some languages sign."""
        last = self.body[-1] if self.body else -1
        return range(max(last, 0), min(last + _TAIL, len(self.blocks)))

    def head_rows(self) -> range:
        """Node rows of the head, with the elements that begin between it and the block above."""
        head = self.head()
        if not head:
            return range(0)
        first = self.blocks.last[head.start - 1] + 1 if head.start else 0
        return range(first, self.blocks.last[head.stop - 1] + 1)

    def body_rows(self) -> range:
        """Node rows from the headline to the end of the text."""
        if not self.body:
            return range(0)
        first = self.blocks.container[self.body[0]]
        if 0 <= self.title_block < self.body[0]:
            first = self.blocks.container[self.title_block]
        return range(first, self.blocks.last[self.body[-1]] + 1)

    def tagged(self, tag: str, rows: range) -> Sequence[int]:
        """Those of the rows that are elements of a tag, which must be one of `tags.INDEXED`."""
        found = self.page.nodes.rows[tag]
        return found[bisect_left(found, rows.start) : bisect_left(found, rows.stop)]

    def text_below(self, row: int, *, gap: str = "") -> str:
        """Text of an element, white space folded."""
        return self.text_between(row, self.page.nodes.end[row], gap=gap)

    def text_between(self, start: int, stop: int, *, gap: str = "") -> str:
        """Text of node rows, white space folded; with `gap` between elements."""
        texts = self.page.nodes.text[start : min(stop, start + _MAX_ROWS)]
        if sum(map(len, texts)) > _MAX_CHARS:
            whole = bisect_left(list(accumulate(map(len, texts))), _MAX_CHARS)
            texts = [*texts[:whole], texts[whole][:_MAX_CHARS]]
        return " ".join(gap.join(texts).split())

    def resolve(self, address: str) -> str:
        """Make an address absolute; "" when it is not http(s) or cannot be."""
        found = resolve_address(address, self.page.base)
        return found if found and not found.startswith("mailto:") else ""


def gather_evidence(page: Page, blocks: Blocks, labels: Labels) -> Evidence:
    """Put the evidence together."""
    body = tuple([block for block, role in enumerate(labels.roles) if role in CONTENT_ROLES])
    url = page.url or next(iter(page.metadata.links.get("canonical", ())), "")
    return Evidence(page, blocks, labels, page.metadata, body, host_of(url))
