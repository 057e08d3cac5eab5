"""Broadsheet turns a news web page into the article: title, authors, dates, clean text with its structure."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

# Now and not later: the function takes the place of the folder of that name.
from broadsheet.methods import methods

if TYPE_CHECKING:
    from broadsheet.api import extract
    from broadsheet.article import Article, Block, Status
    from broadsheet.blocks import Role
    from broadsheet.errors import BroadsheetError
    from broadsheet.fields import Image
    from broadsheet.many import extract_many
    from broadsheet.page import Limits
    from broadsheet.site import Site

__version__ = "0.1.0"

__all__ = [
    "Article",
    "Block",
    "BroadsheetError",
    "Image",
    "Limits",
    "Role",
    "Site",
    "Status",
    "extract",
    "extract_many",
    "methods",
]

# Where each name lives. It is fetched when first used, so that `import broadsheet` costs next to nothing.
_HOMES = {
    "Article": "article",
    "Block": "article",
    "BroadsheetError": "errors",
    "Image": "fields",
    "Limits": "page",
    "Role": "blocks",
    "Site": "site",
    "Status": "article",
    "extract": "api",
    "extract_many": "many",
}


if not TYPE_CHECKING:  # a type checker would take any name for known

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'broadsheet' has no attribute {name!r}")
        value = getattr(import_module(f"broadsheet.{_HOMES[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
