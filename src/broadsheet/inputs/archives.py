"""Files of several documents: ZIP, tar, WACZ (a ZIP file of WARC files), and MHTML, a page with its images."""

from __future__ import annotations

import gzip
import io
import re
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.errors import CloseBoundaryNotFoundDefect
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import IO, ClassVar, Self

from broadsheet.capture import Capture
from broadsheet.errors import InputError
from broadsheet.extras import import_extra
from broadsheet.inputs.files import TRUNCATED_FILE, explain_error, list_file_errors, open_packed
from broadsheet.inputs.kinds import is_page_name, may_be_page
from broadsheet.inputs.options import ReadOptions
from broadsheet.inputs.warc import read_warc_as
from broadsheet.page.file_type import detect_file_type, is_html
from broadsheet.web import is_address

_NOT_HTML = "not HTML"
_OFFICE_MEMBER = "[Content_Types].xml"
_MAX_ZERO_BLOCKS = 2_000  # of 512 bytes, at the end of a tar file or between two that were joined
_MAX_RATIO = 100  # of the size of a WARC file in WACZ, unpacked and packed
_SMALL_BYTES = 100_000  # for files whose ratio does not matter


def read_zip(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield the pages of a ZIP file, in its order."""
    has_page = False
    with zipfile.ZipFile(name) as archive:
        if _OFFICE_MEMBER in archive.namelist():  # its XML files would be read as pages
            raise InputError(f"{name} is a file of Excel, Word or PowerPoint, not pages; save a table as CSV")
        for member in archive.infolist():
            if member.filename.endswith("/"):  # not is_dir(), which fails for a member without a name
                continue
            try:
                with archive.open(member) as file:
                    capture = _read_member(name, member.filename, file, options)
            except list_file_errors() as error:
                capture = _make_fault(name, member.filename, error)
            has_page |= not capture.skipped
            yield capture
    _check_pages(name, has_page=has_page)


def read_tar(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield the pages of a tar file, in its order; links and devices are skipped."""
    has_page = False
    header = _make_header_class()
    last = ""
    # Without `ignore_zeros`, tarfile takes a damaged header for the end of the file.
    with tarfile.open(name, tarinfo=header, ignore_zeros=True) as archive:
        for member in archive:
            if header.take_damage():
                yield _make_gap(name, f"before the member {member.name}")
            last = member.name
            file = archive.extractfile(member) if member.isreg() else None
            if file is None:
                continue
            with file:
                capture = _read_member(name, member.name, file, options)
            has_page |= not capture.skipped
            yield capture
    if not last:
        raise InputError(f"{name} is not a tar file, or it is damaged from its first member on")
    if header.take_damage():
        yield _make_gap(name, f"after the member {last}")
    _check_pages(name, has_page=has_page)


class _TarHeader(tarfile.TarInfo):
    """A header of a tar file. The class of one file remembers whether a header was damaged."""

    is_damaged: ClassVar[bool] = False
    zero_blocks: ClassVar[int] = 0  # in sequence

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        try:
            header = super().frombuf(buf, encoding, errors)
        except tarfile.EOFHeaderError as error:  # type: ignore[attr-defined] # not in typeshed
            cls.zero_blocks += 1
            if cls.zero_blocks > _MAX_ZERO_BLOCKS:
                raise tarfile.EmptyHeaderError("end of the file") from error  # type: ignore[attr-defined]
            raise
        except (tarfile.InvalidHeaderError, tarfile.TruncatedHeaderError):  # type: ignore[attr-defined] # not in typeshed
            cls.is_damaged = True
            raise
        cls.zero_blocks = 0
        return header

    @classmethod
    def take_damage(cls) -> bool:
        """Tell whether a header was damaged since the last call."""
        was_damaged, cls.is_damaged = cls.is_damaged, False
        return was_damaged


def _make_header_class() -> type[_TarHeader]:
    return type("TarHeader", (_TarHeader,), {})


def _make_gap(name: str, place: str) -> Capture:
    return Capture(source_file=name, fault=f"{name}: damaged {place}")


def _read_member(archive: str, member: str, file: IO[bytes], options: ReadOptions) -> Capture:
    if not may_be_page(member):
        return Capture(skipped=_NOT_HTML)
    html = file.read(options.max_read_bytes)
    if html.startswith(b"\x1f\x8b"):
        try:
            html = gzip.GzipFile(fileobj=io.BytesIO(html)).read(options.max_read_bytes)
        except list_file_errors() as error:
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


def read_wacz(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield the records of all WARC files in it, each copied to a temporary file: reading needs random access."""
    import_extra("fastwarc.warc", "archive")
    with zipfile.ZipFile(name) as archive, tempfile.TemporaryDirectory(prefix="broadsheet-") as folder:
        members = [member for member in archive.namelist() if _is_warc(member)]
        if not members:
            raise InputError(f"{name} has no WARC file in its folder archive/")
        for member in members:
            copy, place = Path(folder) / "copy.warc", f"{name}/{member}"
            try:
                _check_size(archive.getinfo(member), place)
                with archive.open(member) as packed, copy.open("wb") as file:
                    shutil.copyfileobj(packed, file)
                yield from read_warc_as(str(copy), place, options)
            except InputError as error:  # the other files may have pages
                if len(members) == 1:
                    raise
                yield Capture(source_file=place, fault=str(error))
            except list_file_errors() as error:
                yield Capture(source_file=place, fault=f"cannot read {place}: {explain_error(error, place)}")


def _check_size(member: zipfile.ZipInfo, place: str) -> None:
    """Refuse a bomb. WARC files are packed already, so ZIP hardly makes them smaller."""
    if member.file_size > _MAX_RATIO * (member.compress_size + _SMALL_BYTES):
        raise InputError(f"{place} would unpack to more than {_MAX_RATIO} times its size; it is not read")


def _is_warc(member: str) -> bool:
    return member.startswith("archive/") and member.lower().endswith((".warc", ".warc.gz"))


_PAGE_TYPES = ("text/html", "application/xhtml+xml")
_MULTIPART = re.compile(rb"^content-type:\s*multipart/", re.IGNORECASE | re.MULTILINE)
_MAX_MULTIPARTS = 30
_FILE_FACTOR = 20  # a file may be this many times larger than a page, because it contains images


def read_mhtml(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield the page: the part that the header names, or the first HTML part."""
    with open_packed(name) as file:
        data = file.read(_FILE_FACTOR * options.max_read_bytes)
    if len(_MULTIPART.findall(data)) > _MAX_MULTIPARTS:  # every line is compared with the boundaries of all of them
        raise InputError(f"{name} is an MHTML file with more than {_MAX_MULTIPARTS} nested parts; it is not read")
    try:
        message = message_from_bytes(data, policy=policy.compat32)
    except (ValueError, TypeError, LookupError, AttributeError) as error:  # of odd parameters in headers
        raise InputError(f"{name} is not valid MHTML ({error})") from error
    address = _read_header(message, "Snapshot-Content-Location")
    parts = [part for part in message.walk() if part.get_content_type() in _PAGE_TYPES]
    if not parts:
        raise InputError(f"{name} is an MHTML file without a page")
    root = next((part for part in parts if _is_root(message, part, address)), parts[0])
    html = root.get_payload(decode=True)
    url = address or _read_header(root, "Content-Location")
    yield Capture(
        html[: options.max_read_bytes] if isinstance(html, bytes) else b"",
        url if is_address(url) else None,
        name,
        fetched_at=_read_date(_read_header(message, "Date")),
        content_type=_read_header(root, "Content-Type") or None,
        fault=TRUNCATED_FILE if _is_cut(message, root) else "",
    )


def _is_cut(message: Message, root: Message) -> bool:
    """Tell whether the file ends in its page. If it ends in an image, the page is complete."""
    *_, last = message.walk()
    return last is root and any(isinstance(defect, CloseBoundaryNotFoundDefect) for defect in message.defects)


def _is_root(message: Message, part: Message, address: str) -> bool:
    start = message.get_param("start")
    identifier = _read_header(part, "Content-ID")
    return bool((start and start == identifier) or (address and address == _read_header(part, "Content-Location")))


def _read_header(message: Message, name: str) -> str:
    return " ".join(str(message.get(name, "")).split())


def _read_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
