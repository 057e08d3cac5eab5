"""Errors of the network in one line: the failure, and the next step for the user."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from typing import Any

import httpcore
import httpx

from broadsheet.errors import FetchError, LimitReached

_MAX_CHARS = 300  # a server may put anything into a header

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
    if isinstance(error, httpcore.TimeoutException | LimitReached):
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
