"""Admission: a limit on the requests in the service. It is checked before the body of a request is read."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

from broadsheet.server.refusal import Refusal

_MAX_RETRY_SECONDS = 60
_MEAN_WEIGHT = 0.1  # of the newest value in the running mean
_FIRST_MEAN_SECONDS = 0.05


class Gate:
    """Counts the requests inside. All calls are made from the event loop."""

    def __init__(self, max_inside: int, lanes: int) -> None:
        self.max_inside = max_inside
        self.inside = 0
        self.is_closed = False  # the service is stopping
        self._lanes = lanes  # requests that are processed at the same time
        self._mean_seconds = _FIRST_MEAN_SECONDS  # of processing, without waiting

    @property
    def is_full(self) -> bool:
        """Whether the next request would be refused."""
        return self.inside >= self.max_inside

    @contextlib.contextmanager
    def enter(self, *, is_admitted: bool = False) -> Iterator[None]:
        """Take a place until the end of the block. Raises Refusal (503) if there is none.

        A request that another gate has admitted always gets one: its page was fetched already.
        """
        if self.is_closed or (self.is_full and not is_admitted):
            reason = "is stopping" if self.is_closed else "is busy"
            headers = {"Retry-After": str(self.estimate_wait())}
            raise Refusal(503, f"the service {reason}; try again later", headers=headers)
        self.inside += 1
        try:
            yield
        finally:
            self.inside -= 1

    def record_seconds(self, seconds: float) -> None:
        """Note how long a request was processed."""
        self._mean_seconds += _MEAN_WEIGHT * (seconds - self._mean_seconds)

    def estimate_wait(self) -> int:
        """Return the whole seconds after which half of the places are likely to be free."""
        seconds = self.max_inside / 2 * self._mean_seconds / self._lanes
        return min(max(1, math.ceil(seconds)), _MAX_RETRY_SECONDS)
