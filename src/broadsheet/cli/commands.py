"""Commands whose help shows flags without a value: newer versions of Typer write "<bool>" after them."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class PlainCommand(TyperCommand):
    """A command."""

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
