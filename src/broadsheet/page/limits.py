"""Limits on one page: bytes, nodes, depth, blocks, characters, seconds and memory.

All but the memory are checked while the page is processed, without signals, in any thread. The memory is a limit of the
operating system on worker processes.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, fields
from functools import partial
from typing import NamedTuple

from broadsheet.errors import LimitReached, UsageError
from broadsheet.option_field import option

_limit = partial(option, above=0, panel="Limits per page")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on one page. Of a larger page, the rest is left out and the article's status is "too_large".

    The defaults were chosen on hostile pages: none takes two seconds or 500 MB. The largest of 6,000 news pages had
    2 MB, 24,000 nodes, 3,000 blocks; of 3,688, none had more than 250,000 characters of text.
    """

    max_bytes: int = _limit(8_000_000, "Bytes to read; the rest is left out.")  # of a str: characters
    # Tags in the source; elements and texts in the node table, checked every 4096 rows.
    max_nodes: int = _limit(60_000, "Elements and text nodes to read.")
    max_depth: int = _limit(512, "Nesting depth; deeper elements move up to it, as in Chromium.")
    max_blocks: int = _limit(15_000, "Blocks of visible text.")
    max_chars: int = _limit(500_000, "Characters of visible text.")
    max_seconds: float = _limit(20.0, "Time limit in seconds; beyond it, the status is timeout.")
    # Of `extract_many`, beyond the size of the process after loading; None for no limit. Linux only, and not with
    # `render`, since the browser would inherit it. Ordinary pages need less than 100 MB.
    max_memory: int | None = _limit(2_000_000_000, "Bytes that a worker process may allocate.")

    def __post_init__(self) -> None:
        """Check the values. Raises UsageError."""
        for field in fields(self):
            _check_limit(field.name, getattr(self, field.name))


def _check_limit(name: str, value: object) -> None:
    if name == "max_memory" and value is None:
        return
    is_number = isinstance(value, int | float) if name == "max_seconds" else isinstance(value, int)
    min_value = 0 if name == "max_seconds" else 1
    if isinstance(value, bool) or not is_number or not value >= min_value:  # type: ignore[operator]  # NaN is refused
        kind = "a number of seconds" if name == "max_seconds" else "an integer"
        raise UsageError(f"{name} must be {kind} of at least {min_value}, not {value!r:.80}")


DEFAULT_LIMITS = Limits()
MAX_SHELL_CHARS = 250  # a page with scripts that shows less text than this is filled in by JavaScript


class Deadline(NamedTuple):
    """The time at which processing of a page stops. Works in any thread."""

    ends: float  # as time.monotonic()

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """Return the deadline that is `seconds` from now."""
        return cls(time.monotonic() + seconds)

    def check(self) -> None:
        """Raise LimitReached after the deadline."""
        if time.monotonic() > self.ends:
            raise LimitReached("the page took longer than its time limit; raise Limits.max_seconds")


NO_DEADLINE = Deadline(float("inf"))
