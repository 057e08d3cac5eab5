"""Options that set `broadsheet.Limits` from the command line.

The defaults are written out, and checked by a test: importing them would make `broadsheet --help` slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from broadsheet.errors import UsageError

if TYPE_CHECKING:
    from broadsheet.page import Limits


def _option(name: str, text: str) -> Any:
    return typer.Option(name, help=text, rich_help_panel="Limits per page", show_default=False)


MaxSeconds = Annotated[
    float | None, _option("--max-seconds", "Time limit in seconds; beyond it, the status is timeout. Default: 20.")
]
MaxBytes = Annotated[int | None, _option("--max-bytes", "Bytes to read; the rest is left out. Default: 8,000,000.")]
MaxNodes = Annotated[int | None, _option("--max-nodes", "Elements and text nodes to read. Default: 60,000.")]
MaxDepth = Annotated[int | None, _option("--max-depth", "Nesting depth; deeper elements move up to it. Default: 512.")]
MaxBlocks = Annotated[int | None, _option("--max-blocks", "Blocks of visible text. Default: 15,000.")]
MaxChars = Annotated[int | None, _option("--max-chars", "Characters of visible text. Default: 500,000.")]
MaxMemory = Annotated[
    int | None, _option("--max-memory", "Bytes that a worker process may allocate. Default: 2,000,000,000.")
]


def make_limits(**values: float | None) -> Limits:
    """Return the default limits with the given ones changed. Raises UsageError for a limit that is not positive."""
    from broadsheet.page import Limits

    limits = {name: value for name, value in values.items() if value is not None}
    for name, value in limits.items():
        if not value > 0:
            raise UsageError(f"--{name.replace('_', '-')} must be greater than 0, not {value:g}")
    return Limits(**limits)  # type: ignore[arg-type]
