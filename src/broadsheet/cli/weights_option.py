"""The option `--weights`, and the method that it chooses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

WeightsFolders = Annotated[
    list[Path] | None,
    typer.Option(
        "--weights",
        metavar="DIR",
        help="Your own weights, as written by broadsheet train: of a method, of the title ranker, or a folder with "
        "both. Can be repeated.",
        show_default=False,
    ),
]


def choose_method(name: str | None, weights: list[Path] | None) -> str:
    """Return the named method, or the one that the weights belong to, or the default."""
    from broadsheet.methods import DEFAULT_METHOD
    from broadsheet.options import list_own_weights

    if name is None and weights:
        name = list_own_weights(tuple(weights)).method
    return DEFAULT_METHOD if name is None else name
