"""The containers around each block, as arrays: the blocks that each contains, and the positions of blocks.

Blocks are in document order, so a container holds a range of blocks, and a sum over a container is the difference of
two running sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks
from broadsheet.kernel import containers as kernel
from broadsheet.kernel.containers import ContainerArrays, PositionArrays
from broadsheet.page import Page

LEVELS = 6  # containers around a block that features are computed for, the innermost first


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """The p positions of a page. Blocks whose containers have the same tags, classes and ids share a position."""

    outer: NDArray[np.int64]  # (p,) position of the container around, always a smaller number; -1 for none
    tag: NDArray[np.uint16]  # (p,) index into `html.names.TAG_NAMES`; 0 for none
    depth: NDArray[np.int32]  # (p,)
    name_hashes: NDArray[np.uint32]  # of the words of class and id, of all positions in sequence
    name_ends: NDArray[np.int64]  # (p,) end of the hashes of each position

    def __len__(self) -> int:
        return len(self.outer)


@dataclass(frozen=True, slots=True, eq=False)
class Containers:
    """The c containers with text around n blocks. The last container is the whole page."""

    enclosing: NDArray[np.intp]  # (LEVELS + 1, n) around each block, the innermost first; the last row is the page
    first_block: NDArray[np.int64]  # (c,)
    end_block: NDArray[np.int64]  # (c,) one after the last block
    position: NDArray[np.int64]  # (n,) of each block
    positions: Positions


def find_containers(page: Page, blocks: Blocks) -> Containers:
    """Find the containers around all blocks."""
    table, number = page.nodes.table, len(blocks)
    enclosing = np.empty((LEVELS + 1, number), np.intp)
    arrays = ContainerArrays(enclosing.reshape(-1).data, len(table) + 1)
    kernel.find_containers(table, blocks.container, LEVELS, arrays)
    enclosing[LEVELS] = arrays.count  # the page
    grouped = PositionArrays(table, arrays.count + 1)
    kernel.group_positions(table, arrays, grouped)
    containers, count = arrays.count + 1, grouped.count
    name_ends = np.frombuffer(grouped.names.ends, np.int64, count)
    return Containers(
        enclosing=enclosing,
        first_block=np.frombuffer(arrays.first_block, np.int64, containers),
        end_block=np.frombuffer(arrays.end_block, np.int64, containers),
        position=np.frombuffer(grouped.container, np.int64, containers).take(enclosing[0]),
        positions=Positions(
            outer=np.frombuffer(grouped.outer, np.int64, count),
            tag=np.frombuffer(grouped.tag, np.uint16, count),
            depth=np.frombuffer(grouped.depth, np.int32, count),
            name_hashes=np.frombuffer(grouped.names.hashes, np.uint32)[: name_ends[-1]],
            name_ends=name_ends,
        ),
    )
