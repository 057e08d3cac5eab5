"""The texts of the runs of a page, in plain Python. `runs.pyx` does the same in C, in one pass over the bytes."""

from __future__ import annotations

from broadsheet.html.table import NodeTable
from broadsheet.kernel.spaces import split_and_join


class RunTexts:
    """The texts of the items of all runs. An item is a text node or a `<br>`."""

    def __init__(self, table: NodeTable) -> None:
        self._table = table

    def read(self, item: int) -> str:
        """Return the text of an item, "" for a break."""
        table = self._table
        row = table.run_rows[item]
        return table.arena[table.text_start[row] : table.text_end[row]].decode("utf-8", "surrogatepass")

    def fold(self, start: int, stop: int) -> str:
        """Join the texts of several items and fold them: see `kernel.spaces`."""
        return split_and_join("".join([self.read(item) for item in range(start, stop)]))

    def is_break(self, item: int) -> bool:
        """Tell whether an item is a `<br>`."""
        return not self.read(item)

    def is_space(self, item: int) -> bool:
        """Tell whether an item is white space."""
        return self.read(item).isspace()

    def count_link_chars(self, start: int, stop: int) -> int:
        """Return the number of characters in links, without white space at the ends of texts."""
        in_link = self._table.run_in_link
        return sum([len(self.read(item).strip()) for item in range(start, stop) if in_link[item]])


def count_chars(arena: bytes, start: int, end: int) -> int:
    """Return the number of characters of a text."""
    return len(arena[start:end].decode("utf-8", "surrogatepass"))
