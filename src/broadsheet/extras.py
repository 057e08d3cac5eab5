"""Optional packages: import them where they are used, and name the extra to install if they are missing."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from broadsheet.errors import MissingExtra


def import_extra(package: str, extra: str) -> ModuleType:
    """Import a package of an extra. Raises MissingExtra with the command that installs it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package.split(".")[0]:
            raise  # the package is installed, but one of its dependencies is missing
        raise MissingExtra(package.split(".")[0], extra) from error
