"""Files that were dropped on the desk: pages, archives of pages, and JSON Lines with the text that is expected."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath

from broadsheet.capture import Capture
from broadsheet.desk.page_store import MAX_STORE_BYTES, StoredPage, make_page
from broadsheet.errors import BroadsheetError, InputError
from broadsheet.inputs import Kind, ReadOptions, read_captures
from broadsheet.inputs.kinds import detect_content
from broadsheet.page import Limits
from broadsheet.page.file_type import detect_file_type
from broadsheet.web.body import parse_content_type

MAX_PAGES = 500  # of one file
# Tables and lists of addresses may name other files of this machine; those are not opened for a browser.
_ARCHIVES = (Kind.WARC, Kind.WACZ, Kind.MHTML, Kind.ZIP, Kind.TAR)
_UNSAFE_CHARS = re.compile(r"[^\w.-]")  # in the name of a file


def read_upload(name: str, content: bytes, limits: Limits) -> list[StoredPage]:
    """Return the pages of a file. Raises InputError if it has none."""
    kind = detect_content(content[:65_536], name)
    if kind is Kind.JSON_LINES:
        pages = list(islice(_read_lines(name, content), MAX_PAGES))
    elif kind in _ARCHIVES:
        pages = _take_pages(name, _read_archive(name, content, kind, limits))
    elif kind is Kind.PAGE:
        if file_type := detect_file_type(content):
            raise InputError(f"{name} is {file_type}, not an HTML page")
        pages = [make_page(content, name=name)]
    else:
        raise InputError(f"{name} is {kind}; drop pages, archives of pages, or JSON Lines with html and text")
    if not pages:
        raise InputError(f"{name} contains no pages")
    return pages


def _take_pages(name: str, pages: Iterator[StoredPage]) -> list[StoredPage]:
    """Return the first pages. Raises InputError if they take more memory than the desk has for pages."""
    taken, size = [], 0
    for page in islice(pages, MAX_PAGES):
        size += page.size
        if size > MAX_STORE_BYTES:
            raise InputError(f"the pages of {name} have more than {MAX_STORE_BYTES:,} bytes; drop fewer pages")
        taken.append(page)
    return taken


def _read_lines(name: str, content: bytes) -> Iterator[StoredPage]:
    """Yield the pages of JSON Lines: `html`, and optionally `text` (what is expected), `url` and `id`."""
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{name}, line {number}: not valid JSON ({error})") from error
        if not isinstance(values, dict) or not isinstance(values.get("html"), str):
            raise InputError(f'{name}, line {number}: not an object with "html"')
        url, text = values.get("url"), values.get("text")
        if not isinstance(url, str | None):
            raise InputError(f'{name}, line {number}: "url" is not a string')
        page_name = str(values.get("id") or url or f"{name}, line {number}")
        html = values["html"].encode("utf-8", "surrogatepass")
        page = make_page(html, name=page_name, url=url, charset="utf-8")
        yield replace(page, gold=text if isinstance(text, str) else None)


def _read_archive(name: str, content: bytes, kind: Kind, limits: Limits) -> Iterator[StoredPage]:
    """Yield the pages of an archive. The readers need a file."""
    suffixes = PurePosixPath(name.replace("\\", "/")).suffixes[-2:]
    suffix = _UNSAFE_CHARS.sub("", "".join(suffixes))[-20:]
    with tempfile.TemporaryDirectory(prefix="broadsheet-") as folder:
        path = Path(folder) / f"upload{suffix}"
        path.write_bytes(content)
        try:
            for capture in read_captures(path, ReadOptions(limits=limits), kind=kind):
                if capture.html is not None:
                    yield _make_page(capture, (capture.source_file or name).replace(str(path), name))
        except BroadsheetError as error:
            raise InputError(str(error).replace(str(path), name)) from error


def _make_page(capture: Capture, name: str) -> StoredPage:
    name = capture.url or name
    if isinstance(capture.html, str):
        html = capture.html.encode("utf-8", "surrogatepass")
        return make_page(html, name=name, url=capture.url, charset="utf-8")
    charset = parse_content_type(capture.content_type).charset
    return make_page(capture.html or b"", name=name, url=capture.url, charset=charset)
