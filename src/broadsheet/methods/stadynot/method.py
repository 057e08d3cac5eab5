"""StaDyNoT: removes text that repeats across pages of the site, and regions dense in links; the rest is the article.

Jayendra Barua, Dhaval Patel, Ankur Kumar Agrawal: Removing Noise Content from Online News Articles. 20th International
Conference on Management of Data (COMAD), 2014.

Static noise is found by comparing the page with neighbour pages of the same site and section; `broadsheet.site` does
that and passes the result in `page.static_rows`. Dynamic noise is found in the page itself: least common ancestors of
links that hold little other text. Noise is marked first and removed at the end; the rest is the article, with its
formatting. A single page goes through the second stage only. Departures from the paper: docs/methods/stadynot.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from broadsheet.blocks import Blocks, Labels, Role, Span, find_spans, list_roles, tags
from broadsheet.methods.stadynot.config import StadynotConfig
from broadsheet.methods.stadynot.noise import (
    count_text,
    find_candidates,
    find_links,
    find_non_informative,
    mark_dynamic_noise,
)
from broadsheet.models.config import check_config
from broadsheet.models.weights import refuse_weights
from broadsheet.page import TEXT, Nodes, Page
from broadsheet.text import fold_words, split_words

# Decisions are binary. The score of all kept blocks is the word precision, mean of six dev sets, as shipped.
KEPT_BLOCK_SCORE = 0.85
_MIN_BODY_WORDS = 16  # a block with fewer words may be a line of the header


class Stadynot:
    """Removes text that repeats across pages of the site, and regions dense in links (StaDyNoT, 2014)."""

    name: ClassVar[str] = "stadynot"

    def __init__(self, config: StadynotConfig | None = None, *, weights: str | Path | None = None) -> None:
        """Use the shipped configuration or another. The method has no weights: `weights` must be None."""
        refuse_weights(self.name, weights)
        self.config = check_config(config, StadynotConfig) or StadynotConfig.shipped()

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Mark static noise (3.1) and dynamic noise (3.2); remove both, and tags without information (3.3)."""
        page.deadline.check()
        is_noise = self._mark_noise(page)
        remaining = [block for block in range(len(blocks)) if not self._is_removed(page, blocks, block, is_noise)]
        other_roles: dict[int, Role] = {}
        if self.config.names_header:
            other_roles |= find_header_roles(page.nodes, blocks, remaining, _find_body_start(blocks, remaining))
        if self.config.names_comments:
            other_roles |= dict.fromkeys(find_comments(page.nodes, blocks, remaining), Role.COMMENT)
        body = self._trim(blocks, [block for block in remaining if block not in other_roles])
        scores = [0.0] * len(blocks)
        for block in body:
            scores[block] = KEPT_BLOCK_SCORE
        spans = self._find_spans(page, blocks, body, is_noise) if self.config.removes_elements else {}
        return Labels(list_roles(blocks, body, other_roles), scores, spans=spans)

    def _mark_noise(self, page: Page) -> bytearray:
        """Flag all rows that are static noise, dynamic noise or inside non-informative tags."""
        nodes, config = page.nodes, self.config
        is_noise = bytearray(len(nodes))
        for row in page.static_rows:
            is_noise[row] = 1
        links = find_links(nodes)
        counts = count_text(nodes, links, config)
        dynamic = mark_dynamic_noise(nodes, find_candidates(nodes, links), counts, is_noise, config)
        for row in (*dynamic, *find_non_informative(nodes, counts, config)):
            is_noise[row : nodes.end[row]] = b"\1" * (nodes.end[row] - row)
        return is_noise

    def _is_removed(self, page: Page, blocks: Blocks, block: int, is_noise: bytearray) -> bool:
        """Tell whether all text of a block is noise, or one of our additional rules removes it."""
        if blocks.has(block, tags.HIDDEN) and not self.config.keeps_hidden:
            return True
        if blocks.link_share(block) > self.config.max_block_links:
            return True
        nodes = page.nodes
        return all(is_noise[row] or nodes.tag[row] != TEXT or nodes.text[row].isspace() for row in blocks.rows[block])

    def _find_spans(
        self, page: Page, blocks: Blocks, body: list[int], is_noise: bytearray
    ) -> dict[int, tuple[Span, ...]]:
        """Return the ranges of the blocks that remain when elements with noise are removed, for blocks that have any.

        Characters of text nodes are counted without white space, which blocks collapse.
        """
        spans: dict[int, tuple[Span, ...]] = {}
        for block in body:
            rows = [row for row in blocks.rows[block] if page.nodes.tag[row] == TEXT]
            if any(is_noise[row] for row in rows):
                counts = [len("".join(page.nodes.text[row].split())) for row in rows]
                is_kept = [not is_noise[row] for row, count in zip(rows, counts, strict=True) for _ in range(count)]
                text = blocks.text[block]
                if len(is_kept) == len("".join(text.split())):
                    spans[block] = find_spans(text, is_kept)
        return spans

    def _trim(self, blocks: Blocks, body: list[int]) -> list[int]:
        """Drop short blocks before the first and after the last long one, if there is a long one (ours)."""
        min_words = self.config.min_edge_words
        first = next((index for index, block in enumerate(body) if has_words(blocks.text[block], min_words)), None)
        if first is None:
            return body
        last = next(index for index in range(len(body) - 1, -1, -1) if has_words(blocks.text[body[index]], min_words))
        return body[first : last + 1]


def _find_body_start(blocks: Blocks, remaining: list[int]) -> int:
    """Return the second long block, since the first may be the standfirst; otherwise the first, or the end."""
    long_blocks = [block for block in remaining if has_words(blocks.text[block], _MIN_BODY_WORDS)]
    return long_blocks[min(1, len(long_blocks) - 1)] if long_blocks else len(blocks)


def has_words(text: str, count: int) -> bool:
    """Tell whether a text has at least `count` words."""
    if text.count(" ") >= 2 * count:  # a cheap test that suffices for most long texts
        return True
    return len(text) >= count and len(split_words(text)) >= count


class PublishedStadynot(Stadynot):
    """StaDyNoT as published: thresholds as printed, and everything that is not noise is article text."""

    name: ClassVar[str] = "stadynot-published"

    def __init__(self, config: StadynotConfig | None = None, *, weights: str | Path | None = None) -> None:
        """Use the published configuration or another."""
        super().__init__(StadynotConfig() if config is None else config, weights=weights)


# Roles of headline, by-line and date line, and of comments of readers (ours)


_MAX_LINE_CHARS = 150  # a longer block is body text, whatever its class name
_MAX_LINE_WORDS = 12  # of a by-line or date line that is recognised by its text
_BYLINE_NAME = re.compile(r"\b(?:by-?line|authors?|credits?)\b|(?:byline|author)", re.IGNORECASE)
_DATE_NAME = re.compile(
    r"(?:^|[\s_-])(?:date|dateline|datetime|pubdate|published|timestamp|updated)(?:$|[\s_-])|timestamp", re.IGNORECASE
)
_BYLINE_TEXT = re.compile(r"(?:by|von|par|por|di|da|door|av|af|od|przez|автор|作者)[\s:：]\s*\S", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_TIME_OF_DAY = re.compile(r"(?<!\d)\d{1,2}[:.h]\d\d(?!\d)")


def find_header_roles(nodes: Nodes, blocks: Blocks, chosen: Sequence[int], body_start: int) -> dict[int, Role]:
    """Return the role of each chosen block that is a headline, by-line or date line.

    From block `body_start` on, only class names identify by-lines and date lines: a line with a year or a time of day
    is body text there.
    """
    title = _read_title_words(nodes)
    roles = {block: _find_role(nodes, blocks, block, title, is_above_body=block < body_start) for block in chosen}
    return {block: role for block, role in roles.items() if role}


def _find_role(nodes: Nodes, blocks: Blocks, block: int, title: str, *, is_above_body: bool) -> Role | None:
    text = blocks.text[block]
    if len(text) > _MAX_LINE_CHARS:
        return None
    if nodes.tag[blocks.container[block]] == "h1" or _is_headline(text, title):
        return Role.TITLE
    names = _read_names(nodes, blocks.container[block])
    if (is_above_body and _is_byline(text)) or _BYLINE_NAME.search(names):
        return Role.BYLINE
    if (is_above_body and _is_date(text)) or _DATE_NAME.search(names):
        return Role.DATE
    return None


def _read_title_words(nodes: Nodes) -> str:
    """Return the words of `<title>`, with a space before and after."""
    return f" {fold_words(nodes.text_of(nodes.rows['title'][0]))} " if nodes.rows["title"] else ""


def _is_headline(text: str, title: str) -> bool:
    """Tell whether a text is the beginning or the end of the `<title>`, and more than half of it."""
    words = f" {fold_words(text)} "
    return 2 * len(words) > len(title) and (title.startswith(words) or title.endswith(words))


def _read_names(nodes: Nodes, row: int) -> str:
    return f"{nodes.attr(row, 'class')} {nodes.attr(row, 'id')} {nodes.attr(row, 'itemprop')}"


def _is_byline(text: str) -> bool:
    return bool(_BYLINE_TEXT.match(text)) and len(text.split()) <= _MAX_LINE_WORDS


def _is_date(text: str) -> bool:
    """Tell whether a text is a date line: few words with a year or a time of day, and not a sentence."""
    has_date = _YEAR.search(text) or _TIME_OF_DAY.search(text)
    return len(text.split()) <= _MAX_LINE_WORDS and bool(has_date) and text[-1] != "."


def find_comments(nodes: Nodes, blocks: Blocks, chosen: Sequence[int]) -> list[int]:
    """Return the chosen blocks inside elements whose id or class contains "comment".

    An element around all chosen blocks does not count: it names the page, not a part of it.
    """
    if not chosen:
        return []
    first_row = blocks.first[chosen[0]]
    is_comment = bytearray(len(nodes))
    for row in nodes.attrs.rows_containing(("id", "class"), ("comment",)):
        if row > first_row:
            is_comment[row : nodes.end[row]] = b"\1" * (nodes.end[row] - row)
    return [block for block in chosen if is_comment[blocks.first[block]]]
