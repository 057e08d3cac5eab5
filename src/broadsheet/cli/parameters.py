"""Commands that take dataclasses: the fields declared with `option` become parameters of the command."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from broadsheet.errors import UsageError
from broadsheet.option_field import Group, Option, find_group, find_option, find_type

_SHOWN_TYPES = (bool, int, float, str, Path)  # of defaults that the help shows
_MIN_GROUPED_DIGITS = 10_000  # 8,000,000 is easier to read than 8000000
_ENVIRONMENT = "BROADSHEET_"


def with_options(function: Callable[..., None], *, environment: bool = False) -> Callable[..., None]:
    """Return a function with a parameter for each option of the dataclasses that a command takes.

    With `environment`, each option can also be set by a variable: BROADSHEET_PORT for --port.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, _Dataclass] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if dataclasses.is_dataclass(hints[name]):
            groups[name] = _Dataclass(hints[name], _find_default(parameter), environment=environment)
            parameters += groups[name].list_parameters()
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))

    def command(**values: Any) -> None:
        others = {name: values[name] for name in hints if name in values and name not in groups}
        function(**others, **{name: given.build(values) for name, given in groups.items()})

    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


class _Field:
    """A field of a dataclass as a parameter of a command."""

    def __init__(self, name: str, hint: Any, declared: Option, default: Any) -> None:
        self.name = name
        self._declared = declared
        self._type: Any = str if declared.read else _simplify_type(hint)
        self._default = default
        names = declared.names or (f"--{name.replace('_', '-')}",)
        self._names = names
        self.flag = next((name for name in names if name.startswith("--")), names[0]).partition("/")[0]

    def make_parameter(self, *, environment: bool) -> inspect.Parameter:
        """Return the parameter with the annotation that Typer reads."""
        declared, default = self._declared, self._choose_default()
        facts: dict[str, Any] = {
            "help": declared.help,
            "metavar": declared.metavar,
            "show_default": _show_default(default) if declared.shows_default else False,
        }
        if declared.is_argument:
            info: Any = typer.Argument(**facts)
        else:
            facts |= {"help": declared.command_help, "rich_help_panel": declared.panel}
            facts |= {"min": declared.least, "max": declared.most}
            if environment:
                facts["envvar"] = _ENVIRONMENT + self.flag.removeprefix("--").upper().replace("-", "_")
            if declared.complete:
                facts["autocompletion"] = self._complete
            info = typer.Option(*self._names, **facts)
        is_required = self._default is dataclasses.MISSING
        return inspect.Parameter(
            self.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if is_required else default,
            annotation=Annotated[self._type if is_required or default is not None else self._type | None, info],
        )

    def _choose_default(self) -> Any:
        if self._declared.turn_off:
            return not self._default
        if not self._declared.shows_default and self._type is not bool:
            return None
        if self._declared.read and isinstance(self._default, tuple):
            return ",".join(map(str, self._default)) or None
        return self._default if isinstance(self._default, _SHOWN_TYPES) else None

    def _complete(self, incomplete: str) -> list[str]:
        list_names = self._declared.complete
        return [name for name in list_names() if name.startswith(incomplete)] if list_names else []

    def read(self, value: Any) -> Any:
        """Return the value of the field for that of the parameter. Raises UsageError."""
        declared = self._declared
        if declared.turn_off:
            return not value
        if declared.above is not None and not value > declared.above:
            raise UsageError(f"{self.flag} must be greater than {declared.above:g}, not {value:g}")
        if declared.read:
            try:
                return declared.read(value)
            except ValueError as error:
                raise UsageError(f"{self.flag} {error}, not {value!r}") from error
        return tuple(value) if isinstance(value, list) else value


class _Dataclass:
    """A dataclass whose declared fields are parameters, and those of the dataclasses in its fields."""

    def __init__(self, kind: type, default: Any, within: Group | None = None, *, environment: bool) -> None:
        self._kind, self._default, self._within = kind, default, within
        self._environment = environment
        self._fields: list[_Field] = []
        self._groups: dict[str, _Dataclass] = {}
        for field in dataclasses.fields(kind):
            value = _find_value(field) if default is None else getattr(default, field.name)
            if declared := find_option(field):
                if declared.in_commands and (not within or not within.only or field.name in within.only):
                    self._fields.append(
                        _Field(field.name, declared.kind or find_type(kind, field.name), declared, value)
                    )
            elif inner := find_group(field):
                inner = inner._replace(only=within.only if within and within.only else inner.only)
                self._groups[field.name] = _Dataclass(
                    find_type(kind, field.name), value, inner, environment=environment
                )

    def list_parameters(self) -> Iterator[inspect.Parameter]:
        """Yield the parameters."""
        for field in self._fields:
            yield field.make_parameter(environment=self._environment)
        for inner in self._groups.values():
            yield from inner.list_parameters()

    def build(self, values: Mapping[str, Any]) -> Any:
        """Return the dataclass. Options that were not given keep the default of their field."""
        given = {name: inner.build(values) for name, inner in self._groups.items()}
        for field in self._fields:
            value = values[field.name]
            if value is not None and value != []:
                given[field.name] = field.read(value)
        if self._default is None:
            return self._kind(**given)
        make = self._within.make if self._within else dataclasses.replace
        return make(self._default, **given)


def _find_default(parameter: inspect.Parameter) -> Any:
    return None if parameter.default is inspect.Parameter.empty else parameter.default


def _find_value(field: dataclasses.Field[Any]) -> Any:
    """Return the default of a field. A factory of options is called only for those that are shown."""
    if field.default is not dataclasses.MISSING or field.default_factory is dataclasses.MISSING:
        return field.default
    return field.default_factory() if find_group(field) else None


def _simplify_type(hint: Any) -> Any:
    """Return the type of a parameter: one that Typer knows."""
    if get_origin(hint) in (Union, UnionType):
        kinds = [kind for kind in get_args(hint) if kind is not type(None)]
        return str if str in kinds else _simplify_type(kinds[0])
    return list[get_args(hint)[0]] if get_origin(hint) is tuple else hint  # type: ignore[misc]


def _show_default(default: Any) -> bool | str:
    if isinstance(default, int) and default >= _MIN_GROUPED_DIGITS:
        return f"{default:,}"
    return default is not None and default is not False and default != ""


class PlainCommand(TyperCommand):
    """A command whose help shows flags without a value: newer versions of Typer write "<bool>" after them."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; flags have an empty name for their value."""
        return _clear_flags(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters; flags have an empty name for their value."""
        return _clear_flags(super().get_params(ctx))


def _clear_flags(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
    return parameters
