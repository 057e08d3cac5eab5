"""Options that set `broadsheet.Limits` from the command line.

The defaults are written out, and checked by a test: importing them would make `broadsheet --help` slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from broadsheet.errors import UsageError

if TYPE_CHECKING:
    from broadsheet.page import Limits

_PANEL = "Limits per page"

MaxSeconds = Annotated[
    float | None,
    typer.Option(
        "--max-seconds",
        help="Seconds; then the status is timeout. Default: 20.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]
MaxBytes = Annotated[
    int | None,
    typer.Option(
        "--max-bytes",
        help="Bytes that are read; the rest is left out. Default: 8,000,000.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]
MaxNodes = Annotated[
    int | None,
    typer.Option(
        "--max-nodes",
        help="Elements and texts that are read. Default: 100,000.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]
MaxDepth = Annotated[
    int | None,
    typer.Option(
        "--max-depth",
        help="Nesting depth; deeper elements move up to it. Default: 512.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]
MaxBlocks = Annotated[
    int | None,
    typer.Option(
        "--max-blocks",
        help="Blocks of text that are read. Default: 25,000.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]
MaxChars = Annotated[
    int | None,
    typer.Option(
        "--max-chars",
        help="Characters of visible text that are read. Default: 500,000.",
        rich_help_panel=_PANEL,
        show_default=False,
    ),
]


def make_limits(**values: float | None) -> Limits:
    """Return the default limits with the given ones changed. Raises UsageError for a limit that is not positive."""
    from broadsheet.page import Limits

    given = {name: value for name, value in values.items() if value is not None}
    for name, value in given.items():
        if not value > 0:
            raise UsageError(f"--{name.replace('_', '-')} must be greater than 0, not {value:g}")
    return Limits(**given)  # type: ignore[arg-type]
