"""`broadsheet methods | models`: what there is to choose from, with descriptions and model cards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from broadsheet.models.weights import CardSummary

MODELS_EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet models                   shipped weights, and those in weights/
  broadsheet models weights/semtext   the card of your own weights
  broadsheet models semtext           the card of the shipped weights
"""
OWN_WEIGHTS = Path("weights")  # where broadsheet train writes by default


def methods_command() -> None:
    """List the methods with a one-line description, the default first, those as published last."""
    from broadsheet.methods import DEFAULT_METHOD, methods, published_methods

    names = (*methods(), *published_methods())
    rows = [(f"{name} (default)" if name == DEFAULT_METHOD else name, _describe_method(name)) for name in names]
    width = max(len(name) for name, _ in rows)
    for name, line in rows:
        print(f"{name:<{width}}  {line}".rstrip())


def _describe_method(name: str) -> str:
    from broadsheet.errors import MissingExtra
    from broadsheet.methods import describe_method

    try:
        return describe_method(name)
    except MissingExtra as error:
        return f"({error})"
    except Exception as error:  # a plugin that does not load must not hide the other methods
        return f"(does not load: {type(error).__name__}: {error})"


def models_command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL|DIR]...", help="Models or folders of weights whose cards are shown.", show_default=False
        ),
    ] = None,
) -> None:
    """List weights with their training data and quality, or show the cards of some."""
    from broadsheet.models.weights import find_newest, list_shipped, list_trained_cards, read_card
    from broadsheet.training.options import TRAINERS

    if names:
        for name in names:
            if name in TRAINERS and not Path(name).exists():
                find_newest(name)  # raises an error that says how to train weights that are not shipped
        print("\n".join(read_card(name) for name in names), end="")
        return
    trained = list_trained_cards(OWN_WEIGHTS) if OWN_WEIGHTS.is_dir() else []
    for line in _align([_HEADER, *map(_describe_card, [*list_shipped(), *trained])]):
        print(line)


_HEADER = ("model", "weights", "trained", "pages", "quality on held-out pages")


def _describe_card(card: CardSummary) -> tuple[str, ...]:
    quality = f"{card.measure}: {card.value}" if card.measure else ""
    return (card.model, card.place, card.date, str(card.pages or ""), quality)


def _align(rows: Iterable[tuple[str, ...]]) -> list[str]:
    rows = list(rows)
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADER))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
