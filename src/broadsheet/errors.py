"""All errors that Broadsheet raises on purpose.

BroadsheetError
├── UsageError            wrong arguments or input; the message explains what to do instead
│   ├── UnknownMethod     there is no method of that name; lists the available ones
│   ├── BrokenMethod      a method cannot be loaded, or its labels do not fit the page
│   ├── WeightsError      weights are missing, damaged, or do not fit the configuration
│   ├── SiteFileError     a saved site is missing, damaged, or of a newer version
│   └── FieldNotRequested a field of an article that the option `fields` does not name; also an AttributeError
├── MissingExtra          an optional dependency is not installed; names the extra
├── InputError            a file of pages could not be read; gives the reason
├── FetchError            an address could not be fetched; gives the reason
│   └── RefusedAddress    an address that may not be fetched: private, or not allowed by the site
├── RenderError           a page could not be rendered: no browser, or the browser failed
├── ServiceError          a service (`broadsheet serve`) refused a request or could not be reached
└── LimitReached          a page exceeded its time limit; `extract` returns status "timeout" instead

A page without an article is a result, not an error: see `Article.status`.
"""

from __future__ import annotations

from collections.abc import Iterable


def describe_unknown(kind: str, name: str, known: Iterable[str], meant: str = "") -> str:
    """Return the message for an unknown name: the known ones, and the one closest to it or to what it may mean."""
    from difflib import get_close_matches  # imported here: only errors need it

    known = list(known)
    close = get_close_matches(meant or name.lower(), known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"unknown {kind} {name!r}; known: {', '.join(known)}{hint}"


class BroadsheetError(Exception):
    """Base class of all errors that Broadsheet raises on purpose."""


class UsageError(BroadsheetError):
    """Wrong arguments or input. The message explains what to do instead."""


class UnknownMethod(UsageError):
    """There is no method of that name."""

    def __init__(self, name: str, available: Iterable[str]) -> None:
        super().__init__(describe_unknown("method", name, available))


class BrokenMethod(UsageError):
    """A method cannot be loaded, or its labels do not fit the page."""


class WeightsError(UsageError):
    """The weights of a model are missing, damaged, or do not fit the configuration."""


class SiteFileError(UsageError):
    """A saved site is missing, damaged, or of a newer version."""


class FieldNotRequested(UsageError, AttributeError):
    """A field was read that the option `fields` does not name."""

    def __init__(self, name: str, requested: Iterable[str]) -> None:
        fields = (*requested, name)
        super().__init__(f"the field {name!r} was not requested; name it: fields={fields!r}")


class MissingExtra(BroadsheetError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; run: pip install 'broadsheet[{extra}]'")


class InputError(BroadsheetError):
    """A file of pages could not be read."""


class FetchError(BroadsheetError):
    """An address could not be fetched."""


class RefusedAddress(FetchError):
    """An address may not be fetched: it is private, or the site does not allow it."""


class RenderError(BroadsheetError):
    """A page could not be rendered in a browser."""


class LimitReached(BroadsheetError):
    """A page exceeded its time limit."""


class ServiceError(BroadsheetError):
    """A service refused a request, or could not be reached."""

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code  # HTTP status; None if there was no answer
