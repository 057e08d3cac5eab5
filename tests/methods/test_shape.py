"""One shape for every registered method: constructor, configuration and errors."""

from __future__ import annotations

import inspect
from dataclasses import FrozenInstanceError, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from broadsheet.blocks import segment
from broadsheet.errors import UsageError
from broadsheet.methods.registry import METHODS
from broadsheet.models import load_weights
from broadsheet.page import read_page

PROSE = "The council met on Tuesday, and after a long debate it voted to keep the ferry. "
PAGE = f"<title>Ferry stays</title><ul><li><a href=/>Home</a></ul><h1>Ferry stays</h1><p>{PROSE}</p><p>{PROSE * 2}</p>"
WITHOUT_WEIGHTS = {"stadynot", "twcem"}


def load_class(name: str) -> Any:
    module, _, attribute = METHODS[name].partition(":")
    return getattr(import_module(module), attribute)


def load_config_class(name: str) -> Any:
    method = load_class(name)
    return getattr(import_module(METHODS[name].partition(":")[0]), f"{method.__name__}Config")


@pytest.mark.parametrize("name", METHODS)
def test_signature_of_the_constructor(name: str) -> None:
    parameters = list(inspect.signature(load_class(name)).parameters.values())
    assert [parameter.name for parameter in parameters] == ["config", "weights"]
    assert [parameter.default for parameter in parameters] == [None, None]
    assert [parameter.kind for parameter in parameters] == [
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.KEYWORD_ONLY,
    ]


@pytest.mark.parametrize("name", METHODS)
def test_the_configuration_is_a_frozen_dataclass_with_defaults(name: str) -> None:
    config_class = load_config_class(name)
    config = config_class()  # the published values
    assert is_dataclass(config)
    with pytest.raises(FrozenInstanceError):
        setattr(config, fields(config)[0].name, None)
    assert hash(config) == hash(config_class())


@pytest.mark.parametrize("name", METHODS)
def test_without_arguments_the_shipped_configuration_is_used(name: str) -> None:
    method_class, config_class = load_class(name), load_config_class(name)
    page = read_page(PAGE)
    blocks = segment(page)
    shipped = method_class()
    assert shipped.name == name
    config = config_class.shipped() if hasattr(config_class, "shipped") else config_class()  # unpublished: one set
    assert shipped.config == config
    labels = shipped.label(page, blocks)
    for method in (method_class(None, weights=None), method_class(config)):
        assert method.config == shipped.config
        assert method.label(page, blocks) == labels


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("as_type", [str, Path])
def test_a_weights_folder_that_does_not_exist(name: str, as_type: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere") as error:
        load_class(name)(weights=as_type(tmp_path / "nowhere"))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", sorted(WITHOUT_WEIGHTS))
def test_methods_that_do_not_learn_refuse_weights(name: str) -> None:
    with pytest.raises(UsageError, match=f"method '{name}' has no weights"):
        load_class(name)(weights=".")


@pytest.mark.parametrize("name", METHODS)
def test_a_folder_in_place_of_the_configuration(name: str) -> None:
    with pytest.raises(UsageError, match=r"config must be a .*Config, not 'weights/folder'; .*weights="):
        load_class(name)("weights/folder")


@pytest.mark.parametrize("name", sorted(set(METHODS) - WITHOUT_WEIGHTS))
def test_weights_of_another_method(name: str) -> None:
    with pytest.raises(UsageError, match=f"contains weights of 'words', not of '{name}'"):
        load_class(name)(weights=load_weights("words").folder)
