"""A node table as one line: `p[class](#a b(#c))` is `<p class>a<b>c</b></p>`."""

from __future__ import annotations

from broadsheet.html.table import NodeTable


def write_outline(table: NodeTable) -> str:
    """Return the rows as one line, without values of attributes."""
    return "".join(_write_row(table, row) for row, parent in enumerate(table.parent) if parent < 0)


def _write_row(table: NodeTable, row: int) -> str:
    if not table.tag[row]:
        return "#" + table.arena[table.text_start[row] : table.text_end[row]].decode().replace("\n", "\\n")
    first = table.first_attribute[row]
    numbers = table.attribute_name[first : first + table.attribute_count[row]]
    names = " ".join(table.attribute_names[number] for number in numbers)
    children = [_write_row(table, child) for child in range(row + 1, table.end[row]) if table.parent[child] == row]
    tag = table.tag_names[table.tag[row]]
    return tag + (f"[{names}]" if names else "") + (f"({' '.join(children)})" if children else "")
