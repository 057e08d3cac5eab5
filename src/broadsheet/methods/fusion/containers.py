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
from broadsheet.page import Page

LEVELS = 6  # containers around a block that features are computed for, the innermost first


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """The p positions of a page. Blocks whose containers have the same tags, classes and ids share a position."""

    outer: Sequence[int]  # (p,) position of the container around, always a smaller number; -1 for none
    tag: Sequence[str]  # (p,)
    class_name: Sequence[str | None]  # (p,)
    id: Sequence[str | None]  # (p,)

    def __len__(self) -> int:
        return len(self.outer)


@dataclass(frozen=True, slots=True, eq=False)
class Containers:
    """The c containers with text around n blocks. The last container is the whole page."""

    enclosing: NDArray[np.intp]  # (LEVELS + 1, n) around each block, the innermost first; the last row is the page
    first_block: NDArray[np.intp]  # (c,)
    end_block: NDArray[np.intp]  # (c,) one after the last block
    depth: NDArray[np.float32]  # (n,) of each block
    position: NDArray[np.intp]  # (n,) of each block
    positions: Positions


def find_containers(page: Page, blocks: Blocks) -> Containers:
    """Find the containers around all blocks."""
    nodes, number, count = page.nodes, len(blocks), len(page.nodes.outer)
    block_rows = np.fromiter(blocks.first, np.intp, number)
    rows = np.fromiter(nodes.outer, np.intp, count)
    ends = np.fromiter(map(nodes.end.__getitem__, nodes.outer), np.intp, count)
    first_block, end_block = block_rows.searchsorted(rows), block_rows.searchsorted(ends)
    filled = np.flatnonzero(end_block > first_block)  # containers with text; all containers around them have text
    page_number = len(filled)
    filled_rows = rows.take(filled)
    outer = np.full(page_number + 1, page_number)
    _find_numbers(filled_rows, np.fromiter(nodes.outer.values(), np.intp, count).take(filled), outer[:-1])
    enclosing = np.full((LEVELS + 1, number), page_number)
    _find_numbers(filled_rows, np.fromiter(blocks.container, np.intp, number), enclosing[0])
    for level in range(1, LEVELS):
        outer.take(enclosing[level - 1], out=enclosing[level], mode="clip")
    grouped = _group_positions(page, filled.tolist(), filled_rows.tolist(), outer.tolist())
    position = np.array(grouped.position, np.intp).take(enclosing[0])
    return Containers(
        enclosing=enclosing,
        first_block=np.append(first_block.take(filled), 0),
        end_block=np.append(end_block.take(filled), number),
        depth=np.array(grouped.depth, np.float32).take(position),
        position=position,
        positions=grouped.positions,
    )


def _find_numbers(rows: NDArray[np.intp], queries: NDArray[np.intp], numbers: NDArray[np.intp]) -> None:
    """Write the index of each query in `rows` into `numbers`; where the query is -1, keep the old value."""
    np.copyto(numbers, rows.searchsorted(queries), where=queries >= 0)


@dataclass(frozen=True, slots=True, eq=False)
class _Grouped:
    position: list[int]  # of each container
    depth: list[int]  # of each position
    positions: Positions


def _group_positions(page: Page, filled: list[int], rows: list[int], outer: list[int]) -> _Grouped:
    """Group containers into positions. The last container, the page, has position 0."""
    nodes, count = page.nodes, len(rows)
    tags = map(nodes.tag.__getitem__, rows)
    class_names = map(nodes.classes.__getitem__, filled)
    ids = nodes.attrs.get_all(rows, "id")
    position = [-1] * (count + 1)
    numbers: dict[tuple[int, str, str | None, str | None], int] = {}
    depth: list[int] = []
    containers = zip(range(count), outer, tags, class_names, ids, strict=False)  # `outer` has one more: the page
    for container, outer_container, tag, class_name, element_id in containers:
        outer_position = position[outer_container]
        new = len(depth)
        number = numbers.setdefault((outer_position, tag, class_name, element_id), new)
        if number == new:
            depth.append(depth[outer_position] + 1 if outer_position >= 0 else 0)
        position[container] = number
    if not numbers:
        numbers[-1, "", None, None] = 0
        depth.append(0)
    position[-1] = 0
    return _Grouped(position, depth, Positions(*zip(*numbers, strict=True)))
