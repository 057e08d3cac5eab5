"""Options for fetching that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from broadsheet.web import AddressGuard

_PANEL = "Fetching"

AllowPrivate = Annotated[
    bool,
    typer.Option(
        "--allow-private",
        help="Also fetch from private addresses and other ports, such as http://localhost:8000.",
        rich_help_panel=_PANEL,
    ),
]
UseProxy = Annotated[
    bool,
    typer.Option(
        "--use-proxy",
        help="Use the proxy of the environment (http_proxy, https_proxy, no_proxy).",
        rich_help_panel=_PANEL,
    ),
]


def make_guard(*, allow_private: bool, use_proxy: bool) -> AddressGuard:
    """Return the address guard for the options."""
    from broadsheet.web import AddressGuard

    return AddressGuard(allow_private=allow_private, use_proxy=use_proxy)
