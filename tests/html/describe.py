"""Node tables as plain values, for comparisons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from broadsheet.html import table as kinds
from broadsheet.html.names import TAG_NAMES
from broadsheet.html.table import NodeTable
from broadsheet.page import tags

SHARED = Path(__file__).resolve().parents[3] / "shared"
MAX_NODES, MAX_DEPTH = 60_000, 512


def make_kinds() -> bytes:
    """Return how each tag is treated."""
    kind_of = dict.fromkeys(tags.CONTAINERS, kinds.CONTAINER) | dict.fromkeys(tags.DROPPED, kinds.DROPPED)
    kind_of |= {"br": kinds.BREAK, "a": kinds.LINK, "template": kinds.DROPPED | kinds.TEMPLATE}
    return bytes(kind_of.get(name, 0) for name in TAG_NAMES)


KINDS = make_kinds()


def check_nothing() -> None:
    """Stand in for a deadline that never comes."""


def describe(table: NodeTable) -> dict[str, object]:
    """Return all columns of a table, with strings in place of numbers that differ between the two ways."""
    arena = table.arena

    def read(start: int, end: int) -> str:
        return arena[start:end].decode("utf-8", "surrogatepass")

    def read_attributes(row: int) -> list[tuple[str, str]]:
        first = table.first_attribute[row]
        indices = range(first, first + table.attribute_count[row])
        return [
            (table.attribute_names[table.attribute_name[i]], read(table.value_start[i], table.value_end[i]))
            for i in indices
        ]

    return {
        "tag": [table.tag_names[tag] for tag in table.tag],
        "parent": list(table.parent),
        "end": list(table.end),
        "text": [read(start, end) for start, end in zip(table.text_start, table.text_end, strict=True)],
        "attributes": [read_attributes(row) for row in range(len(table))],
        "flags": list(table.flags),
        "outer": list(table.outer),
        "runs": list(zip(table.run_container, table.run_end, table.run_breaks, strict=True)),
        "run_rows": list(zip(table.run_rows, table.run_in_link, strict=True)),
        "is_cut": table.is_cut,
        "is_quirky": table.is_quirky,
    }


def read_cases(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield html5lib's tree-construction cases: file, source, expected tree. Without fragments and scripts."""
    for path in sorted(folder.glob("*.dat")):
        text = path.read_bytes().decode("utf-8", "surrogatepass")
        for case in re.split(r"(?:^|\n)#data\n", text)[1:]:
            source, found, rest = case.partition("\n#errors\n")
            if not found:
                continue
            head, _, document = rest.partition("#document\n")
            if "#document-fragment" not in head + rest.partition("\n\n")[0] and "#script-on" not in head:
                yield path.name, source, document.rstrip("\n")
