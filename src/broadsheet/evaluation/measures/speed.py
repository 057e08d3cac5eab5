"""Speed: milliseconds a page, median and 95th percentile. Pages differ by a factor of a hundred: no means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Speed:
    """Milliseconds a page."""

    median: float
    p95: float


def measure_speed(seconds: Sequence[float]) -> Speed | None:
    """Summarise the times of single pages; None without pages."""
    if not seconds:
        return None
    times = sorted(seconds)
    return Speed(_quantile(times, 0.5) * 1000, _quantile(times, 0.95) * 1000)


def _quantile(times: Sequence[float], share: float) -> float:
    """Linear between neighbours, as NumPy and R have it."""
    place = share * (len(times) - 1)
    low = int(place)
    high = min(low + 1, len(times) - 1)
    return times[low] + (times[high] - times[low]) * (place - low)
