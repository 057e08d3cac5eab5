"""ZIP and tar files of pages."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from broadsheet.capture import Capture
from broadsheet.errors import InputError
from broadsheet.inputs.explain import explain_error
from broadsheet.inputs.kinds import is_page_name, may_be_page
from broadsheet.inputs.options import ReadOptions
from broadsheet.page.file_type import detect_file_type, is_html

_NOT_HTML = "not HTML"
_OFFICE_MEMBER = "[Content_Types].xml"


def read_zip(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield the pages of a ZIP file, in its order."""
    has_page = False
    with zipfile.ZipFile(name) as archive:
        if _OFFICE_MEMBER in archive.namelist():  # its XML files would be read as pages
            raise InputError(f"{name} is a file of Excel, Word or PowerPoint, not pages; save a table as CSV")
        for member in archive.infolist():
            if member.is_dir():
                continue
            try:
                with archive.open(member) as file:
                    capture = _read_member(name, member.filename, file, options)
            except (zipfile.BadZipFile, RuntimeError, OSError, EOFError, zlib.error, NotImplementedError) as error:
                # RuntimeError: the member is encrypted.
                capture = _make_fault(name, member.filename, error)
            has_page |= not capture.skipped
            yield capture
    _check_pages(name, has_page=has_page)


def read_tar(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield the pages of a tar file, in its order; links and devices are skipped."""
    has_page = False
    with tarfile.open(name) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isreg() else None
            if file is None:
                continue
            with file:
                capture = _read_member(name, member.name, file, options)
            has_page |= not capture.skipped
            yield capture
    _check_pages(name, has_page=has_page)


def _read_member(archive: str, member: str, file: IO[bytes], options: ReadOptions) -> Capture:
    if not may_be_page(member):
        return Capture(skipped=_NOT_HTML)
    html = file.read(options.max_read_bytes)
    if html.startswith(b"\x1f\x8b"):
        try:
            html = gzip.GzipFile(fileobj=io.BytesIO(html)).read(options.max_read_bytes)
        except (OSError, EOFError, zlib.error) as error:
            return _make_fault(archive, member, error)
    if detect_file_type(html) or not (is_page_name(member) or is_html(html)):
        return Capture(skipped=_NOT_HTML)
    return Capture(html, source_file=f"{archive}/{member}")


def _make_fault(archive: str, member: str, error: Exception) -> Capture:
    place = f"{archive}/{member}"
    return Capture(source_file=place, fault=f"cannot read {place}: {explain_error(error, place)}")


def _check_pages(name: str, *, has_page: bool) -> None:
    if not has_page:
        raise InputError(f"no pages in {name}; looked for HTML files")
