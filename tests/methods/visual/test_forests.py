"""Weights that the method rejects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from broadsheet.errors import UsageError
from broadsheet.methods.visual import Visual, VisualConfig
from broadsheet.methods.visual.forests import COLUMNS
from broadsheet.models import load_weights, save_weights

SHIPPED = load_weights("visual")
FORESTS = SHIPPED.config["forests"]
BROKEN: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("missing array", {"date.value": None}, {}, "has no array 'date.value'"),
    ("wrong shape", {"body.child": np.zeros(3, np.int32)}, {}, r"'body.child' .* is int32 of shape \(3,\)"),
    ("wrong kind", {"title.feature": np.zeros(3, np.float32)}, {}, "'title.feature' .* is float32 .* expected integers"),
    ("other features", {"title.feature": SHIPPED.arrays["title.feature"] + 8}, {}, "forest 'title' .* trained with other features"),
    ("damaged", {"title.roots": np.array([10**6])}, {}, "forest 'title' .* is damaged"),
    ("no trees", {"title.roots": np.zeros(0, np.int32)}, {}, "forest 'title' .* is damaged"),
    ("no settings", {}, {"forests": None}, "config.json has no 'forests'"),
    ("a forest without settings", {}, {"forests": {**FORESTS, "date": 5}}, "config.json has no 'forests.date.depth'"),
    ("a value of a wrong type", {}, {"forests": {**FORESTS, "date": {**FORESTS["date"], "depth": "14"}}}, "'forests.date.depth' .* is '14', expected int"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arrays", "config", "message"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN]
)
def test_broken_weights(arrays: dict[str, Any], config: dict[str, Any], message: str, tmp_path: Path) -> None:
    merged_arrays = {name: array for name, array in ({**SHIPPED.arrays, **arrays}).items() if array is not None}
    merged_config = {name: value for name, value in ({**SHIPPED.config, **config}).items() if value is not None}
    save_weights(tmp_path / "w", "visual", merged_arrays, merged_config, "")
    with pytest.raises(UsageError, match=message) as error:
        Visual(weights=tmp_path / "w")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", COLUMNS)
def test_forests_use_most_features(name: str) -> None:
    """A list of features that is longer than that of the training would go unnoticed."""
    assert int(SHIPPED.arrays[f"{name}.feature"].max()) >= COLUMNS[name] - 2


def test_the_folder_may_be_given_as_a_string() -> None:
    assert Visual(weights=str(SHIPPED.folder)).config == VisualConfig.shipped()


def test_forests_that_a_folder_lacks_are_the_shipped_ones(tmp_path: Path) -> None:
    arrays = {name: array for name, array in SHIPPED.arrays.items() if name.startswith("title.")}
    save_weights(tmp_path / "w", "visual", arrays, {"forests": {"title": FORESTS["title"]}}, "")
    forests = Visual(weights=tmp_path / "w").forests
    assert np.array_equal(forests.body.feature, SHIPPED.arrays["body.feature"])
    assert np.array_equal(forests.title.feature, SHIPPED.arrays["title.feature"])
