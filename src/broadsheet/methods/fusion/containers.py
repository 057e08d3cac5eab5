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


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Ways of standing in the page: blocks whose containers have the same tags and names stand in the same place."""

    outer: Sequence[int]  # number of the place around each, which stands before it; -1 for none
    tag: Sequence[str]
    class_name: Sequence[str | None]
    id: Sequence[str | None]

    def __len__(self) -> int:
        return len(self.outer)


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """The containers and places of n blocks: c containers that hold text, the last of which is the page itself."""

    around: NDArray[np.intp]  # (LEVELS, n) containers around a block, its own first
    first: NDArray[np.intp]  # (c,) the first block in a container
    after: NDArray[np.intp]  # (c,) the block after the last
    depth: NDArray[np.float32]  # (n,)
    place: NDArray[np.intp]  # (n,) number of its place
    places: Places


def find_surroundings(page: Page, blocks: Blocks) -> Surroundings:
    """Find the containers around all blocks."""
    nodes, number, count = page.nodes, len(blocks), len(page.nodes.outer)
    starts = np.fromiter(blocks.first, np.intp, number)
    rows = np.fromiter(nodes.outer, np.intp, count)
    ends = np.fromiter(map(nodes.end.__getitem__, nodes.outer), np.intp, count)
    first, after = starts.searchsorted(rows), starts.searchsorted(ends)
    kept = np.flatnonzero(after > first)  # those that hold text, and so do all around them
    whole = len(kept)
    numbers = rows.take(kept)
    outer = np.full(whole + 1, whole)
    _find_numbers(numbers, np.fromiter(nodes.outer.values(), np.intp, count).take(kept), outer[:-1])
    around = np.full((LEVELS, number), whole)
    _find_numbers(numbers, np.fromiter(blocks.container, np.intp, number), around[0])
    for level in range(1, LEVELS):
        outer.take(around[level - 1], out=around[level], mode="clip")
    place, depth, places = _find_places(page, kept.tolist(), numbers.tolist(), outer.tolist())
    own = np.array(place, np.intp).take(around[0])
    return Surroundings(
        around=around,
        first=np.append(first.take(kept), 0),
        after=np.append(after.take(kept), number),
        depth=np.array(depth, np.float32).take(own),
        place=own,
        places=places,
    )


def _find_numbers(rows: NDArray[np.intp], wanted: NDArray[np.intp], found: NDArray[np.intp]) -> None:
    """Write which of the rows each wanted one is; what is written for -1, which is none of them, stays."""
    np.copyto(found, rows.searchsorted(wanted), where=wanted >= 0)


def _find_places(page: Page, kept: list[int], rows: list[int], outer: list[int]) -> tuple[list[int], list[int], Places]:
    """Find the place of each container, how deep places are, and the places; the page itself is the last container."""
    nodes = page.nodes
    tags, classes, ids = nodes.tag, nodes.classes, nodes.attrs.get_all(rows, "id")
    place = [-1] * (len(rows) + 1)
    known: dict[tuple[int, str, str | None, str | None], int] = {}
    depth: list[int] = []
    for at, (number, row, above, name) in enumerate(zip(kept, rows, outer, ids, strict=False)):
        around = place[above]
        key = (around, tags[row], classes[number], name)
        found = known.get(key)
        if found is None:
            found = known[key] = len(depth)
            depth.append(depth[around] + 1 if around >= 0 else 0)
        place[at] = found
    if not known:
        known[-1, "", None, None] = 0
        depth.append(0)
    place[-1] = 0
    return place, depth, Places(*zip(*known, strict=True))
