"""Tables as grids, for formats without cells that extend over several columns or rows."""

from __future__ import annotations

from collections.abc import Sequence

from broadsheet.article.parts import Cell

_MAX_COLUMNS = 1_000


def expand_spans(rows: Sequence[tuple[Cell, ...]]) -> Sequence[tuple[Cell, ...]]:
    """Put empty cells where a cell extends over several columns or rows, so that the columns stay aligned."""
    if all(cell.columns == 1 and cell.rows == 1 for row in rows for cell in row):
        return rows
    expanded: list[tuple[Cell, ...]] = []
    open_rows: dict[int, int] = {}  # column -> rows that a cell above still extends over
    for row in rows:
        cells: list[Cell] = []
        for cell in row:
            while open_rows.get(len(cells), 0) > 0 and len(cells) < _MAX_COLUMNS:
                open_rows[len(cells)] -= 1
                cells.append(Cell(()))
            for offset in range(cell.columns):
                if cell.rows > 1:
                    open_rows[len(cells)] = cell.rows - 1
                cells.append(cell if not offset else Cell((), cell.is_header))
        expanded.append(tuple(cells))
    return expanded
