"""Options that set `broadsheet.Limits` from the command line."""

from __future__ import annotations

from typing import Annotated

import typer

from broadsheet.errors import UsageError
from broadsheet.page import DEFAULT_LIMITS, Limits

_PANEL = "Limits per page"

MaxSeconds = Annotated[
    float | None,
    typer.Option(
        "--max-seconds",
        help=f"Seconds; then the status is timeout. Default: {DEFAULT_LIMITS.max_seconds:g}.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]
MaxBytes = Annotated[
    int | None,
    typer.Option(
        "--max-bytes",
        help=f"Bytes that are read; the rest is left out. Default: {DEFAULT_LIMITS.max_bytes:,}.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]
MaxNodes = Annotated[
    int | None,
    typer.Option(
        "--max-nodes",
        help=f"Elements and texts that are read. Default: {DEFAULT_LIMITS.max_nodes:,}.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]
MaxDepth = Annotated[
    int | None,
    typer.Option(
        "--max-depth",
        help=f"Nesting depth; deeper elements move up to it. Default: {DEFAULT_LIMITS.max_depth}.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]


def make_limits(**values: float | None) -> Limits:
    """Return the default limits with the given ones changed. Raises UsageError for a limit that is not positive."""
    given = {name: value for name, value in values.items() if value is not None}
    for name, value in given.items():
        if not value > 0:
            raise UsageError(f"--{name.replace('_', '-')} must be greater than 0, not {value:g}")
    return Limits(**given)  # type: ignore[arg-type]
