"""What a page should give, prepared once for all methods that are compared on it."""

from __future__ import annotations

from dataclasses import dataclass

from broadsheet.blocks import Blocks, segment
from broadsheet.corpora import Record, align_text
from broadsheet.corpora.headline import drop_headline, find_headlines
from broadsheet.errors import LimitReached
from broadsheet.page import TEXT, Page, read_page
from broadsheet.text import fold_words, split_words


@dataclass(frozen=True, slots=True, eq=False)
class Gold:
    """A labelled page, parsed."""

    record: Record
    headlines: frozenset[str]
    text: str | None  # without headline
    words: list[str]  # of the text
    blocks: Blocks | None  # None: the page is too much for the limits
    in_text: list[bool]  # for each block
    ignored: list[bool]  # for each block: the headline
    elements: int  # of the page


def read_gold(record: Record) -> Gold:
    """Parse a labelled page and find its gold blocks."""
    try:
        page = read_page(record.html, url=record.url)
        blocks = segment(page)
    except LimitReached:
        return _read_plain(record)
    headlines = find_headlines(page, record.title)
    text = None if record.text is None else drop_headline(record.text, headlines)
    return Gold(
        record=record,
        headlines=headlines,
        text=text,
        words=split_words(text or ""),
        blocks=blocks,
        in_text=align_text(blocks.text, text or ""),
        ignored=[fold_words(block) in headlines for block in blocks.text],
        elements=_count_elements(page),
    )


def _read_plain(record: Record) -> Gold:
    headlines = frozenset((fold_words(record.title),)) if record.title else frozenset()
    text = None if record.text is None else drop_headline(record.text, headlines)
    return Gold(record, headlines, text, split_words(text or ""), None, [], [], 0)


def _count_elements(page: Page) -> int:
    return sum(tag != TEXT for tag in page.nodes.tag)
