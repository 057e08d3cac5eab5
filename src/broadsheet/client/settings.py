"""Settings that both clients share: address, token, time limit, retries."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from broadsheet.errors import UsageError
from broadsheet.version import __version__
from broadsheet.web import find_fault
from broadsheet.web.failure import parse_retry_after

_TEMPORARY_CODES = frozenset((408, 429, 503))
_FIRST_DELAY = 0.25  # seconds; each further delay is twice as long
_MAX_DELAY = 60.0


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """How a client reaches its service."""

    address: str
    token: str | None = field(default=None, repr=False)
    max_seconds: float = 120.0  # for one attempt
    max_retries: int = 5
    parallel: int = 2  # requests of `extract_many` at a time

    def __post_init__(self) -> None:
        """Check the values. Raises UsageError."""
        if not isinstance(self.address, str) or not isinstance(self.token, str | None):
            raise TypeError("the address and the token of a service must be str")
        if fault := find_fault(self.address):
            raise UsageError(f"{self.address!r:.80} is not the address of a service: {fault}")
        if self.token and not self.token.strip().isprintable():
            raise UsageError("the token has a line break or another control character")
        if self.max_retries < 0 or self.parallel < 1 or not self.max_seconds > 0:
            raise UsageError("max_retries must be at least 0, parallel at least 1, max_seconds greater than 0")

    def make_http_options(self) -> dict[str, Any]:
        """Return the arguments of an httpx client."""
        headers: dict[str, str | bytes] = {
            "User-Agent": f"broadsheet-client/{__version__}",
            "Accept": "application/json",
        }
        if self.token:
            headers["Authorization"] = f"Bearer {self.token.strip()}".encode()  # UTF-8, as the service reads it
        return {"base_url": self.address.rstrip("/"), "headers": headers, "timeout": self.max_seconds}

    def choose_delay(self, retry: int, code: int | None, retry_after: str = "") -> float | None:
        """Return the seconds before retry number 0, 1, ...; None if there is none. No code: no answer came.

        The delay varies randomly by a third, so that clients that were refused together do not retry together.
        """
        if retry >= self.max_retries or (code is not None and code not in _TEMPORARY_CODES):
            return None
        delay = min(_FIRST_DELAY * 2.0**retry, _MAX_DELAY)
        delay = max(delay, min(parse_retry_after(retry_after), _MAX_DELAY))
        return delay * random.uniform(1.0, 1.33)
