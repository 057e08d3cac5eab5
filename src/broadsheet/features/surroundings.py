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
    first, after = starts.searchsorted(rows), starts.searchsorted(np.asarray(nodes.end, np.intp)[rows])
    kept = np.flatnonzero(after > first)  # those that hold text, and so do all around them
    rows, whole = rows[kept], len(kept)
    outer = np.full(whole + 1, whole)
    _find_numbers(rows, [nodes.outer[row] for row in rows.tolist()], outer[:-1])
    around = np.full((LEVELS, number), whole)
    _find_numbers(rows, blocks.container, around[0])
    for level in range(1, LEVELS):
        outer.take(around[level - 1], out=around[level])
    place, places, depth = _find_places(page, rows.tolist(), outer.tolist())
    own = np.array(place, np.intp)[around[0]]
    return Surroundings(
        around=around,
        first=np.append(first[kept], 0),
        after=np.append(after[kept], number),
        depth=np.array(depth, np.float32)[own],
        place=own,
        places=places,
    )


def _find_numbers(rows: NDArray[np.intp], wanted: Sequence[int], found: NDArray[np.intp]) -> None:
    """Write which of the rows each wanted one is; what is written for -1, which is none of them, stays."""
    given = np.fromiter(wanted, np.intp, len(wanted))
    np.copyto(found, rows.searchsorted(given), where=given >= 0)


def _find_places(page: Page, rows: list[int], outer: list[int]) -> tuple[list[int], list[Place], list[int]]:
    """Find the place of each container, the places, and how deep they are; one more for the page itself."""
    nodes = page.nodes
    place = [-1] * (len(rows) + 1)
    known: dict[Place, int] = {}
    depth: list[int] = []
    classes, ids = nodes.attrs.get_all(rows, "class"), nodes.attrs.get_all(rows, "id")
    tags = nodes.tag
    for number, (row, above, class_name, name) in enumerate(zip(rows, outer, classes, ids, strict=False)):
        around = place[above]
        key = (around, tags[row], class_name, name)
        found = known.get(key)
        if found is None:
            found = known[key] = len(depth)
            depth.append(depth[around] + 1 if around >= 0 else 0)
        place[number] = found
    if not known:
        known[-1, "", None, None] = 0
        depth.append(0)
    place[-1] = 0
    return place, list(known), depth
