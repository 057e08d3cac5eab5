"""The method with its shipped weights, and configurations and weights that it rejects."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from broadsheet.blocks import Role, segment
from broadsheet.errors import UsageError
from broadsheet.methods.semtext import Semtext, SemtextConfig
from broadsheet.models import load_weights, save_weights
from broadsheet.page import read_page

PROSE = "The council met on Tuesday, and after a long debate it voted to keep the ferry."
PAGE = f"""<title>Ferry stays</title><body><ul class=menu><li><a href=/>Home</a></li><li><a href=/n>News</a></li></ul>
<div class=article-body><h1>Ferry stays</h1><p>{PROSE}</p><p>{PROSE} {PROSE}</p></div>"""


def test_the_article_of_a_plain_page() -> None:
    page = read_page(PAGE)
    labels = Semtext().label(page, segment(page))
    assert labels.roles[0] is Role.BOILERPLATE
    assert labels.roles[3:] == [Role.BODY, Role.BODY]


FIXED_BY_WEIGHTS: list[tuple[str, Any]] = [
    ("strings", ("texts",)),
    ("max_words", 40),
    ("kernels", ((3, 16),)),
    ("hidden", 32),
    ("combines", True),
    ("drops_stop_words", True),
    ("has_ids", False),
    ("keeps_path_end", False),
    ("has_features", False),
    ("has_relu", True),
]
CHANGEABLE: list[tuple[str, Any]] = [("max_blocks", 2), ("overlap", 0), ("threshold", 0.0), ("page_share", 0.9)]


@pytest.mark.parametrize(("name", "value"), FIXED_BY_WEIGHTS)
def test_a_configuration_that_does_not_fit_the_weights(name: str, value: Any) -> None:
    shipped = SemtextConfig.shipped()
    with pytest.raises(UsageError) as error:
        Semtext(replace(shipped, **{name: value}))
    assert f"{name}={value!r} (weights: {getattr(shipped, name)!r})" in str(error.value)


@pytest.mark.parametrize(("name", "value"), CHANGEABLE)
def test_parameters_that_may_be_changed_at_run_time(name: str, value: Any) -> None:
    page = read_page(PAGE)
    method = Semtext(replace(SemtextConfig.shipped(), **{name: value}))
    assert getattr(method.config, name) == value
    assert len(method.label(page, segment(page)).roles) == 5


def test_all_parameters_are_covered() -> None:
    names = {name for name, _ in (*FIXED_BY_WEIGHTS, *CHANGEABLE)}
    assert names == set(SemtextConfig.__dataclass_fields__)


def test_the_published_configuration_needs_its_own_weights() -> None:
    with pytest.raises(UsageError, match=r"hidden=256 \(weights: 64\)"):
        Semtext(SemtextConfig())


NETWORK = asdict(SemtextConfig.shipped())
BROKEN: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("missing array", {"ends": None}, {}, "has no array 'ends'"),
    ("wrong shape", {"output.weight": np.zeros((1, 64), np.float32)}, {}, r"'output.weight' .* shape \(1, 64\)"),
    ("wrong kind", {"transitions": np.zeros((2, 2), np.int64)}, {}, "'transitions' .* is int64"),
    ("no settings", {}, {"network": None}, "config.json has no 'network'"),
    ("settings of a wrong type", {}, {"network": [1]}, r"'network' in .*config.json is \[1\], expected dict"),
    ("a value of a wrong type", {}, {"network": {**NETWORK, "hidden": "64"}}, "'network.hidden' .* is '64', expected int"),
    ("arrays of another size", {}, {"network": {**NETWORK, "hidden": 32}}, "'output.weight' .* expected floats of shape 1 x 64"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arrays", "config", "message"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN]
)
def test_broken_weights(arrays: dict[str, Any], config: dict[str, Any], message: str, tmp_path: Path) -> None:
    shipped = load_weights("semtext")
    merged_arrays = {name: array for name, array in ({**shipped.arrays, **arrays}).items() if array is not None}
    merged_config = {name: value for name, value in ({**shipped.config, **config}).items() if value is not None}
    save_weights(tmp_path / "w", "semtext", merged_arrays, merged_config, "")
    with pytest.raises(UsageError, match=message) as error:
        Semtext(weights=tmp_path / "w")
    assert "\n" not in str(error.value)


def test_weights_for_cleaneval_load() -> None:
    folder = load_weights("semtext").folder.parents[1] / "semtext-cleaneval" / "1"
    assert Semtext(weights=str(folder)).config.page_share == 0
