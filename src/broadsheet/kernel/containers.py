"""Containers and positions of blocks, as numbers: see `methods.fusion.containers`."""

from __future__ import annotations

from array import array
from typing import Any

from broadsheet.html.names import ATTRIBUTE_IDS
from broadsheet.html.table import NodeTable
from broadsheet.kernel.names import NameWriter

_CLASS, _ID = ATTRIBUTE_IDS["class"], ATTRIBUTE_IDS["id"]
_HASH_FACTOR, _HASH_MASK = 0x01000193, 0xFFFF_FFFF  # FNV-1a


class ContainerArrays:
    """The arrays that `find_containers` fills, for c containers and n blocks. The page is container c."""

    def __init__(self, enclosing: Any, max_containers: int) -> None:
        self.enclosing = enclosing  # (levels, n) the containers around each block, the innermost first
        self.rows = array("i", bytes(4 * max_containers))  # (c,) of the node table
        self.outer = array("i", bytes(4 * max_containers))  # (c + 1,) the container around each; c for the outermost
        self.first_block = array("q", bytes(8 * max_containers))  # (c + 1,)
        self.end_block = array("q", bytes(8 * max_containers))  # (c + 1,) one after the last block
        self.count = 0


def find_containers(table: NodeTable, block_rows: Any, levels: int, arrays: ContainerArrays) -> None:
    """Number the containers with text in document order. The page has the number after them.

    `block_rows` are the rows of the innermost containers around the blocks, -1 for none.
    """
    outer_rows, outer, rows = table.outer, arrays.outer, arrays.rows
    first_block, end_block, enclosing = arrays.first_block, arrays.end_block, arrays.enclosing
    number, count = len(block_rows), 0
    numbers = array("i", bytes(4 * len(outer_rows)))  # row of a container -> its number + 1; 0: none yet
    for block in range(number):
        row = block_rows[block]
        depth = 0  # of containers that start with the block
        while row >= 0 and not numbers[row]:
            depth += 1
            row = outer_rows[row]
        around = numbers[row] - 1 if row >= 0 else -1
        row = block_rows[block]
        for step in range(depth):  # the innermost first: it gets the highest number
            container = count + depth - 1 - step
            rows[container] = row
            numbers[row] = container + 1
            outer[container] = container - 1 if step < depth - 1 else around
            first_block[container] = block
            row = outer_rows[row]
        if depth:
            count += depth
            around = count - 1
        enclosing[block] = around
        if around >= 0:
            end_block[around] = block + 1
    close_containers(arrays, count, number, levels)


def close_containers(arrays: ContainerArrays, count: int, number: int, levels: int) -> None:
    """Write where containers end, and the containers of all levels around each block."""
    outer, first_block, end_block, enclosing = arrays.outer, arrays.first_block, arrays.end_block, arrays.enclosing
    for container in range(count - 1, -1, -1):
        around = outer[container]
        if around < 0:
            outer[container] = count
        elif end_block[around] < end_block[container]:
            end_block[around] = end_block[container]
    outer[count], first_block[count], end_block[count] = count, 0, number
    for block in range(number):
        around = enclosing[block]
        if around < 0:
            around = enclosing[block] = count
        for level in range(1, levels):
            around = outer[around]
            enclosing[level * number + block] = around
    arrays.count = count


class PositionArrays:
    """The arrays that `group_positions` fills, for p positions."""

    def __init__(self, max_positions: int) -> None:
        self.container = array("q", bytes(8 * (max_positions + 1)))  # (c + 1,) the position of each container
        self.outer = array("q", bytes(8 * max_positions))  # (p,) position around, always a smaller number; -1 for none
        self.tag = array("H", bytes(2 * max_positions))  # (p,) index into `html.names.TAG_NAMES`; 0 for none
        self.depth = array("i", bytes(4 * max_positions))  # (p,)
        self.names = NameWriter(max_positions)  # words of class and id
        self.count = 0


def group_positions(table: NodeTable, arrays: ContainerArrays, positions: PositionArrays) -> None:  # noqa: C901
    """Group containers whose tags, class names, ids and outer positions are equal. The page has position 0."""
    rows, outer, count = arrays.rows, arrays.outer, arrays.count
    tags, arena = table.tag, table.arena
    first, total, names = table.first_attribute, table.attribute_count, table.attribute_name
    start, end = table.value_start, table.value_end
    container_position, position_outer = positions.container, positions.outer
    position_tag, depths, writer = positions.tag, positions.depth, positions.names
    size = 16
    while size < 2 * count:
        size *= 2
    slots = array("i", bytes(4 * size))  # position + 1 by hash; 0: free
    examples = array("i", bytes(4 * (2 * count + 2)))  # of each position: its class and its id, -1 for none
    number = 0
    for container in range(count):
        row = rows[container]
        class_index = id_index = -1
        for index in range(first[row], first[row] + total[row]):
            if names[index] == _CLASS:
                class_index = index
            elif names[index] == _ID:
                id_index = index
        around = outer[container]
        outer_position = container_position[around] if around < count else -1
        tag = tags[row]
        key = ((outer_position + 2) * _HASH_FACTOR ^ tag) & _HASH_MASK
        if class_index >= 0:
            key = hash_bytes(arena, start[class_index], end[class_index], key)
        if id_index >= 0:
            key = hash_bytes(arena, start[id_index], end[id_index], key ^ 1)
        slot = key & size - 1
        while slots[slot]:
            position = slots[slot] - 1
            if (
                position_outer[position] == outer_position
                and position_tag[position] == tag
                and are_equal(arena, start, end, examples[2 * position], class_index)
                and are_equal(arena, start, end, examples[2 * position + 1], id_index)
            ):
                break
            slot = slot + 1 & size - 1
        if not slots[slot]:
            slots[slot] = number + 1
            position_outer[number], position_tag[number] = outer_position, tag
            examples[2 * number], examples[2 * number + 1] = class_index, id_index
            depths[number] = depths[outer_position] + 1 if outer_position >= 0 else 0
            if class_index >= 0:
                writer.add(arena, start[class_index], end[class_index])
            if id_index >= 0:
                writer.add(arena, start[id_index], end[id_index])
            writer.end_position()
            number += 1
        container_position[container] = slots[slot] - 1
    if not number:
        position_outer[0] = -1
        writer.end_position()
        number = 1
    container_position[count] = 0
    positions.count = number


def hash_bytes(arena: bytes, start: int, end: int, value: int) -> int:
    """Return a hash of a part of the arena; `value` is the hash of what is before it."""
    for index in range(start, end):
        value = (value ^ arena[index]) * _HASH_FACTOR & _HASH_MASK
    return value


def are_equal(arena: bytes, start: Any, end: Any, left: int, right: int) -> bool:
    """Tell whether two attributes have the same value, given their indices, or both are missing (-1)."""
    if left < 0 or right < 0:
        return left == right
    if left == right:
        return True
    length = end[left] - start[left]
    if end[right] - start[right] != length:
        return False
    for offset in range(length):
        if arena[start[left] + offset] != arena[start[right] + offset]:
            return False
    return True
