"""Select some of a page's blocks."""

from __future__ import annotations

from collections.abc import Sequence

from broadsheet.blocks.blocks import Blocks
from broadsheet.blocks.headline import find_headline
from broadsheet.blocks.paths import LazyBlockPaths
from broadsheet.page import Page


def select_blocks(page: Page, blocks: Blocks, indices: Sequence[int]) -> Blocks:
    """Return the blocks with these indices, in their order. Headline, paths and groups are recomputed."""
    containers = [blocks.container[block] for block in indices]
    texts = [blocks.text[block] for block in indices]
    contexts = [blocks.context[block] for block in indices]
    return Blocks(
        text=texts,
        rows=[blocks.rows[block] for block in indices],
        first=[blocks.first[block] for block in indices],
        last=[blocks.last[block] for block in indices],
        container=containers,
        link_chars=[blocks.link_chars[block] for block in indices],
        context=contexts,
        headline=find_headline(texts, contexts, page.metadata),
        paths=LazyBlockPaths(page.nodes, containers),
    )
