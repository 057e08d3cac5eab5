"""The containers around each block, as arrays: the blocks that each contains, and the positions of blocks.

Blocks are in document order, so a container holds a range of blocks, and a sum over a container is the difference of
two running sums. Blocks whose containers have the same tags, classes and ids share a position.
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


@dataclass(slots=True, eq=False)
class Containers:
    """The c containers with text around n blocks, and their p positions. The last container is the whole page."""

    enclosing: NDArray[np.intp]  # (LEVELS + 1, n) around each block, the innermost first; the last row is the page
    first_block: NDArray[np.int64]  # (c,)
    end_block: NDArray[np.int64]  # (c,) one after the last block
    position: NDArray[np.int64]  # (n,) of each block
    outer: NDArray[np.int64]  # (p,) position of the container around, always a smaller number; -1 for none
    tags: NDArray[np.uint16]  # (p,) indices into `html.names.TAG_NAMES`; 0 for none
    depth: NDArray[np.int32]  # (p,)
    name_hashes: NDArray[np.uint32]  # of the words of class and id, of all positions in sequence
    name_ends: NDArray[np.int64]  # (p,) end of the hashes of each position


def find_containers(page: Page, blocks: Blocks) -> Containers:
    """Find the containers around all blocks."""
    table, number = page.nodes.table, len(blocks.text)
    enclosing = np.empty((LEVELS + 1, number), np.intp)
    arrays = ContainerArrays(enclosing.reshape(-1).data, len(table) + 1)
    kernel.find_containers(table, blocks.container, LEVELS, arrays)
    enclosing[LEVELS] = arrays.count  # the page
    positions = PositionArrays(table, arrays.count + 1, number)
    kernel.group_positions(table, arrays, positions)
    containers, count, names = arrays.count + 1, positions.count, positions.names
    read = np.frombuffer
    return Containers(
        enclosing=enclosing,
        first_block=read(arrays.first_block, np.int64, containers),
        end_block=read(arrays.end_block, np.int64, containers),
        position=read(positions.block, np.int64) if number else np.empty(0, np.int64),
        outer=read(positions.outer, np.int64, count),
        tags=read(positions.tag, np.uint16, count),
        depth=read(positions.depth, np.int32, count),
        name_hashes=read(names.hashes, np.uint32, names.ends[count - 1]),
        name_ends=read(names.ends, np.int64, count),
    )
