"""Weights and settings that Fusion cannot use are UsageErrors of one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from broadsheet.errors import UsageError
from broadsheet.methods.fusion import Fusion, FusionConfig
from broadsheet.methods.fusion.method import ALL_FEATURES
from broadsheet.models import load_weights, save_weights


def write_weights(folder: Path, changes: dict[str, Any], arrays: dict[str, Any]) -> Path:
    """Write the shipped weights with changes; None removes a value."""
    weights = load_weights("fusion")
    new_config = {name: value for name, value in {**weights.config, **changes}.items() if value is not None}
    new_arrays = {name: array for name, array in {**weights.arrays, **arrays}.items() if array is not None}
    new_config.pop("model")
    save_weights(folder, "fusion", new_arrays, new_config, "")
    return folder


@pytest.mark.parametrize(
    ("changes", "arrays", "message"),
    [
        ({"measures": list(ALL_FEATURES[1:])}, {}, "was trained with other features"),
        ({"measures": None}, {}, "has no 'measures'"),
        ({"network": None}, {}, "has no 'network"),
        ({"article_limit": None}, {}, "has no 'article_limit'"),
        ({}, {"member0.mix": None}, "has no array 'member0.mix'"),
        ({}, {"name_keys": None}, "has no array 'name_keys'"),
        ({}, {"member1.conv2": np.zeros((3, 9), np.float16)}, r"array 'member1.conv2' .* is float16 of shape \(3, 9\)"),
        ({}, {"member0.near": np.zeros(3, np.float16)}, "array 'member0.near'"),
        ({}, {"quality.child": None}, "has no array 'quality.child'"),
        ({}, {"article.value": np.zeros(3)}, "array 'article.value'"),
        ({"quality": {"depth": 3}}, {}, "has no 'quality.base'"),
    ],
)
def test_weights_that_do_not_fit(tmp_path: Path, changes: dict[str, Any], arrays: dict[str, Any], message: str) -> None:
    folder = write_weights(tmp_path / "1", changes, arrays)
    with pytest.raises(UsageError, match=message) as error:
        Fusion(weights=folder)
    assert "\n" not in str(error.value)
    assert "broadsheet train fusion" in str(error.value)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("reach", [1, 2, 4, -8], "'network.reach' .* has -8, expected 1 to"),  # it would lead outside the arrays
        ("reach", [0, 2, 4, 8], "'network.reach' .* has 0"),
        ("pooled", [0, 4], "'network.pooled' .* has 4, expected 0 to 3"),
        ("members", 0, "'network.members' .* is less than 1"),
    ],
)
def test_a_network_out_of_range(tmp_path: Path, name: str, value: object, message: str) -> None:
    network = {**load_weights("fusion").config["network"], name: value}
    folder = write_weights(tmp_path / "1", {"network": network}, {})
    with pytest.raises(UsageError, match=message):
        Fusion(weights=folder)


def test_a_forest_of_more_features(tmp_path: Path) -> None:
    feature = load_weights("fusion").arrays["article.feature"].copy()
    feature[0] = 63
    folder = write_weights(tmp_path / "1", {}, {"article.feature": feature})
    with pytest.raises(UsageError, match="uses more than 63 features"):
        Fusion(weights=folder)


def test_a_folder_may_be_a_string(tmp_path: Path) -> None:
    folder = write_weights(tmp_path / "1", {}, {})
    assert Fusion(weights=str(folder)).weights_hash == Fusion(weights=folder).weights_hash


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"threshold": 1.5}, "FusionConfig.threshold is 1.5; it must be between 0 and 1"),
        ({"min_role_score": -0.1}, "FusionConfig.min_role_score is -0.1"),
        ({"min_article_chars": 0}, "FusionConfig.min_article_chars is 0; it must be positive"),
        ({"min_threshold": 0.9}, "min_threshold is greater than max_threshold"),
    ],
)
def test_settings_out_of_range(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        FusionConfig(**settings)


def test_config_of_the_wrong_type(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="config must be a FusionConfig"):
        Fusion(tmp_path)  # type: ignore[arg-type]
