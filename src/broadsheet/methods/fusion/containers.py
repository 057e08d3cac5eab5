"""The containers around each block, as arrays: the blocks that each contains, and the positions of blocks.

Blocks are in document order, so a container holds a range of blocks, and a sum over a container is the difference of
two running sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks
from broadsheet.kernel import containers as kernel
from broadsheet.kernel.containers import ContainerArrays, ContainerNames
from broadsheet.page import Page

LEVELS = 6  # containers around a block that features are computed for, the innermost first


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """The p positions of a page. Blocks whose containers have the same tags, classes and ids share a position."""

    outer: Sequence[int]  # (p,) position of the container around, always a smaller number; -1 for none
    tag: Sequence[str]  # (p,)
    class_name: list[str | None]  # (p,)
    id: list[str | None]  # (p,)
    depth: list[int]  # (p,)

    def __len__(self) -> int:
        return len(self.outer)


@dataclass(frozen=True, slots=True, eq=False)
class Containers:
    """The c containers with text around n blocks. The last container is the whole page."""

    enclosing: NDArray[np.intp]  # (LEVELS + 1, n) around each block, the innermost first; the last row is the page
    first_block: NDArray[np.intp]  # (c,)
    end_block: NDArray[np.intp]  # (c,) one after the last block
    position: NDArray[np.intp]  # (n,) of each block
    positions: Positions


def find_containers(page: Page, blocks: Blocks) -> Containers:
    """Find the containers around all blocks."""
    nodes, number = page.nodes, len(blocks)
    outer, first_block, end_block, position = np.zeros((4, len(nodes.outer) + 1), np.intp)
    enclosing = np.empty((LEVELS + 1, number), np.intp)
    arrays = ContainerArrays(outer.data, first_block.data, end_block.data, position.data, enclosing.reshape(-1).data)
    rows = kernel.find_containers(blocks.container, nodes.outer, len(nodes), LEVELS, arrays)
    count = len(rows) + 1  # and the page
    enclosing[LEVELS] = len(rows)
    names = ContainerNames(nodes.tag, nodes.attrs.get_all(rows, "id"), list(nodes.outer), nodes.classes)
    grouped = kernel.group_positions(rows, names, arrays)
    block_position = position.take(enclosing[0])
    return Containers(
        enclosing=enclosing,
        first_block=first_block[:count],
        end_block=end_block[:count],
        position=block_position,
        positions=Positions(grouped.outer, grouped.tags, grouped.class_names, grouped.ids, grouped.depths),
    )
