"""Cards of weights: the README.md that training writes into every folder of weights."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from broadsheet.errors import WeightsError, describe_unknown
from broadsheet.models.weights import CARD, CONFIG, SHIPPED, find_newest, list_weights, read_model_name

_COMMAND = re.compile(r"^- Trained by `([^`]+)`", re.MULTILINE)
_DATE = re.compile(r"^- Date: (\S+)$", re.MULTILINE)
_TABLE = re.compile(r"^\| (measure|training data) .*\n\| ---.*\n((?:\|.*\n?)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TrainingData:
    """A row of the table of training data."""

    name: str
    pages: int
    licence: str  # as the origin of the pages states it


@dataclass(frozen=True, slots=True)
class CardSummary:
    """The main facts of a card. A fact that the card does not state is empty."""

    model: str
    place: str  # "shipped", or the folder of own weights
    date: str
    pages: int  # training pages
    measure: str  # the first one on the card
    value: str
    command: str  # that trains the weights
    data: tuple[TrainingData, ...]


def list_shipped() -> list[CardSummary]:
    """Return the summaries of the newest shipped weights of each model."""
    names = sorted(path.name for path in SHIPPED.iterdir() if path.is_dir())
    return [_summarize(name, "shipped", find_newest(name)) for name in names]


def list_trained_cards(folder: Path) -> list[CardSummary]:
    """Return the summaries of the folders of weights in a folder; none if it has none."""
    parts = sorted(path.parent for path in folder.glob(f"*/{CONFIG}"))
    return [_summarize(read_model_name(part), str(part), part) for part in parts]


def read_card(name: str) -> str:
    """Return the cards of a folder of weights, or the card of a model's shipped weights. Raises WeightsError."""
    is_model = (SHIPPED / name).is_dir() and "/" not in name and not (Path(name) / CONFIG).is_file()
    if not is_model and "/" not in name and not Path(name).exists():
        raise WeightsError(describe_unknown("model", name, (card.model for card in list_shipped())))
    folders = [find_newest(name)] if is_model else list_weights(Path(name))
    return "\n".join(_read(folder) for folder in folders)


def _read(folder: Path) -> str:
    try:
        return (folder / CARD).read_text("utf-8")
    except (OSError, ValueError) as error:
        raise WeightsError(f"cannot read the card {folder / CARD}: {error}") from error


def _summarize(model: str, place: str, folder: Path) -> CardSummary:
    card = _read(folder) if (folder / CARD).is_file() else ""
    tables = {match[1]: [_split_row(row) for row in match[2].splitlines()] for match in _TABLE.finditer(card)}
    measures = [row for row in tables.get("measure", []) if len(row) > 1]
    rows = [row for row in tables.get("training data", []) if len(row) > 2 and row[1].isdigit()]
    data = tuple(TrainingData(row[0], int(row[1]), row[2]) for row in rows)
    command, date = _COMMAND.search(card), _DATE.search(card)
    measure, value = measures[0][:2] if measures else ("", "")
    return CardSummary(
        model=model,
        place=place,
        date=date[1] if date else "",
        pages=sum(row.pages for row in data),
        measure=measure,
        value=value,
        command=command[1] if command else "",
        data=data,
    )


def _split_row(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split(" | ")]
