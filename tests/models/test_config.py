"""Configurations: read from weights, and rejected where they do not fit them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from broadsheet.errors import UsageError
from broadsheet.models.config import check_config, read_config, read_setting, resolve_config
from broadsheet.models.weights import Weights


@dataclass(frozen=True, slots=True)
class ToyConfig:
    hidden: int = 20
    kernels: tuple[tuple[int, int], ...] = ((3, 8),)
    names: tuple[str, ...] = ("a",)
    has_bias: bool = False
    gap: float = 1.5


TRAINED = {"hidden": 32, "kernels": [[3, 4], [5, 6]], "names": ["a", "b"], "gap": 2, "unknown": 0}


def make_weights(config: dict[str, Any]) -> Weights:
    return Weights({}, {"model": "toy", **config}, Path("folder"))


@pytest.mark.parametrize("section", [(), ("network",)])
def test_a_configuration_is_read_from_weights(section: tuple[str, ...]) -> None:
    weights = make_weights({"network": TRAINED} if section else TRAINED)
    config = read_config(weights, ToyConfig, *section)
    assert config == ToyConfig(hidden=32, kernels=((3, 4), (5, 6)), names=("a", "b"), has_bias=False, gap=2.0)
    assert isinstance(config.gap, float)


WRONG_VALUES = [
    ("hidden", "x", "'hidden' in folder/config.json is 'x', expected int"),
    ("hidden", True, "is True, expected int"),
    ("hidden", 1.5, "is 1.5, expected int"),
    ("has_bias", 1, "is 1, expected bool"),
    ("gap", None, "is None, expected float"),
    ("names", "ab", "is 'ab', expected tuple"),
    ("names", [1], "expected tuple"),
    ("kernels", [3, 4], "expected tuple"),
    ("kernels", [[3, 4, 5]], "expected tuple"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG_VALUES)
def test_values_of_a_wrong_type(name: str, value: object, message: str) -> None:
    with pytest.raises(UsageError, match=message) as error:
        read_config(make_weights({name: value}), ToyConfig)
    assert str(error.value).endswith("train new weights: broadsheet train toy")


def test_nested_settings() -> None:
    weights = make_weights({"forests": {"title": {"depth": 3}}})
    assert read_setting(weights, "forests", "title", "depth", kind=int) == 3
    for path in (("forests", "date"), ("forests", "title", "depth", "more"), ("trees",)):
        with pytest.raises(UsageError, match=f"config.json has no '{'.'.join(path)}'"):
            read_setting(weights, *path, kind=int)


def test_without_a_configuration_that_of_the_weights_is_used() -> None:
    trained = ToyConfig(hidden=32)
    assert resolve_config(None, trained, make_weights({}), changeable=frozenset()) is trained


def test_changeable_parameters_may_differ() -> None:
    trained = ToyConfig(hidden=32)
    config = replace(trained, gap=9.0)
    assert resolve_config(config, trained, make_weights({}), changeable=frozenset({"gap"})) is config


def test_all_parameters_that_do_not_fit_are_named() -> None:
    with pytest.raises(UsageError) as error:
        resolve_config(
            ToyConfig(), ToyConfig(hidden=32, has_bias=True, gap=9.0), make_weights({}), changeable=frozenset({"gap"})
        )
    assert str(error.value) == (
        "ToyConfig does not fit the weights in folder: hidden=20 (weights: 32), has_bias=False (weights: True); "
        "use the values of the weights or train new weights: broadsheet train toy"
    )


def test_a_configuration_of_another_type() -> None:
    assert check_config(None, ToyConfig) is None
    with pytest.raises(UsageError, match=r"config must be a ToyConfig, not 'weights/toy'; .*weights="):
        check_config("weights/toy", ToyConfig)  # type: ignore[arg-type]
