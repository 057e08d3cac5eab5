# cython: boundscheck=False, wraparound=False
"""Containers and positions of blocks, and the words of their class names and ids: see `methods.fusion.containers`.

Indices are rows of the node table, containers, positions and blocks, which are all numbered from 0.
"""

from __future__ import annotations

from array import array
from typing import Any

from broadsheet.html.names import ATTRIBUTE_IDS
from broadsheet.html.table import NodeTable

_CLASS, _ID = ATTRIBUTE_IDS["class"], ATTRIBUTE_IDS["id"]
_HASH_FACTOR, _HASH_MASK = 0x01000193, 0xFFFF_FFFF  # FNV-1a
_INT, _LONG = array("i", [0]), array("q", [0])
MAX_NAME_CHARS = 400  # of one attribute; the rest is ignored
MAX_WORDS = 12  # of one attribute
MAX_WORD_CHARS = 20  # longer strings are keys, not words
MIN_WORD_CHARS = 2
_MAX_NAME_CHARS, _MAX_WORDS, _MAX_WORD_CHARS, _MIN_WORD_CHARS = (
    MAX_NAME_CHARS,
    MAX_WORDS,
    MAX_WORD_CHARS,
    MIN_WORD_CHARS,
)
_MAX_POSITION_WORDS = 2 * MAX_WORDS  # of class and id


def _make_crc_table() -> array[int]:
    """Return the table of CRC-32, as `zlib.crc32` computes it."""
    table = array("I")
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ 0xEDB88320 if value & 1 else value >> 1
        table.append(value)
    return table


_CRC_TABLE: Any = _make_crc_table()


class ContainerArrays:
    """The arrays that `find_containers` fills, for c containers and n blocks. The page is container c."""

    def __init__(self, enclosing: Any, max_containers: int) -> None:
        self.enclosing = enclosing  # (levels, n) the containers around each block, the innermost first
        self.rows = _INT * max_containers  # (c,) of the node table
        self.outer = _INT * max_containers  # (c + 1,) the container around each; c for the outermost
        self.first_block = _LONG * max_containers  # (c + 1,)
        self.end_block = _LONG * max_containers  # (c + 1,) one after the last block
        self.count = 0


def find_containers(table: NodeTable, block_rows: Any, levels: int, arrays: ContainerArrays) -> None:
    """Number the containers with text in document order. The page has the number after them.

    `block_rows` are the rows of the innermost containers around the blocks, -1 for none.
    """
    outer_rows, outer, rows = table.outer, arrays.outer, arrays.rows
    first_block, end_block, enclosing = arrays.first_block, arrays.end_block, arrays.enclosing
    number, count = len(block_rows), 0
    numbers = _INT * len(outer_rows)  # row of a container -> its number + 1; 0: none yet
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
    """The arrays that `group_positions` fills, for p positions and n blocks."""

    def __init__(self, table: NodeTable, max_positions: int, number: int) -> None:
        self.container = _LONG * (max_positions + 1)  # (c + 1,) the position of each container
        self.block = _LONG * number  # (n,) the position of each block
        self.outer = _LONG * max_positions  # (p,) position around, always a smaller number; -1 for none
        self.tag = array("H", [0]) * max_positions  # (p,) index into `html.names.TAG_NAMES`; 0 for none
        self.depth = _INT * max_positions  # (p,)
        self.names = NameWriter(table, max_positions)  # words of class and id
        self.count = 0


def group_positions(table: NodeTable, arrays: ContainerArrays, positions: PositionArrays) -> None:
    """Group containers whose tags, class names, ids and outer positions are equal. The page has position 0."""
    rows, outer, tags, count = arrays.rows, arrays.outer, table.tag, arrays.count
    container_position, position_outer = positions.container, positions.outer
    position_tag, depths = positions.tag, positions.depth
    enclosing, block_position = arrays.enclosing, positions.block
    index = PositionIndex(table, positions, count)
    for container in range(count):
        row, around = rows[container], outer[container]
        outer_position = container_position[around] if around < count else -1
        number = index.find(row, tags[row], outer_position)
        if number == index.count:  # a new one
            position_outer[number], position_tag[number] = outer_position, tags[row]
            depths[number] = depths[outer_position] + 1 if outer_position >= 0 else 0
            index.add(number)
        container_position[container] = number
    if not count:
        position_outer[0] = -1
        index.add(0)
    container_position[count] = 0
    positions.count = index.count
    for block in range(len(block_position)):
        block_position[block] = container_position[enclosing[block]]


class PositionIndex:
    """A hash table of positions, by tag, class, id and outer position."""

    def __init__(self, table: NodeTable, positions: PositionArrays, containers: int) -> None:
        size = 16
        while size < 2 * containers:
            size *= 2
        self.count = 0
        self._size = size
        self._slots: Any = _INT * size  # position + 1; 0: free
        self._slot = 0  # of the last search
        self._class = self._id = -1  # attributes of the last search, -1 for none
        self._classes: Any = _INT * (containers + 1)  # of each position
        self._ids: Any = _INT * (containers + 1)
        self._outer: Any = positions.outer
        self._tag: Any = positions.tag
        self._names: NameWriter = positions.names  # with the values of attributes
        self._first: Any = table.first_attribute
        self._total: Any = table.attribute_count
        self._name: Any = table.attribute_name

    def find(self, row: int, tag: int, outer: int) -> int:
        """Return the position of a container; the number of positions if it is a new one."""
        self.find_attributes(row)
        key = ((outer + 2) * _HASH_FACTOR ^ tag) & _HASH_MASK
        key = self.hash_value(self._class, key)
        key = self.hash_value(self._id, key ^ 1)
        slot = key & (self._size - 1)
        while self._slots[slot]:
            position: int = self._slots[slot] - 1
            if (
                self._outer[position] == outer
                and self._tag[position] == tag
                and self.are_equal(self._classes[position], self._class)
                and self.are_equal(self._ids[position], self._id)
            ):
                return position
            slot = (slot + 1) & (self._size - 1)
        self._slot = slot
        return self.count

    def add(self, position: int) -> None:
        """Add the position that was searched for last."""
        self._slots[self._slot] = position + 1
        self._classes[position], self._ids[position] = self._class, self._id
        if self._class >= 0:
            self._names.add(self._class)
        if self._id >= 0:
            self._names.add(self._id)
        self._names.end_position()
        self.count += 1

    def find_attributes(self, row: int) -> None:
        """Find the class and the id of a row."""
        self._class = self._id = -1
        first = self._first[row]
        for index in range(first, first + self._total[row]):
            name = self._name[index]
            if name == _CLASS:
                self._class = index
            elif name == _ID:
                self._id = index

    def hash_value(self, attribute: int, key: int) -> int:
        """Return a hash of an attribute value, -1 for none; `key` is the hash of what is before it."""
        if attribute < 0:
            return key
        names = self._names
        for index in range(names._start[attribute], names._end[attribute]):
            key = (key ^ names._arena[index]) * _HASH_FACTOR & _HASH_MASK
        return key

    def are_equal(self, left: int, right: int) -> bool:
        """Tell whether two attributes have the same value, or both are missing (-1)."""
        if left < 0 or right < 0 or left == right:
            return left == right
        names = self._names
        start, other = names._start[left], names._start[right]
        length = names._end[left] - start
        if names._end[right] - other != length:
            return False
        for offset in range(length):  # noqa: SIM110 - compiled
            if names._arena[start + offset] != names._arena[other + offset]:
                return False
        return True


class NameWriter:
    """Writes the hashes of the words of class names and ids, of one position after the other.

    "articleBody related-links" gives article, body, related, links.
    """

    def __init__(self, table: NodeTable, max_positions: int) -> None:
        self.hashes = array("I", [0]) * (_MAX_POSITION_WORDS * max_positions)  # CRC-32 of distinct words
        self.ends = array("q", [0]) * max_positions  # of each position: the end of its hashes
        self._hashes: Any = self.hashes
        self._ends: Any = self.ends
        self._count = 0  # of hashes
        self._first = 0  # of this position
        self._positions = 0
        self._arena: Any = table.arena
        self._start: Any = table.value_start
        self._end: Any = table.value_end

    def add(self, attribute: int) -> None:
        """Add the words of an attribute value to the current position.

        Words are sequences of the letters A to Z. A capital after a small letter, or before one and after other
        capitals, starts a word.
        """
        start = self._start[attribute]
        end = self.find_limit(start, self._end[attribute])
        words = 0
        while start < end and words < _MAX_WORDS:
            stop = self.find_word_end(start, end)
            if _MIN_WORD_CHARS <= stop - start <= _MAX_WORD_CHARS:
                value = 0xFFFF_FFFF
                for index in range(start, stop):
                    value = value >> 8 ^ _CRC_TABLE[(value ^ (self._arena[index] | 0x20)) & 0xFF]
                words += self.add_hash(value ^ 0xFFFF_FFFF)
            start = stop if stop > start else start + 1

    def add_hash(self, value: int) -> int:
        """Add a hash to the current position, unless it has it; return the number of hashes added."""
        for index in range(self._first, self._count):
            if self._hashes[index] == value:
                return 0
        self._hashes[self._count] = value
        self._count += 1
        return 1

    def end_position(self) -> None:
        """Go on to the next position."""
        self._ends[self._positions] = self._first = self._count
        self._positions += 1

    def find_limit(self, start: int, end: int) -> int:
        """Return where the first MAX_NAME_CHARS characters of a value end."""
        if end - start <= _MAX_NAME_CHARS:
            return end
        chars = 0
        for index in range(start, end):
            if self._arena[index] & 0xC0 != 0x80:  # not in the middle of a character
                if chars == _MAX_NAME_CHARS:
                    return index
                chars += 1
        return end

    def find_word_end(self, start: int, end: int) -> int:
        """Return the end of the word that starts at `start`; `start` if no word starts there."""
        stop = start
        while stop < end and 65 <= self._arena[stop] <= 90:  # A to Z
            stop += 1
        if stop < end and 97 <= self._arena[stop] <= 122:  # a to z
            if stop - start > 1:  # capitals before a capitalised word
                return stop - 1
            while stop < end and 97 <= self._arena[stop] <= 122:
                stop += 1
        return stop
