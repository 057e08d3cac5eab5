"""PageInput: a page on its way to a method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from broadsheet.article import Provenance


class PageInput(NamedTuple):
    """A page as it was given, with what the caller knows of it."""

    url: str | None
    html: str | bytes | None  # None: the caller's item is not a page
    sheets: Mapping[str, str] | None = None  # the style sheets that it links to, by address
    problem: str = ""  # why html is None
    charset: str | None = None  # from the page's own HTTP header; replaces the one of the options
    origin: Provenance | None = None  # of a capture
    fault: str = ""  # of a capture of which only a part could be read
