"""read_captures: the table of readers, and the place where errors of a file become one line."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from os import PathLike, fspath

from broadsheet.capture import Capture
from broadsheet.errors import BroadsheetError, InputError
from broadsheet.inputs.files import explain_error, list_file_errors
from broadsheet.inputs.kinds import Kind, detect_content, detect_kind
from broadsheet.inputs.options import DEFAULT_READ_OPTIONS, ReadOptions
from broadsheet.page.decode import decode_page, find_codec
from broadsheet.page.file_type import detect_file_type

Reader = Callable[[str, ReadOptions], Iterator[Capture]]

# module:function of each kind; imported when it is needed.
READERS: dict[Kind, str] = {
    Kind.PAGE: "pages:read_page_file",
    Kind.ADDRESS: "pages:read_address",
    Kind.ADDRESSES: "pages:read_addresses",
    Kind.WARC: "warc:read_warc",
    Kind.ARC: "warc:read_arc",
    Kind.INDEX: "tables:refuse_index",
    Kind.WACZ: "archives:read_wacz",
    Kind.MHTML: "archives:read_mhtml",
    Kind.JSON_LINES: "tables:read_json_lines",
    Kind.CSV: "tables:read_csv",
    Kind.PARQUET: "tables:read_parquet",
    Kind.ZIP: "archives:read_zip",
    Kind.TAR: "archives:read_tar",
}


def read_captures(
    source: str | PathLike[str],
    options: ReadOptions = DEFAULT_READ_OPTIONS,
    *,
    kind: Kind | None = None,
    skipped: Counter[str] | None = None,
    reader: Iterator[Capture] | None = None,
) -> Iterator[Capture]:
    """Read the pages of a file or address of any kind, one by one.

    A page that cannot be read is a capture with a fault. So is the place where a file is damaged; the pages after it
    are read if they can be found. Raises InputError or FetchError if nothing of the source can be read.

    Args:
        source: An HTML page, an address, or a file of pages: ARC, WARC, WACZ, MHTML, JSON Lines, CSV, Parquet, ZIP,
            tar, a list of addresses, a manifest. The content decides.
        options: Names of columns, limits, and the guard of addresses.
        kind: The kind of the source, if it is known.
        skipped: Counts the records of archives that are not pages, by reason ("revisit", "status 404", ...).
        reader: Captures that are read instead of the whole source.

    """
    name = fspath(source)
    captures = reader
    if captures is None:
        module, _, function = READERS[kind or detect_kind(name)].partition(":")
        read: Reader = getattr(import_module(f"broadsheet.inputs.{module}"), function)
        captures = read(name, options)
    has_pages = False
    try:
        for capture in captures:
            if not capture.skipped:
                has_pages = True
                yield capture
            elif skipped is not None:
                skipped[capture.skipped] += 1
    except BroadsheetError as error:
        if not has_pages or reader is not None:
            raise
        yield Capture(source_file=name, fault=str(error))
    except list_file_errors() as error:
        fault = f"cannot read {name}: {explain_error(error, name)}"
        if not has_pages:
            raise InputError(fault) from error
        yield Capture(source_file=name, fault=fault)


def decode_capture(capture: Capture) -> str | bytes:
    """Return the page of a capture, decoded if its HTTP header states a charset. For uses beside `extract_many`."""
    html = capture.html or b""
    if isinstance(html, str) or find_codec(capture.content_type) is None:
        return html
    return decode_page(html, charset=capture.content_type).text


def read_stdin(options: ReadOptions = DEFAULT_READ_OPTIONS) -> Capture:
    """Read one page from standard input. Raises InputError."""
    html = sys.stdin.buffer.read(options.max_read_bytes)
    if not html:
        raise InputError("stdin is empty; name a file or an address, or pipe a page in")
    if file_type := detect_file_type(html):
        raise InputError(f"stdin is {file_type}, not an HTML page")
    kind = detect_content(html)
    if kind is not Kind.PAGE:
        raise InputError(f"stdin is {kind}, not an HTML page; save it to a file and name that")
    return Capture(html)
