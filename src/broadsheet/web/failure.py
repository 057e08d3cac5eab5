"""Failures of fetches: what to say about them, which kind they are, and whether a retry is worth it."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from http.client import responses
from typing import Any

import httpcore
import httpx

from broadsheet.errors import FetchError, LimitReached, RefusedAddress
from broadsheet.web.body import PageTooLarge

_REFUSALS = frozenset((401, 402, 403, 429, 451))
_TEMPORARY_STATUSES = frozenset((429, 502, 503, 504))
_FIRST_DELAY = 0.25  # seconds; each further delay is four times as long
_MAX_DELAY = 3600.0  # seconds; for a longer one a retry is pointless, even without a time limit
_MAX_CHARS = 300  # a server may put anything into a header


class StatusError(FetchError):
    """The server answered with a status other than success."""

    def __init__(self, code: int, retry_after: str = "") -> None:
        # The standard name of the status: the name in the response can be any text.
        name = responses.get(code, "")
        super().__init__(f"the server answered {code} {name}".rstrip() + f"; {_advise(code)}")
        self.code = code
        self.retry_after = retry_after  # the header


def _advise(code: int) -> str:
    if code in _REFUSALS:
        return "it refuses automated requests: save the page in a browser and pass the file"
    return "try again later" if code >= 500 else "check the address"


# The first type that fits the error or one of its causes.
_EXPLANATIONS: tuple[tuple[type[BaseException], Callable[[Any], str]], ...] = (
    (FetchError, str),
    (ssl.SSLCertVerificationError, lambda error: f"its TLS certificate is not valid ({error.verify_message})"),
    (ssl.SSLError, lambda error: f"TLS failed ({error.reason or error}); check the address"),
    (socket.gaierror, lambda _: "no such host, or no network; check the address and the connection"),
    (ConnectionRefusedError, lambda _: "the server refused the connection; check the address and the port"),
    (ConnectionError, lambda _: "the server closed the connection; try again later"),
    (OSError, lambda error: f"{error.strerror or error}; check the connection"),
    (httpcore.ProxyError, lambda error: f"the proxy refused the connection ({error}); check its settings"),
    (httpcore.RemoteProtocolError, lambda error: f"the response is incomplete or invalid ({error}); try again later"),
    (httpx.RemoteProtocolError, lambda error: f"the response is invalid ({error})"),
    (httpx.InvalidURL, lambda _: "not a valid address"),
    (UnicodeError, lambda _: "not a valid address"),
)


def explain_error(error: Exception, max_seconds: float) -> str:
    """Return one line about an error of a fetch."""
    if isinstance(error, httpcore.TimeoutException | httpx.TimeoutException | LimitReached):
        return f"no complete response within {max_seconds:g} seconds; try again later"
    for kind, explain in _EXPLANATIONS:
        for cause in list_causes(error):
            if isinstance(cause, kind):
                return _clean(explain(cause))
    return _clean(str(error)) or type(error).__name__


def list_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and the errors that it was raised from."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__  # httpcore raises again with `from None`, which clears the cause


def _clean(text: str) -> str:
    printable = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(printable.split())[:_MAX_CHARS]


class FetchFailure(Enum):
    """Why a fetch failed."""

    REFUSED = "the address may not be fetched"
    LATE = "no complete response in time"
    TOO_LARGE = "the page is too large"
    OTHER = "the server or the network failed"


def find_failure(error: FetchError) -> FetchFailure:
    """Return the kind of a failed fetch."""
    for cause in list_causes(error):
        if isinstance(cause, RefusedAddress):
            return FetchFailure.REFUSED
        if isinstance(cause, PageTooLarge):
            return FetchFailure.TOO_LARGE
        if isinstance(cause, httpcore.TimeoutException | httpx.TimeoutException | LimitReached):
            return FetchFailure.LATE
    return FetchFailure.OTHER


def find_http_status(error: FetchError) -> int | None:
    """Return the HTTP status that made a fetch fail; None if it failed for another reason."""
    return next((cause.code for cause in list_causes(error) if isinstance(cause, StatusError)), None)


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
