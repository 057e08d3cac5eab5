"""Options are declared once, at the fields of dataclasses: default, help and limits of the value.

The command line (`cli/parameters.py`), the service and its OpenAPI (`server/requests.py`), the environment variables of
`broadsheet serve` and the tables of the reference (`docs/hooks.py`) are made from these declarations.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any, NamedTuple

_OPTION = "option"
_GROUP = "group"
REQUIRED: Any = dataclasses.MISSING  # the default of an option that must be given


class Option(NamedTuple):
    """What is known of an option beside its name, type and default."""

    help: str
    names: tuple[str, ...] = ()  # on the command line; () for the name of the field, with hyphens
    metavar: str | None = None
    panel: str | None = None  # heading in the help of a command
    above: float | None = None  # the value must be greater
    least: float | None = None
    most: float | None = None
    read: Callable[[str], Any] | None = None  # makes the value from a text; raises ValueError with "must be ..."
    complete: Callable[[], Iterable[str]] | None = None  # the known values, for shell completion
    shows_default: bool = True
    is_argument: bool = False  # of a command, without a name
    turn_off: str = ""  # help of the flag, if it sets the field to False
    kind: Any = None  # type of the value in commands and requests, if it is not that of the field
    in_commands: bool = True
    in_service: bool = False  # requests to the service may set it

    @property
    def command_help(self) -> str:
        """The help of a command."""
        return self.turn_off or self.help


class Group(NamedTuple):
    """A field whose type is a dataclass with options of its own."""

    only: frozenset[str]  # the options that are offered; empty for all
    make: Callable[..., Any]  # called with the default and the given options


def option(default: Any, text: str, *names: str, **facts: Any) -> Any:
    """Declare an option at a field of a dataclass. `facts` are fields of `Option`."""
    metadata = {_OPTION: Option(text, names, **facts)}
    if isinstance(default, Callable):  # type: ignore[arg-type]
        return dataclasses.field(default_factory=default, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def argument(default: Any, text: str, metavar: str) -> Any:
    """Declare an argument of a command."""
    return option(default, text, metavar=metavar, is_argument=True)


def group(default: Any, *only: str, make: Callable[..., Any] = dataclasses.replace) -> Any:
    """Declare a field whose value has options of its own."""
    metadata = {_GROUP: Group(frozenset(only), make)}
    if isinstance(default, type):
        return dataclasses.field(default_factory=default, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def find_option(field: dataclasses.Field[Any]) -> Option | None:
    """Return the declaration at a field."""
    return field.metadata.get(_OPTION)


def find_group(field: dataclasses.Field[Any]) -> Group | None:
    """Return the group at a field."""
    return field.metadata.get(_GROUP)


def list_options(kind: type) -> Mapping[str, Option]:
    """Return the options of a dataclass by field, without those of its groups."""
    options = ((field.name, find_option(field)) for field in dataclasses.fields(kind))
    return {name: declared for name, declared in options if declared}


def find_type(kind: type, field: str) -> Any:
    """Return the type of an option. Those of other fields are not evaluated: their modules may not be imported."""
    annotation = kind.__annotations__[field]
    return eval(annotation, vars(sys.modules[kind.__module__])) if isinstance(annotation, str) else annotation


def split_names(text: str) -> tuple[str, ...]:
    """Return the names of a list separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def read_date(text: str) -> date:
    """Return the date that a text names. Raises ValueError if it is not YYYY-MM-DD."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ValueError("must be a date such as 2024-03-16") from error
