"""Options of commands that extract pages: method, columns, and what belongs to the body."""

from __future__ import annotations

from typing import Annotated

import typer


def _complete_method(incomplete: str) -> list[str]:
    from broadsheet.methods import methods, published_methods

    return [name for name in (*methods(), *published_methods()) if name.startswith(incomplete)]


MethodName = Annotated[
    str | None,
    typer.Option(
        "--method",
        "-m",
        help="Method to use; see broadsheet methods.",
        autocompletion=_complete_method,
        show_default=False,
    ),
]
HtmlColumn = Annotated[
    str,
    typer.Option("--html-column", metavar="NAME", help="Column of the pages in JSON Lines, CSV and Parquet files."),
]
UrlColumn = Annotated[str, typer.Option("--url-column", metavar="NAME", help="Column of the pages' addresses.")]
BySite = Annotated[
    bool, typer.Option("--by-site", help="Learn the template of each host from the pages first, then extract.")
]
NoImages = Annotated[
    bool,
    typer.Option("--no-images", help="Leave images, videos and embedded posts out of the body."),
]
Render = Annotated[
    bool, typer.Option("--render", help="Render each page in Chromium, for methods that use styles. Slow.")
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", "-j", min=1, help="Number of processes. Default: one per core.", show_default=False),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, notes or summary: errors only.")]


def split_names(text: str | None) -> tuple[str, ...]:
    """Return the names of a list separated by commas."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())
