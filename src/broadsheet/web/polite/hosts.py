"""Turns of requests: a minimum delay and a maximum number of requests at a time for each host."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator


class HostQueue:
    """Gives the requests to one host their turns."""

    def __init__(self, delay: float, max_requests: int) -> None:
        self._delay = delay
        self._slots = asyncio.Semaphore(max_requests)
        self._next_start = 0.0  # time.monotonic()

    @contextlib.asynccontextmanager
    async def take_turn(self) -> AsyncIterator[None]:
        """Wait for a turn; it ends with the block."""
        async with self._slots:
            while (seconds := self._next_start - time.monotonic()) > 0:
                await asyncio.sleep(seconds)
            self._next_start = time.monotonic() + self._delay
            yield

    def slow_down(self, delay: float) -> None:
        """Send one request at a time, with at least this delay, as the host asks in robots.txt."""
        if delay > self._delay:
            self._delay = delay
            self._slots = asyncio.Semaphore(1)

    def pause(self, seconds: float) -> None:
        """Start no request for some seconds, as the host asked in Retry-After."""
        self._next_start = max(self._next_start, time.monotonic() + seconds)
