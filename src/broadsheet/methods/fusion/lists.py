"""One score for all items of a list, so that a list is extracted whole or not at all."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, tags
from broadsheet.kernel.scores import find_likely
from broadsheet.methods.fusion.config import DEFAULT_CONFIG, FusionConfig
from broadsheet.methods.fusion.features import read_chars
from broadsheet.methods.fusion.network import BlockInput
from broadsheet.models.arrays import read_buffer, round_single
from broadsheet.page import Nodes, Page

Scores = NDArray[np.float32]

_LIST_TAGS = frozenset(tag for tag, context in tags.CONTEXT.items() if context == tags.LIST)


def join_list_items(
    page: Page, blocks: Blocks, block_input: BlockInput, scores: Scores, config: FusionConfig = DEFAULT_CONFIG
) -> Scores:
    """Give the items of a list the same score. The items are the blocks of one position in the list."""
    likely = find_likely(read_buffer(scores), round_single(config.min_list_score), blocks.context, tags.LIST)
    if not likely:  # most pages
        return scores
    nodes, first, position = page.nodes, blocks.first, block_input.position
    item_positions: dict[int, set[int]] = {}  # row of a list -> positions of its items
    for block in likely:
        row = _find_list(nodes, blocks.container[block], config.max_list_depth)
        if row >= 0:
            item_positions.setdefault(row, set()).add(int(position[block]))
    if not item_positions:
        return scores
    joined, chars = scores.copy(), read_chars(block_input.features)
    for row, positions in item_positions.items():
        page.deadline.check()  # blocks of nested lists are visited once for each list
        start, stop = bisect_left(first, row), bisect_left(first, nodes.end[row])
        items = zip(position[start:stop].tolist(), scores[start:stop].tolist(), chars[start:stop].tolist(), strict=True)
        means = _average_items(items, positions, config)
        for block, item_position in enumerate(position[start:stop].tolist(), start):
            if item_position in means:
                joined[block] = means[item_position]
    return joined


def _average_items(
    items: Iterable[tuple[int, float, float]], positions: set[int], config: FusionConfig
) -> dict[int, float]:
    """Return the mean score of each position with enough items. Items are positions, scores and lengths.

    Lists are short: a loop is faster than arrays.
    """
    sums = dict.fromkeys(positions, (0, 0.0, 0.0))  # number, weighted scores, characters
    for position, score, chars in items:
        if position in sums:
            count, total, weight = sums[position]
            sums[position] = count + 1, total + score**config.list_power * chars, weight + chars
    return {
        position: (total / weight) ** (1 / config.list_power)
        for position, (count, total, weight) in sums.items()
        if count >= config.min_list_items
    }


def _find_list(nodes: Nodes, container: int, max_depth: int) -> int:
    """Find the row of the innermost list around a block; -1 if there is none within `max_depth` containers."""
    for _ in range(max_depth + 1):
        if container < 0 or nodes.tag[container] in _LIST_TAGS:
            return container
        container = nodes.table.outer[container]
    return -1
