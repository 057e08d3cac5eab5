"""Other articles on the page: some pages continue with the articles that were published before.

Each of them is then in an `<article>`. The one with the headline is the article of the page; those beside it that have
a heading of the same level are others. A network that judges blocks can hardly tell them apart. Without `<article>`,
containers beside each other are as often sections of one text.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, tags
from broadsheet.methods.fusion.config import DEFAULT_CONFIG, FusionConfig
from broadsheet.page import Nodes, Page

_HEADING_OF_ARTICLE = tags.HEADING | tags.ARTICLE


def find_other_articles(
    page: Page, blocks: Blocks, expected_chars: NDArray[np.float32], config: FusionConfig = DEFAULT_CONFIG
) -> list[int]:
    """Find the blocks of other articles, given the expected number of characters of article text of each block.

    The container with the headline must have text of its own: if it has only an introduction, the text is elsewhere.
    """
    dropped: set[int] = set()
    for headline_row, other_rows in _find_repeated_containers(page.nodes, blocks).items():
        if expected_chars[_find_blocks(page.nodes, blocks, headline_row)].sum() >= config.min_own_chars:
            for row in other_rows:
                other_blocks = _find_blocks(page.nodes, blocks, row)
                dropped.update(range(other_blocks.start, other_blocks.stop))
    return sorted(dropped)


def _find_repeated_containers(nodes: Nodes, blocks: Blocks) -> dict[int, set[int]]:
    """Find the rows of containers with the headline, and of those beside each of them that may be other articles.

    Both are an `<article>`, or contain one around their heading.
    """
    repeated: dict[int, set[int]] = {}
    headline = blocks.headline
    if headline < 0 or blocks.context[headline] & _HEADING_OF_ARTICLE != _HEADING_OF_ARTICLE:
        return repeated
    around = []  # containers around the headline
    row = blocks.container[headline]
    while row >= 0:
        around.append(row)
        row = nodes.table.outer[row]
    level_of = {row: level for level, row in enumerate(around)}
    article_level = [nodes.tag[row] for row in around].index("article")
    for heading in _list_headings(blocks):
        if nodes.tag[heading] != nodes.tag[around[0]]:
            continue
        in_article, other, row = False, heading, heading
        while row >= 0 and row not in level_of:
            in_article |= nodes.tag[row] == "article"
            other, row = row, nodes.table.outer[row]
        if in_article and row >= 0 and level_of[row] > article_level:
            repeated.setdefault(around[level_of[row] - 1], set()).add(other)
    return repeated


def _list_headings(blocks: Blocks) -> set[int]:
    """Return the rows of the containers of headings in articles."""
    return {
        row
        for row, context in zip(blocks.container, blocks.context, strict=True)
        if context & _HEADING_OF_ARTICLE == _HEADING_OF_ARTICLE
    }


def _find_blocks(nodes: Nodes, blocks: Blocks, container: int) -> slice:
    return slice(bisect_left(blocks.first, container), bisect_left(blocks.first, nodes.end[container]))
