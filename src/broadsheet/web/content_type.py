"""The Content-Type header."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

_MAX_HEADERS = 1024  # kept: archives and clients repeat few headers, and parsing one takes 0.1 ms


@dataclass(frozen=True, slots=True)
class ContentType:
    """A parsed Content-Type header."""

    media_type: str  # lower case; "" without a header, text/plain for a malformed one
    charset: str | None


@lru_cache(_MAX_HEADERS)
def parse_content_type(header: str | None) -> ContentType:
    """Parse a Content-Type header."""
    if not header:
        return ContentType("", None)
    from email.message import Message  # imported here: it loads sockets and calendars, and files have no header

    message = Message()
    message["Content-Type"] = header
    return ContentType(message.get_content_type(), message.get_content_charset())
