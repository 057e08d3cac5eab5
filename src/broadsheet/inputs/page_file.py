"""One HTML page in a file, also packed with gzip."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from broadsheet.capture import Capture
from broadsheet.errors import InputError
from broadsheet.inputs.kinds import is_json, may_be_page
from broadsheet.inputs.options import ReadOptions
from broadsheet.page.file_type import detect_file_type

_HEAD_BYTES = 1_024
_TAG_BYTES = 65_536
_TAG = re.compile(rb"<(?:!doctype|html|head|title|meta|body|h[1-6]|p|div|article|table|script)\b", re.IGNORECASE)


def read_page_file(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield the page."""
    if not name:
        raise InputError("the name of a page is empty; name a file, a folder or an address")
    yield Capture(load_page(Path(name), options, shown_name=name), source_file=name)


def load_page(path: Path, options: ReadOptions, *, shown_name: str | None = None) -> bytes:
    """Return the page of a file, unpacked. Raises InputError if it is clearly not HTML."""
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        html = file.read(options.max_read_bytes)
    if not html.strip():
        raise InputError(f"{shown_name or path} is empty, not an HTML page")
    if file_type := detect_file_type(html):
        raise InputError(f"{shown_name or path} is {file_type}, not an HTML page")
    if is_json(html[:_HEAD_BYTES]):
        raise InputError(f"{shown_name or path} is JSON, not an HTML page; name JSON Lines files one by one")
    if not may_be_page(path.name) and not _TAG.search(html, 0, _TAG_BYTES):
        raise InputError(f"{shown_name or path} has no HTML tags; if it is a page, give it the ending .html")
    return html
