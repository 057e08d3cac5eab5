"""Values of the record as cells of a spreadsheet: text, numbers and nothing else."""

from __future__ import annotations

import json
from typing import Any

from broadsheet.fields.field import IMAGES, STRINGS
from broadsheet.output.record import Column

_SEPARATOR = "; "


def make_cell(value: Any, column: Column) -> str | float | None:
    """Return a value as a cell: names joined with "; ", addresses of images with spaces, objects as JSON."""
    if value is None or isinstance(value, str | int | float):
        return value
    if not value:
        return None
    if column.type == STRINGS:
        separator = "\n" if column.name == "comments" else _SEPARATOR
        return separator.join(value)
    if column.type == IMAGES:
        return " ".join(image["url"] for image in value)
    return json.dumps(value, ensure_ascii=False)
