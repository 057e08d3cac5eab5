"""MHTML: a page that a browser saved in one file."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.errors import CloseBoundaryNotFoundDefect
from email.message import Message
from email.utils import parsedate_to_datetime

from broadsheet.capture import Capture
from broadsheet.errors import InputError
from broadsheet.inputs.file_faults import TRUNCATED_FILE
from broadsheet.inputs.options import ReadOptions
from broadsheet.inputs.packed import open_packed
from broadsheet.web import is_address

_PAGE_TYPES = ("text/html", "application/xhtml+xml")
_FILE_FACTOR = 20  # a file may be this many times larger than a page, because it contains images


def read_mhtml(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield the page: the part that the header names, or the first HTML part."""
    with open_packed(name) as file:
        message = message_from_bytes(file.read(_FILE_FACTOR * options.max_read_bytes), policy=policy.compat32)
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
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
