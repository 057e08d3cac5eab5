"""The trained forests of the method, and the two steps that ask the body's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.visual.body import (
    Column,
    Groups,
    Known,
    group_blocks,
    measure_blocks,
    measure_from_title,
    measure_scores,
    stack,
)
from broadsheet.methods.visual.reading import Reading
from broadsheet.models import Forest, load_weights, read_forest

MODEL = "visual"
NAMES = ("title", "date", "date_clues", "body", "body_again")


@dataclass(frozen=True, slots=True, eq=False)
class Forests:
    """One forest for each question."""

    title: Forest  # nine attributes -> title node
    date: Forest  # nine attributes -> date node
    date_clues: Forest  # clues -> date node
    body: Forest  # numbers of a block -> body
    body_again: Forest  # the same, and what `body` says of it and of those around it


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Numbers of all blocks."""

    columns: dict[str, Column]
    groups: Groups


def load_forests(folder: Path | None = None) -> Forests:
    """Load the shipped forests, or those of a folder."""
    weights = load_weights(MODEL, folder)
    return Forests(**{name: read_forest(name, weights.arrays, weights.config["forests"][name]) for name in NAMES})


def measure_body(reading: Reading) -> Measured:
    """Measure all blocks of a page, but for those numbers that ask where the title is."""
    first = reading.first_nodes()
    groups = group_blocks(reading.blocks)
    known = Known(reading.is_relevant[first], reading.look.pick(first), groups)
    return Measured(measure_blocks(reading.page, reading.blocks, reading.text, known), groups)


def score_body(measured: Measured, title_block: int | None, forests: Forests) -> NDArray[np.float64]:
    """Score each block: how much it looks like the body."""
    chars = measured.columns["chars"]
    samples = stack(measured.columns | measure_from_title(len(chars), title_block))
    again = stack(measure_scores(measured.groups, chars, forests.body.predict(samples)))
    return forests.body_again.predict(np.concatenate((samples, again), axis=1))
