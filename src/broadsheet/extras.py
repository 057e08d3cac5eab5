"""Optional packages: imported where they are used, and named when they are missing."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from broadsheet.errors import MissingExtra


def import_extra(package: str, extra: str) -> ModuleType:
    """Import a package that the light install leaves out. Raises MissingExtra, which says how to get it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package.split(".")[0]:
            raise  # it is there, and lacks something of its own
        raise MissingExtra(package.split(".")[0], extra) from error
