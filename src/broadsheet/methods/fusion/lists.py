"""Lists stand or fall as a whole: a reader who is given every third prize winner has been given nothing."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, tags
from broadsheet.page import Nodes, Page

Row = NDArray[np.float32]

_LISTS = frozenset(tag for tag, meaning in tags.CONTEXT.items() if meaning == tags.LIST)
_MIN_ITEMS = 3
_MAX_CLIMB = 4  # containers from a block to its list
_MIN_LIKELY = 0.2  # a list none of whose items is likelier than this is no text in any case
# The surest items count most. Tuned on dev, with 1, 2, 4 and the upper quartile: more pages gain than lose with all of
# them, and on average only with 4 and the quartile, which are level.
_POWER = 4


def join_items(page: Page, blocks: Blocks, place: NDArray[np.intp], likely: Row, chars: Row) -> Row:
    """Give the items of a list the same probability of being text; items are blocks of the same place in it."""
    nodes, first = page.nodes, blocks.first
    places: dict[int, set[int]] = {}  # row of a list -> places of its items
    for block in np.flatnonzero(likely > _MIN_LIKELY).tolist():
        if blocks.context[block] & tags.LIST and (row := _find_list(nodes, blocks.container[block])) >= 0:
            places.setdefault(row, set()).add(int(place[block]))
    joined = likely.copy()
    for row, wanted in places.items():
        begin, end = bisect_left(first, row), bisect_left(first, nodes.end[row])
        known, own, count = np.unique(place[begin:end], return_inverse=True, return_counts=True)
        is_wanted = (count >= _MIN_ITEMS) & np.isin(known, list(wanted))
        length = np.bincount(own, chars[begin:end])
        mean = (np.bincount(own, likely[begin:end] ** _POWER * chars[begin:end]) / length) ** (1 / _POWER)
        np.copyto(joined[begin:end], mean[own], where=is_wanted[own], casting="same_kind")
    return joined


def _find_list(nodes: Nodes, container: int) -> int:
    """Row of the innermost list around a block; -1 when there is none nearby."""
    for _ in range(_MAX_CLIMB + 1):
        if container < 0 or nodes.tag[container] in _LISTS:
            return container
        container = nodes.outer[container]
    return -1
