"""Speed: milliseconds per page, median and 95th percentile. The times of pages differ too much for a mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Speed:
    """Milliseconds per page."""

    median: float
    p95: float


def measure_speed(seconds: Sequence[float]) -> Speed | None:
    """Summarise the times of pages; None if there are no pages."""
    if not seconds:
        return None
    times = sorted(seconds)
    return Speed(_quantile(times, 0.5) * 1000, _quantile(times, 0.95) * 1000)


def _quantile(times: Sequence[float], share: float) -> float:
    """Return a quantile of sorted times, with linear interpolation as in NumPy and R."""
    position = share * (len(times) - 1)
    low = int(position)
    high = min(low + 1, len(times) - 1)
    return times[low] + (times[high] - times[low]) * (position - low)
