"""How much of a page Broadsheet is willing to read, checked in-process and without signals."""

from __future__ import annotations

import time
from dataclasses import dataclass

from broadsheet.errors import LimitReached


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one page. What lies beyond is left out, and the article's status says so.

    The defaults were chosen on hostile pages: 8 MB of nothing but `<p>` costs about a second; the worst found, 60 KB of
    formatting that is never closed, 400 MB.
    """

    max_bytes: int = 8_000_000  # of a str: characters
    max_nodes: int = 250_000  # tags of the source, and elements of the table to the next 4096 rows
    max_depth: int = 512  # deeper nodes move up to this depth, as they do in Chromium
    max_seconds: float = 20.0
    # Bytes that a worker process of `extract_many` may allocate beyond its size after loading; None for no limit. Linux
    # only, and not with `render`, since the browser would inherit it. Ordinary pages need less than 100 MB.
    max_memory: int | None = 2_000_000_000


DEFAULT_LIMITS = Limits()
SHELL_CHARS = 250  # a page with scripts that shows less text than this is filled in by a program


@dataclass(frozen=True, slots=True)
class Deadline:
    """The moment after which work on a page stops. Works in any thread."""

    ends: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """Start the clock now."""
        return cls(time.monotonic() + seconds)

    def check(self) -> None:
        """Raise LimitReached when the time is over."""
        if time.monotonic() > self.ends:
            raise LimitReached("the page took longer than its time limit")


NO_DEADLINE = Deadline(float("inf"))
