"""The body of an article as JSON: each part is an object with its type and its fields.

Works for every dataclass of `broadsheet.article.parts`, so that a new kind of part needs no change here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from broadsheet.article import Part, parts
from broadsheet.errors import UsageError
from broadsheet.output.safe import clean_text

_TYPE = "type"


def dump_body(body: tuple[Part, ...]) -> list[Any]:
    """Return the tree as lists, objects and values. Fields that have their default value are left out."""
    return [_write(part) for part in body]


def read_body(tree: Any) -> tuple[Part, ...]:
    """Return the parts of a tree. Raises UsageError if it is not one."""
    if not isinstance(tree, list | tuple):
        raise UsageError("the body of a record must be a list of parts")
    body = tuple(_read(part) for part in tree)
    for part in body:
        if not isinstance(part, Part):
            raise UsageError(f"the body of a record must be a list of parts; {part!r:.80} is not one")
    return body


def _write(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = ((field, getattr(value, field.name)) for field in dataclasses.fields(value))
        written = {field.name: _write(item) for field, item in fields if item != field.default}
        return {_TYPE: type(value).__name__, **written}
    if isinstance(value, tuple):
        return [_write(item) for item in value]
    return clean_text(value) if isinstance(value, str) else value


def _read(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_read(item) for item in value)
    if not isinstance(value, Mapping):
        return value
    kind = getattr(parts, str(value.get(_TYPE)), None)
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
        raise UsageError(f"unknown part of a body: {value.get(_TYPE)!r}; read it with a newer version of Broadsheet")
    try:
        part = kind(**{name: _read(item) for name, item in value.items() if name != _TYPE})
        _check_fields(part)
        return part
    except TypeError as error:
        raise UsageError(f"a part of the body does not fit: {error}") from error


def _check_fields(part: Any) -> None:
    """Check the types of the values: others would fail when the article is written. Raises TypeError."""
    hints = _list_hints(type(part))
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if not _fits(value, hints[field.name]):
            raise TypeError(f"{field.name} of {type(part).__name__} must be {field.type}, not {value!r:.80}")


_list_hints: Callable[[type], dict[str, Any]] = cache(get_type_hints)


def _fits(value: Any, hint: Any) -> bool:
    if get_origin(hint) is tuple:
        return isinstance(value, tuple) and all(_fits(item, get_args(hint)[0]) for item in value)
    if get_origin(hint) is Literal:  # other values may be those of a newer version
        return isinstance(value, str)
    return isinstance(value, hint)
