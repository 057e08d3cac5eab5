# cython: boundscheck=False, wraparound=False
"""Hashes of the words of class names and ids: "articleBody related-links" gives article, body, related, links."""

from __future__ import annotations

from array import array
from typing import Any

from broadsheet.html.table import NodeTable

MAX_NAME_CHARS = 400  # of one attribute; the rest is ignored
MAX_WORDS = 12  # of one attribute
MAX_WORD_CHARS = 20  # longer strings are keys, not words
MIN_WORD_CHARS = 2
_MAX_NAME_CHARS, _MAX_WORDS, _MAX_WORD_CHARS, _MIN_WORD_CHARS = MAX_NAME_CHARS, MAX_WORDS, MAX_WORD_CHARS, MIN_WORD_CHARS
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


class NameWriter:
    """Writes the hashes of the names of one position after the other."""

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
