"""Broadsheet turns a news web page into the article: title, authors, dates, clean text with its structure."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from broadsheet.version import __version__ as __version__

if TYPE_CHECKING:
    from broadsheet import arrow as arrow
    from broadsheet.api import extract
    from broadsheet.article import Article, Block, Comment, Doubt, Status
    from broadsheet.blocks import Role
    from broadsheet.capture import Capture
    from broadsheet.client import AsyncClient, Client
    from broadsheet.discovery.crawl import discover
    from broadsheet.errors import BroadsheetError
    from broadsheet.fields import Image
    from broadsheet.inputs import read_captures
    from broadsheet.many import extract_many
    from broadsheet.methods import methods
    from broadsheet.options import ExtractOptions
    from broadsheet.output.chunks import Chunk
    from broadsheet.output.tables import to_arrow, write_articles
    from broadsheet.page import Limits
    from broadsheet.site import Site
    from broadsheet.web.extract_url import extract_url, extract_url_async

__all__ = [
    "Article",
    "AsyncClient",
    "Block",
    "BroadsheetError",
    "Capture",
    "Chunk",
    "Client",
    "Comment",
    "Doubt",
    "ExtractOptions",
    "Image",
    "Limits",
    "Role",
    "Site",
    "Status",
    "discover",
    "extract",
    "extract_many",
    "extract_url",
    "extract_url_async",
    "methods",
    "read_captures",
    "to_arrow",
    "write_articles",
]

# name -> module. Each is imported on first use, so that `import broadsheet` is fast.
_HOMES = {
    "Article": "article",
    "AsyncClient": "client",
    "Block": "article",
    "BroadsheetError": "errors",
    "Capture": "capture",
    "Chunk": "output.chunks",
    "Client": "client",
    "Comment": "article",
    "Doubt": "article",
    "ExtractOptions": "options",
    "Image": "fields",
    "Limits": "page",
    "Role": "blocks",
    "Site": "site",
    "Status": "article",
    "discover": "discovery",
    "extract": "api",
    "extract_many": "many",
    "extract_url": "web.extract_url",
    "extract_url_async": "web.extract_url",
    "read_captures": "inputs",
    "to_arrow": "output.tables",
    "write_articles": "output.tables",
}

# Modules that need no import of their own: `broadsheet.arrow.extract_batches`; `broadsheet.methods` can also be called.
_MODULES = ("arrow", "methods")


if not TYPE_CHECKING:  # with __getattr__, a type checker would accept any name

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            return _import(name)
        if name not in _HOMES:
            raise AttributeError(f"module 'broadsheet' has no attribute {name!r}")
        value = getattr(_import(_HOMES[name]), name)
        globals()[name] = value
        return value


def _import(name: str) -> ModuleType:
    try:
        return import_module(f"broadsheet.{name}")
    except (ImportError, ValueError) as error:
        from broadsheet.compiled import explain_import_error

        raise explain_import_error(error) from None


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
