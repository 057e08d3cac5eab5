"""Which methods there are: a readable table, plus what other packages bring through entry points.

A package adds a method with one line in its pyproject.toml:

    [project.entry-points."broadsheet.methods"]
    mymethod = "my_package.my_module:MyMethod"
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from broadsheet.errors import UnknownMethod
from broadsheet.methods.method import Method

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# name -> where its class is; the default first. Nothing is imported until it is used.
METHODS = {
    "twcem": "broadsheet.methods.twcem:Twcem",
}
DEFAULT_METHOD = next(iter(METHODS))
ENTRY_POINT_GROUP = "broadsheet.methods"


def methods() -> tuple[str, ...]:
    """Names of all methods: the default first, then the others of Broadsheet, then those of other packages."""
    return (*METHODS, *sorted(_find_plugins()))


@cache
def load_method(name: str) -> Method:
    """Load a method by its name, once. Raises UnknownMethod with the known names."""
    if target := METHODS.get(name):
        module, _, attribute = target.partition(":")
        factory = getattr(import_module(module), attribute)
    elif plugin := _find_plugins().get(name):
        factory = plugin.load()
    else:
        raise UnknownMethod(name, methods())
    method: Method = factory()
    return method


def describe_method(name: str) -> str:
    """First line of what a method says of itself."""
    return (type(load_method(name)).__doc__ or "").strip().partition("\n")[0]


def _find_plugins() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # slow to import, and only needed here

    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP) if point.name not in METHODS}
