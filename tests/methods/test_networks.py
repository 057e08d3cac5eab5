"""The networks of `gcn` and `semtext`: configurations and weights that they reject."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from broadsheet.blocks import segment
from broadsheet.errors import UsageError
from broadsheet.methods.gcn import Gcn, GcnConfig
from broadsheet.methods.semtext import Semtext, SemtextConfig
from broadsheet.models import load_weights, save_weights
from broadsheet.page import read_page

METHODS: dict[str, tuple[Any, Any]] = {"gcn": (Gcn, GcnConfig), "semtext": (Semtext, SemtextConfig)}
FIXED_BY_WEIGHTS: list[tuple[str, str, Any]] = [
    ("gcn", "layers", 2),
    ("gcn", "hidden", 20),
    ("gcn", "has_bias", False),
    ("gcn", "classes", ("title",)),
    ("gcn", "is_exclusive", True),
    ("gcn", "reads_names", False),
    ("gcn", "has_extra_numbers", False),
    ("semtext", "strings", ("texts",)),
    ("semtext", "max_words", 40),
    ("semtext", "kernels", ((3, 16),)),
    ("semtext", "hidden", 32),
    ("semtext", "combines", True),
    ("semtext", "drops_stop_words", True),
    ("semtext", "has_ids", False),
    ("semtext", "keeps_path_end", False),
    ("semtext", "has_features", False),
    ("semtext", "has_relu", True),
]
CHANGEABLE: list[tuple[str, str, Any]] = [
    ("gcn", "thresholds", (0.9,)),
    ("gcn", "gap", 500.0),
    ("gcn", "refines", False),
    ("semtext", "max_blocks", 2),
    ("semtext", "overlap", 0),
    ("semtext", "threshold", 0.0),
    ("semtext", "page_share", 0.9),
]


@pytest.mark.parametrize(("method", "name", "value"), FIXED_BY_WEIGHTS)
def test_a_configuration_that_does_not_fit_the_weights(method: str, name: str, value: Any) -> None:
    method_class, config_class = METHODS[method]
    shipped = config_class.shipped()
    with pytest.raises(UsageError) as error:
        method_class(replace(shipped, **{name: value}))
    assert f"{name}={value!r} (weights: {getattr(shipped, name)!r})" in str(error.value)


@pytest.mark.parametrize(("method", "name", "value"), CHANGEABLE)
def test_parameters_that_may_be_changed_at_run_time(method: str, name: str, value: Any) -> None:
    method_class, config_class = METHODS[method]
    page = read_page("<p>The council met on Tuesday, and it kept the ferry.</p>" * 5)
    changed = method_class(replace(config_class.shipped(), **{name: value}))
    assert getattr(changed.config, name) == value
    assert len(changed.label(page, segment(page)).roles) == 5


@pytest.mark.parametrize("method", METHODS)
def test_all_parameters_are_covered(method: str) -> None:
    names = {name for owner, name, _ in (*FIXED_BY_WEIGHTS, *CHANGEABLE) if owner == method}
    assert names == set(METHODS[method][1].__dataclass_fields__)


NETWORK = asdict(SemtextConfig.shipped())
SIX_ROWS, INTEGERS = np.zeros((6, 32), np.float32), np.zeros((2, 8), np.int32)
BROKEN: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("gcn", {"layer1.w1": None}, {}, "has no array 'layer1.w1'"),
    ("gcn", {"layer0.w0": SIX_ROWS}, {}, r"'layer0.w0' .* is float32 of shape \(6, 32\)"),
    ("gcn", {"tags": INTEGERS}, {"tags": ["a", "p"]}, "'tags' .* is int32"),
    ("gcn", {}, {"tags": ["a"]}, "'tags' .* expected floats of shape 1 x 8"),
    ("gcn", {}, {"tags": None}, "config.json has no 'tags'"),
    ("gcn", {}, {"tags": "a"}, "'tags' in .*config.json is 'a'"),
    ("gcn", {}, {"hidden": "32"}, "'hidden' in .*config.json is '32', expected int"),
    ("gcn", {}, {"classes": ["advert"]}, "class 'advert', which is not a role"),
    ("semtext", {"ends": None}, {}, "has no array 'ends'"),
    ("semtext", {"output.weight": np.zeros((1, 64), np.float32)}, {}, r"'output.weight' .* shape \(1, 64\)"),
    ("semtext", {"transitions": np.zeros((2, 2), np.int64)}, {}, "'transitions' .* is int64"),
    ("semtext", {}, {"network": None}, "config.json has no 'network'"),
    ("semtext", {}, {"network": [1]}, r"'network' in .*config.json is \[1\], expected dict"),
    ("semtext", {}, {"network": {**NETWORK, "hidden": "64"}}, "'network.hidden' .* is '64', expected int"),
    ("semtext", {}, {"network": {**NETWORK, "hidden": 32}}, "'output.weight' .* expected floats of shape 1 x 64"),
]


def save_changed(folder: Path, method: str, arrays: dict[str, Any], config: dict[str, Any]) -> None:
    """Save the shipped weights with some arrays or settings replaced, or dropped where the value is None."""
    shipped = load_weights(method)
    merged_arrays = {name: array for name, array in ({**shipped.arrays, **arrays}).items() if array is not None}
    merged_config = {name: value for name, value in ({**shipped.config, **config}).items() if value is not None}
    save_weights(folder, method, merged_arrays, merged_config, "")


@pytest.mark.parametrize(("method", "arrays", "config", "message"), BROKEN, ids=[case[-1] for case in BROKEN])
def test_broken_weights(
    method: str, arrays: dict[str, Any], config: dict[str, Any], message: str, tmp_path: Path
) -> None:
    save_changed(tmp_path / "w", method, arrays, config)
    with pytest.raises(UsageError, match=message) as error:
        METHODS[method][0](weights=tmp_path / "w")
    assert "\n" not in str(error.value)


def test_weights_of_a_folder(tmp_path: Path) -> None:
    save_changed(tmp_path / "w", "gcn", {}, {"gap": 777})
    assert Gcn(weights=str(tmp_path / "w")).config.gap == 777
