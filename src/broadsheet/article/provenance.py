"""Provenance: which page an article was made from, and by what."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from broadsheet.methods import Method
from broadsheet.version import __version__

if TYPE_CHECKING:
    from broadsheet.options import ExtractOptions

_HASHED_CHARS = 16_384  # of one piece


@dataclass(frozen=True, slots=True)
class Provenance:
    """Origin of the page, and the program that extracted it. None where unknown."""

    source_file: str | None = None  # file or address that the page was read from
    source_offset: int | None = None  # bytes in WARC and JSON Lines files, rows in tables
    fetched_at: datetime | None = None  # when the page was captured
    http_status: int | None = None
    html_hash: str | None = None  # SHA-256 of the page
    weights: str | None = None  # hash of the method's weights
    broadsheet_version: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Extraction:
    """One extraction: the page as it was given, the method and the options."""

    method: Method
    options: ExtractOptions
    html: str | bytes = ""
    origin: Provenance = Provenance()  # of the capture; completed by `describe`
    fault: str = ""  # of a capture of which only a part could be read

    def describe(self, *, has_hash: bool = True) -> Provenance:
        """Return the provenance of the article."""
        return replace(
            self.origin,
            html_hash=_hash_page(self.html) if has_hash else None,
            weights=getattr(self.method, "weights_hash", None),
            broadsheet_version=__version__,
        )


def _hash_page(html: str | bytes) -> str:
    """Return the SHA-256 of a page; of a str, that of its UTF-8 form."""
    if isinstance(html, bytes):
        return hashlib.sha256(html).hexdigest()
    digest = hashlib.sha256()  # in pieces, which stay in the processor's cache
    for start in range(0, len(html), _HASHED_CHARS):
        digest.update(html[start : start + _HASHED_CHARS].encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
