"""Retries: which failures are temporary, and how long to wait."""

from __future__ import annotations

import socket
import ssl
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpcore

from broadsheet.web.explain import list_causes
from broadsheet.web.status import StatusError

_TEMPORARY_STATUSES = frozenset((429, 502, 503, 504))
_FIRST_DELAY = 0.25  # seconds; each further delay is four times as long
_MAX_DELAY = 3600.0  # seconds; for a longer one a retry is pointless, even without a time limit


def choose_delay(error: Exception, retry: int) -> float | None:
    """Return the seconds to wait before retry number 0, 1, ...; None if a retry is pointless.

    A delay that the server asks for in Retry-After is never shortened.
    """
    if not _is_temporary(error):
        return None
    delay = _FIRST_DELAY * 4.0**retry
    if isinstance(error, StatusError):
        delay = max(delay, parse_retry_after(error.retry_after))
    return delay if delay <= _MAX_DELAY else None


def parse_retry_after(header: str) -> float:
    """Return the seconds of a Retry-After header, which holds seconds or a date; 0 if it holds neither."""
    header = header.strip()
    if header.isascii() and header.isdigit():
        return float(header[:20])
    try:
        moment = parsedate_to_datetime(header)
    except (ValueError, OverflowError):  # OverflowError: a number with many digits
        return 0
    if moment.tzinfo is None:  # "-0000"
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _is_temporary(error: Exception) -> bool:
    if isinstance(error, StatusError):
        return error.code in _TEMPORARY_STATUSES
    if not isinstance(error, httpcore.NetworkError | httpcore.RemoteProtocolError):
        return False
    return not any(isinstance(cause, ssl.SSLError | socket.gaierror | UnicodeError) for cause in list_causes(error))
