"""One score for all items of a list, so that a list is extracted whole or not at all."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, tags
from broadsheet.methods.fusion.config import DEFAULT_CONFIG, FusionConfig
from broadsheet.methods.fusion.features import read_chars
from broadsheet.methods.fusion.network import BlockInput
from broadsheet.page import Nodes, Page

Scores = NDArray[np.float32]

_LIST_TAGS = frozenset(tag for tag, context in tags.CONTEXT.items() if context == tags.LIST)


def join_list_items(
    page: Page, blocks: Blocks, block_input: BlockInput, scores: Scores, config: FusionConfig = DEFAULT_CONFIG
) -> Scores:
    """Give the items of a list the same score. The items are the blocks of one position in the list."""
    nodes, first, position = page.nodes, blocks.first, block_input.position
    item_positions: dict[int, set[int]] = {}  # row of a list -> positions of its items
    for block in np.flatnonzero(scores > config.min_list_score).tolist():
        if blocks.context[block] & tags.LIST:
            row = _find_list(nodes, blocks.container[block], config.max_list_depth)
            if row >= 0:
                item_positions.setdefault(row, set()).add(int(position[block]))
    if not item_positions:
        return scores
    joined, chars, power = scores.copy(), read_chars(block_input.features), config.list_power
    for row, positions in item_positions.items():
        items = slice(bisect_left(first, row), bisect_left(first, nodes.end[row]))
        present, group, count = np.unique(position[items], return_inverse=True, return_counts=True)
        is_joined = (count >= config.min_list_items) & np.isin(present, list(positions))
        length = np.bincount(group, chars[items])
        mean = (np.bincount(group, scores[items] ** power * chars[items]) / length) ** (1 / power)
        np.copyto(joined[items], mean[group], where=is_joined[group], casting="same_kind")
    return joined


def _find_list(nodes: Nodes, container: int, max_depth: int) -> int:
    """Find the row of the innermost list around a block; -1 if there is none within `max_depth` containers."""
    for _ in range(max_depth + 1):
        if container < 0 or nodes.tag[container] in _LIST_TAGS:
            return container
        container = nodes.outer[container]
    return -1
