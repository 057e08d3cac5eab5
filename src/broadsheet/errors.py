"""Everything Broadsheet raises on purpose.

BroadsheetError
├── UsageError            the call is wrong: what, and what to write instead
│   ├── UnknownMethod     no such method; lists the known ones
│   └── BrokenMethod      a method that does not load, or whose labels do not fit the page
├── MissingExtra          a feature needs an optional dependency; names it
├── FetchError            an address could not be fetched; says why
├── RenderError           a real browser was asked for, and there is none or it failed
└── LimitReached          a page went over a limit (time); becomes the article's status
"""

from __future__ import annotations

from collections.abc import Iterable


class BroadsheetError(Exception):
    """Root of all errors that Broadsheet raises on purpose."""


class UsageError(BroadsheetError):
    """The caller asked for something that cannot be: the message says what to do instead."""


class UnknownMethod(UsageError):
    """No method of that name is installed."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"unknown method {name!r}; known: {', '.join(known)}")


class BrokenMethod(UsageError):
    """A method, mostly of another package, does not do what a method must."""


class MissingExtra(BroadsheetError):
    """A feature needs packages that the light install leaves out."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; run: pip install 'broadsheet[{extra}]'")


class FetchError(BroadsheetError):
    """A page could not be fetched."""


class RenderError(BroadsheetError):
    """A page could not be shown in a browser."""


class LimitReached(BroadsheetError):
    """A page took longer than its limit allows."""
