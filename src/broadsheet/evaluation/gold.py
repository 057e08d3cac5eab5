"""Gold: the reference labels of a page, prepared once for all contenders."""

from __future__ import annotations

from dataclasses import dataclass

from broadsheet.blocks import Blocks, segment
from broadsheet.corpora import Record, align_text
from broadsheet.corpora.align import drop_headline, find_headlines
from broadsheet.errors import LimitReached
from broadsheet.page import TEXT, Page, read_page
from broadsheet.text import fold_words, split_words


@dataclass(frozen=True, slots=True, eq=False)
class Gold:
    """A labelled page with its blocks."""

    record: Record
    headlines: frozenset[str]  # forms of the headline, folded to lower-case words
    text: str | None  # gold text without the headline
    words: list[str]  # of the gold text
    blocks: Blocks | None  # None: the page exceeds the limits
    in_text: list[bool]  # for each block: whether the gold text contains it
    ignored: list[bool]  # for each block: whether it is not scored, as the headline or a block labelled as unsure
    elements: int  # number of elements of the page


def read_gold(record: Record) -> Gold:
    """Parse a labelled page and align its gold text to its blocks."""
    try:
        page = read_page(record.html, url=record.url)
        blocks = segment(page)
    except LimitReached:
        return _read_without_blocks(record)
    headlines = find_headlines(page, record.title)
    text = None if record.text is None else drop_headline(record.text, headlines)
    in_text = align_text(blocks.text, text or "")
    return Gold(
        record=record,
        headlines=headlines,
        text=text,
        words=split_words(text or ""),
        blocks=blocks,
        in_text=in_text,
        ignored=_find_ignored(blocks, headlines, in_text, record),
        elements=_count_elements(page),
    )


def _find_ignored(blocks: Blocks, headlines: frozenset[str], in_text: list[bool], record: Record) -> list[bool]:
    unsure = frozenset(map(fold_words, record.unsure or ()))
    folded = map(fold_words, blocks.text)
    return [
        text in headlines or (text in unsure and not in_gold) for text, in_gold in zip(folded, in_text, strict=True)
    ]


def _read_without_blocks(record: Record) -> Gold:
    headlines = frozenset((fold_words(record.title),)) if record.title else frozenset()
    text = None if record.text is None else drop_headline(record.text, headlines)
    return Gold(record, headlines, text, split_words(text or ""), None, [], [], 0)


def _count_elements(page: Page) -> int:
    return sum(tag != TEXT for tag in page.nodes.tag)
