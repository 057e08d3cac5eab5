"""Kinds of failed fetches, for programs that answer each kind differently."""

from __future__ import annotations

from enum import Enum

import httpcore

from broadsheet.errors import FetchError, LimitReached, RefusedAddress
from broadsheet.web.explain import list_causes
from broadsheet.web.status import StatusError


class FetchFailure(Enum):
    """Why a fetch failed."""

    REFUSED = "the address may not be fetched"
    LATE = "no complete response in time"
    TOO_LARGE = "the page is too large"
    OTHER = "the server or the network failed"


class PageTooLarge(FetchError):
    """A response is larger than the limit."""


def find_failure(error: FetchError) -> FetchFailure:
    """Return the kind of a failed fetch."""
    for cause in list_causes(error):
        if isinstance(cause, RefusedAddress):
            return FetchFailure.REFUSED
        if isinstance(cause, PageTooLarge):
            return FetchFailure.TOO_LARGE
        if isinstance(cause, httpcore.TimeoutException | LimitReached):
            return FetchFailure.LATE
    return FetchFailure.OTHER


def find_http_status(error: FetchError) -> int | None:
    """Return the HTTP status that made a fetch fail; None if it failed for another reason."""
    return next((cause.code for cause in list_causes(error) if isinstance(cause, StatusError)), None)
