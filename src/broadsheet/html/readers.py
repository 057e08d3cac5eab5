"""Read texts, tags and attributes of a node table. Strings are made when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from broadsheet.html.names import ATTRIBUTE_IDS, ATTRIBUTE_NAMES
from broadsheet.html.table import NO_CONTAINER, NodeTable

_NO_CONTAINER = NO_CONTAINER
_ENCODING, _ERRORS = "utf-8", "surrogatepass"


class Texts:
    """The texts of all rows: a sequence of strings, "" for elements."""

    def __init__(self, table: NodeTable) -> None:
        self._arena: Any = table.arena
        self._start: Any = table.text_start
        self._end: Any = table.text_end
        self._length = len(table.text_end)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, key: Any) -> Any:
        """Return the text of a row, or a list of texts."""
        if isinstance(key, slice):
            start, stop, _ = key.indices(self._length)
            return self.read_range(start, stop)
        row = key
        if row < 0:
            row += self._length
        if not 0 <= row < self._length:
            raise IndexError("row out of range")
        return self.read(row)

    def read_range(self, start: int, stop: int) -> list[str]:
        """Return the texts of several rows."""
        return [self.read(row) for row in range(start, stop)]

    def read(self, row: int) -> str:
        """Return the text of a row."""
        start, end = self._start[row], self._end[row]
        return self._arena[start:end].decode("utf-8", "surrogatepass") if start < end else ""


class Attributes:
    """The attributes of all rows. Names are in lower case."""

    def __init__(self, table: NodeTable) -> None:
        self._arena: Any = table.arena
        self._first: Any = table.first_attribute
        self._count: Any = table.attribute_count
        self._name: Any = table.attribute_name
        self._start: Any = table.value_start
        self._end: Any = table.value_end
        self._all_names: Any = table.attribute_names
        self._ids: dict[str, int] = {}  # names of this page that are not in ATTRIBUTE_IDS

    def find_id(self, name: str) -> int:
        """Return the number of a name on this page; -1 if no element has such an attribute."""
        number = ATTRIBUTE_IDS.get(name, -1)
        if number >= 0 or len(self._all_names) == len(ATTRIBUTE_NAMES):
            return number
        if not self._ids:
            others = range(len(ATTRIBUTE_NAMES), len(self._all_names))
            self._ids = {self._all_names[other].lower(): other for other in others}
        return self._ids.get(name, -1)

    def find(self, row: int, name_id: int) -> int:
        """Return the index of an attribute, given the number of its name; -1 if the row does not have it."""
        first = self._first[row]
        for index in range(first, first + self._count[row]):
            if self._name[index] == name_id:
                return index
        return -1

    def read(self, index: int) -> str:
        """Return the value of an attribute, given its index."""
        start, end = self._start[index], self._end[index]
        return self._arena[start:end].decode("utf-8", "surrogatepass") if start < end else ""

    def get(self, row: int, name: str) -> str | None:
        """Return the value of an attribute: None if the row does not have it, "" if it has no value."""
        index = self.find(row, self.find_id(name))
        return None if index < 0 else self.read(index)

    def get_all(self, rows: Iterable[int], name: str) -> list[str | None]:
        """Return the values of an attribute for many rows."""
        name_id = self.find_id(name)
        values: list[str | None] = []
        for row in rows:
            index = self.find(row, name_id)
            values.append(None if index < 0 else self.read(index))
        return values

    def get_beyond_ascii(self, rows: Iterable[int], name: str) -> dict[int, str]:
        """Return the values of an attribute that have a character outside ASCII, by row."""
        name_id = self.find_id(name)
        values: dict[int, str] = {}
        for row in rows:
            index = self.find(row, name_id)
            if index >= 0:
                for at in range(self._start[index], self._end[index]):
                    if self._arena[at] > 127:
                        values[row] = self.read(index)
                        break
        return values

    def get_rows(self, rows: Iterable[int], names: Iterable[str]) -> list[list[str | None]]:
        """Return the values of several attributes for each row."""
        name_ids = [self.find_id(name) for name in names]
        values: list[list[str | None]] = []
        for row in rows:
            row_values: list[str | None] = []
            for name_id in name_ids:
                index = self.find(row, name_id)
                row_values.append(None if index < 0 else self.read(index))
            values.append(row_values)
        return values

    def read_all(self, row: int) -> dict[str, str]:
        """Return all attributes of a row."""
        first = self._first[row]
        values: dict[str, str] = {}
        for index in range(first, first + self._count[row]):
            values[self._all_names[self._name[index]]] = self.read(index)
        return values

    def names(self, row: int) -> tuple[str, ...]:
        """Return the names of a row's attributes, in the order of the page."""
        first = self._first[row]
        return tuple([self._all_names[self._name[index]] for index in range(first, first + self._count[row])])

    def rows_with(self, name: str) -> list[int]:
        """Return the rows that have an attribute, with or without a value."""
        name_id = self.find_id(name)
        rows: list[int] = []
        if name_id >= 0:
            for row in range(len(self._first)):
                if self._count[row] and self.find(row, name_id) >= 0:
                    rows.append(row)  # noqa: PERF401 - compiled
        return rows

    def rows_containing(
        self, names: Iterable[str], words: Iterable[str], start: int = 0, stop: int | None = None
    ) -> list[int]:
        """Return the rows from `start` to `stop` with a word in one of these attributes, in any case of its letters.

        The words are in lower case. Letters outside ASCII must match exactly, as in CSS.
        """
        name_ids = frozenset([self.find_id(name) for name in names])
        parts = [word.encode(_ENCODING) for word in words]
        first_bytes = bytearray(256)
        for part in parts:
            first_bytes[part[0]] = 1
        rows: list[int] = []
        for row in range(start, len(self._first) if stop is None else stop):
            first = self._first[row]
            for index in range(first, first + self._count[row]):
                if self._name[index] in name_ids and self._has_word(index, parts, first_bytes):
                    rows.append(row)
                    break
        return rows

    def _has_word(self, index: int, words: list[bytes], first_bytes: bytearray) -> bool:
        """Tell whether a value has one of the words, given their first bytes."""
        start, end = self._start[index], self._end[index]
        for at in range(start, end):
            if first_bytes[lower_byte(self._arena[at])]:
                for word in words:
                    if starts_with(self._arena, at, end, word):
                        return True
        return False


def lower_byte(byte: int) -> int:
    """Return an ASCII letter in lower case, another byte unchanged."""
    return byte + 32 if 65 <= byte <= 90 else byte


def starts_with(arena: bytes, start: int, end: int, word: bytes) -> bool:
    """Tell whether a range of the arena starts with a word, which is in lower case."""
    length = len(word)
    if end - start < length:
        return False
    for offset in range(length):  # noqa: SIM110 - compiled functions have no generators
        if lower_byte(arena[start + offset]) != word[offset]:
            return False
    return True


def list_tags(table: NodeTable) -> list[str]:
    """Return the tag of each row."""
    tags, names = table.tag, table.tag_names
    return [names[tags[row]] for row in range(len(tags))]


def find_rows(column: Any, value: int) -> list[int]:
    """Return the rows with a value."""
    return [row for row in range(len(column)) if column[row] == value]


def group_rows(column: Any, groups: Any, count: int) -> list[list[int]]:
    """Return the rows of each group. `groups` gives the group of each value; group 0 is not listed."""
    rows: list[list[int]] = [[] for _ in range(count)]
    for row in range(len(column)):
        value = column[row]
        if value < len(groups):
            group = groups[value]
            if group:
                members = rows[group]
                members.append(row)
    return rows


def find_flagged_rows(flags: Any, bit: int) -> list[int]:
    """Return the rows that have a flag."""
    return [row for row in range(len(flags)) if flags[row] & bit]


def find_outer(outer: Any) -> dict[int, int]:
    """Return the rows of the containers, and the row of the next container around each, -1 for none."""
    return {row: outer[row] for row in range(len(outer)) if outer[row] != _NO_CONTAINER}
