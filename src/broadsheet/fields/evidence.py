"""Evidence: all that the fields of a page are read from, in one value that every strategy takes."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from broadsheet.blocks import CONTENT_ROLES, Blocks, Labels
from broadsheet.page import Metadata, Page, resolve_address

_HEAD_BEFORE = 6  # blocks above the headline that may hold its date or by-line
_HEAD_AFTER = 6  # blocks from the first of the text on that may; that one is often the standfirst
_MAX_HEAD = 40
_TAIL = 5


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

    def head(self) -> range:
        """Blocks around the headline and the start of the text, where date and by-line stand."""
        first_body = next((block for block in self.body if block > self.title_block), self.title_block)
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

    def resolve(self, address: str) -> str:
        """Make an address absolute; "" when it is not http(s) or cannot be."""
        found = resolve_address(address, self.page.base)
        return found if found and not found.startswith("mailto:") else ""


def gather_evidence(page: Page, blocks: Blocks, labels: Labels, metadata: Metadata) -> Evidence:
    """Put the evidence together."""
    body = tuple([block for block, role in enumerate(labels.roles) if role in CONTENT_ROLES])
    url = page.url or next(iter(metadata.links.get("canonical", ())), "")
    return Evidence(page, blocks, labels, metadata, body, host_of(url))


def host_of(url: str) -> str:
    """Host name of an address, without "www."; "" when it has none."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
