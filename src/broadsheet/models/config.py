"""Configurations of methods: frozen dataclasses, read from a weights folder and checked against it.

Most parameters of a learned method describe the network and its input, so they must have the values that the weights
were trained with. The others, such as thresholds, may be changed at run time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

from broadsheet.errors import UsageError
from broadsheet.models.weights import CONFIG, Weights

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Value = TypeVar("Value")
Config = TypeVar("Config", bound="DataclassInstance")  # frozen, with a default for every field


def check_config(config: Config | None, config_class: type[Config]) -> Config | None:
    """Return `config`. Raise UsageError if it is neither None nor a `config_class`."""
    if config is not None and not isinstance(config, config_class):
        raise UsageError(
            f"config must be a {config_class.__name__}, not {config!r:.80}; pass a folder of weights as weights="
        )
    return config


def read_setting(weights: Weights, *path: str, kind: type[Value]) -> Value:
    """Read a value of the weights' configuration; several names lead into nested objects."""
    value: Any = weights.config
    for name in path:
        if not isinstance(value, Mapping) or name not in value:
            raise UsageError(f"{weights.folder / CONFIG} has no {'.'.join(path)!r}; {weights.advice}")
        value = value[name]
    try:
        converted: Value = _convert(value, kind)
    except TypeError:
        wanted = kind.__name__ if isinstance(kind, type) and not get_args(kind) else kind
        raise UsageError(
            f"{'.'.join(path)!r} in {weights.folder / CONFIG} is {value!r:.80}, expected {wanted}; {weights.advice}"
        ) from None
    return converted


def read_config(weights: Weights, config_class: type[Config], *section: str) -> Config:
    """Read the configuration that weights were trained with; parameters that are not stored keep their default."""
    values = read_setting(weights, *section, kind=dict) if section else weights.config
    kinds = get_type_hints(config_class)
    stored = {
        field.name: read_setting(weights, *section, field.name, kind=kinds[field.name])
        for field in fields(config_class)
        if field.name in values
    }
    return config_class(**stored)


def resolve_config(config: Config | None, trained: Config, weights: Weights, *, changeable: frozenset[str]) -> Config:
    """Return `config`, or the one that the weights were trained with if it is None.

    Raise UsageError if the two differ in a parameter that is not `changeable` after training.
    """
    config = check_config(config, type(trained))
    if config is None:
        return trained
    fixed = [field.name for field in fields(trained) if field.name not in changeable]
    different = [name for name in fixed if getattr(config, name) != getattr(trained, name)]
    if different:
        values = ", ".join(
            f"{name}={getattr(config, name)!r} (weights: {getattr(trained, name)!r})" for name in different
        )
        raise UsageError(
            f"{type(config).__name__} does not fit the weights in {weights.folder}: {values}; "
            f"use the values of the weights or {weights.advice}"
        )
    return config


def _convert(value: Any, kind: Any) -> Any:
    """Return a JSON value as `kind`: lists become tuples, integers floats. Raise TypeError if it does not match."""
    if get_origin(kind) is tuple:
        kinds = get_args(kind)
        if not isinstance(value, list | tuple):
            raise TypeError
        if kinds[-1] is Ellipsis:
            kinds = kinds[:1] * len(value)
        if len(kinds) != len(value):
            raise TypeError
        return tuple(map(_convert, value, kinds))
    if kind is float and type(value) is int:
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TypeError
    return value
