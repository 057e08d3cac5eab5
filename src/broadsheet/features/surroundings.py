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


@dataclass(frozen=True, slots=True)
class Place:
    """One way of standing in the page: blocks whose containers have the same tags and names stand in the same place."""

    outer: int  # number of the place around it, -1 for none
    tag: str
    class_name: str
    id: str


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """The containers and places of n blocks."""

    first: NDArray[np.intp]  # (LEVELS, n) the first block of the container around a block, its own container first
    after: NDArray[np.intp]  # (LEVELS, n) the block after the last
    depth: NDArray[np.float32]  # (n,)
    place: NDArray[np.intp]  # (n,) number of its place
    places: Sequence[Place]


def find_surroundings(page: Page, blocks: Blocks) -> Surroundings:
    """Find the containers around all blocks."""
    nodes, number = page.nodes, len(blocks)
    starts = np.fromiter(blocks.first, np.intp, number)
    rows = np.fromiter(nodes.outer, np.intp, len(nodes.outer))
    ends = np.asarray(nodes.end, np.intp)[rows]
    first, after = np.searchsorted(starts, rows), np.searchsorted(starts, ends)
    kept = np.flatnonzero(after > first)  # those that hold text
    chain = _Chain(page, rows[kept].tolist())
    own = np.fromiter([chain.number[row] for row in blocks.container], np.intp, number)
    # The last entry stands for "no container": the whole page.
    outer = np.array([*chain.outer, len(kept)])
    first, after = np.append(first[kept], 0), np.append(after[kept], number)
    around = np.empty((LEVELS, number), np.intp)
    around[0] = own
    for level in range(1, LEVELS):
        around[level] = outer[around[level - 1]]
    return Surroundings(
        first=first[around],
        after=after[around],
        depth=np.array([*chain.depth, 0], np.float32)[own],
        place=np.array([*chain.place, 0], np.intp)[own],
        places=chain.places or [Place(-1, "", "", "")],
    )


class _Chain:
    """Containers in document order: each one's outer one, depth and place."""

    def __init__(self, page: Page, rows: list[int]) -> None:
        nodes = page.nodes
        self.number = {row: number for number, row in enumerate(rows)}
        self.number[-1] = nowhere = len(rows)
        self.outer: list[int] = []
        self.depth: list[int] = []
        self.place: list[int] = []
        self.places: list[Place] = []
        known: dict[tuple[int, str, str | None, str | None], int] = {}
        classes, ids = nodes.attrs.get_all(rows, "class"), nodes.attrs.get_all(rows, "id")
        for row, class_name, name in zip(rows, classes, ids, strict=True):
            outer = self.number[nodes.outer[row]]  # it holds what this one holds: it is one of the rows
            is_top = outer == nowhere
            key = (-1 if is_top else self.place[outer], nodes.tag[row], class_name, name)
            place = known.get(key)
            if place is None:
                place = known[key] = len(self.places)
                self.places.append(Place(key[0], key[1], class_name or "", name or ""))
            self.outer.append(outer)
            self.depth.append(0 if is_top else self.depth[outer] + 1)
            self.place.append(place)
