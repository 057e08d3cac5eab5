"""The trained forests of the method, and the scores of body blocks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.visual.body_features import (
    BODY_FEATURES,
    SCORE_FEATURES,
    TITLE_FEATURES,
    BodyFeatures,
    compute_from_title,
    compute_score_features,
    stack_columns,
)
from broadsheet.methods.visual.config import MODEL
from broadsheet.methods.visual.date_features import DATE_FEATURES
from broadsheet.methods.visual.features import DATE_COLUMNS, TITLE_COLUMNS
from broadsheet.models import Forest, load_weights
from broadsheet.models.config import read_setting
from broadsheet.models.forest import load_forest

_FIRST_BODY_COLUMNS = len(BODY_FEATURES) + len(TITLE_FEATURES)
# Names in weights folders, and the number of features of each forest.
COLUMNS = {
    "title": len(TITLE_COLUMNS),
    "date": len(DATE_COLUMNS),
    "date_clues": len(DATE_FEATURES),
    "body": _FIRST_BODY_COLUMNS,
    "body_again": _FIRST_BODY_COLUMNS + len(SCORE_FEATURES),
}
NAMES = tuple(COLUMNS)
SECTION = "forests"  # of config.json


@dataclass(frozen=True, slots=True, eq=False)
class Forests:
    """One forest per decision."""

    title: Forest  # attributes -> title node
    date: Forest  # attributes -> date node
    date_clues: Forest  # DATE_FEATURES -> date node
    body: Forest  # BODY_FEATURES and TITLE_FEATURES -> body block
    body_again: Forest  # the same and SCORE_FEATURES, from the scores of `body` -> body block


def load_forests(folder: str | Path | None = None) -> Forests:
    """Load the shipped forests or those in a folder; those that it lacks are the shipped ones.

    Raise UsageError if they cannot be used.
    """
    shipped, weights = load_weights(MODEL), load_weights(MODEL, folder)
    stored = read_setting(weights, SECTION, kind=dict)
    return Forests(
        **{
            name: load_forest(weights if name in stored else shipped, name, COLUMNS[name], section=(SECTION,))
            for name in NAMES
        }
    )


def score_body(features: BodyFeatures, title_block: int | None, forests: Forests) -> NDArray[np.float64]:
    """Return the score of each block: the probability that it is part of the body."""
    chars = features.columns["chars"]
    columns = features.columns | compute_from_title(len(chars), title_block)
    samples = stack_columns(columns, (*BODY_FEATURES, *TITLE_FEATURES))
    first_scores = forests.body.predict(samples)
    score_samples = stack_columns(compute_score_features(features.groups, chars, first_scores), SCORE_FEATURES)
    return forests.body_again.predict(np.concatenate((samples, score_samples), axis=1))
