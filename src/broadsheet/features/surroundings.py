"""Where blocks stand, as arrays: the containers around each, what part of the page those hold, and how they are named.

Blocks are in document order, so a container holds a range of them, and sums over containers are differences of running
sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks
from broadsheet.page import Page

LEVELS = 6  # containers that are looked at around a block: its own, the one around that, ...


# One way of standing in the page: blocks whose containers have the same tags and names stand in the same place.
# The number of the place around it (-1 for none), tag, class and id. A plain tuple: there are hundreds on a page.
Place = tuple[int, str, str | None, str | None]


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """The containers and places of n blocks: c containers that hold text, the last of which is the page itself."""

    around: NDArray[np.intp]  # (LEVELS, n) containers around a block, its own first
    first: NDArray[np.intp]  # (c,) the first block in a container
    after: NDArray[np.intp]  # (c,) the block after the last
    depth: NDArray[np.float32]  # (n,)
    place: NDArray[np.intp]  # (n,) number of its place
    places: Sequence[Place]


def find_surroundings(page: Page, blocks: Blocks) -> Surroundings:
    """Find the containers around all blocks."""
    nodes, number = page.nodes, len(blocks)
    starts = np.fromiter(blocks.first, np.intp, number)
    rows = np.fromiter(nodes.outer, np.intp, len(nodes.outer))
    ends = np.asarray(nodes.end, np.intp)[rows]
    first, after = starts.searchsorted(rows), starts.searchsorted(ends)
    kept = np.flatnonzero(after > first)  # those that hold text
    chain = _Chain(page, rows[kept].tolist())
    whole = len(kept)
    outer = np.array([*chain.outer, whole])
    around = np.empty((LEVELS, number), np.intp)
    around[0] = own = np.fromiter([chain.number[row] for row in blocks.container], np.intp, number)
    for level in range(1, LEVELS):
        outer.take(around[level - 1], out=around[level])
    return Surroundings(
        around=around,
        first=np.append(first[kept], 0),
        after=np.append(after[kept], number),
        depth=np.array([*chain.depth, 0], np.float32)[own],
        place=np.array([*chain.place, 0], np.intp)[own],
        places=chain.places or [(-1, "", None, None)],
    )


class _Chain:
    """Containers in document order: each one's outer one, depth and place."""

    def __init__(self, page: Page, rows: list[int]) -> None:
        nodes = page.nodes
        nowhere = len(rows)
        self.number = number = {row: at for at, row in enumerate(rows)}
        number[-1] = nowhere
        self.outer = [number[nodes.outer[row]] for row in rows]  # it holds what this one holds: it is one of the rows
        self.depth: list[int] = []
        self.place: list[int] = []
        known: dict[Place, int] = {}
        depths, places = self.depth, self.place
        classes, ids = nodes.attrs.get_all(rows, "class"), nodes.attrs.get_all(rows, "id")
        for row, outer, class_name, name in zip(rows, self.outer, classes, ids, strict=True):
            if outer == nowhere:
                key = (-1, nodes.tag[row], class_name, name)
                depths.append(0)
            else:
                key = (places[outer], nodes.tag[row], class_name, name)
                depths.append(depths[outer] + 1)
            places.append(known.setdefault(key, len(known)))
        self.places = list(known)
