"""Growth: the time of a method on a page that repeats one construct, at one to eight times the size."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from random import Random

from tests.fuzz.cases import ADDRESS
from tests.fuzz.protocol import Failure
from tests.fuzz.shapes import Shape

import broadsheet

MAX_EXPONENT = 1.3
FACTORS = (1, 2, 4, 8)
_BASE_CHARS = 60_000
_REPEATS = 3
_MIN_SECONDS = 0.5  # at the largest size, for _BASE_CHARS; smaller times are mostly noise
_LIMITS = broadsheet.Limits(max_seconds=60)


def measure_times(shape: Shape, method: str, base_chars: int) -> list[float]:
    """Return the processor time for each of FACTORS: the least of some repeats, which other processes disturb least."""
    times = []
    for factor in FACTORS:
        html = shape.make(factor * base_chars)
        times.append(min(_measure_time(html, method) for _ in range(_REPEATS)))
    return times


def _measure_time(html: str, method: str) -> float:
    started = time.process_time()
    broadsheet.extract(html, ADDRESS, method, limits=_LIMITS)
    return time.process_time() - started


def find_exponent(times: Sequence[float]) -> float:
    """Return b of time = a * size ** b, by least squares over the logarithms."""
    points = [(math.log(factor), math.log(max(seconds, 1e-6))) for factor, seconds in zip(FACTORS, times, strict=True)]
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def check_growth(shape: Shape, method: str, base_chars: int = _BASE_CHARS) -> Failure | None:
    """Return a failure if the time grows faster than MAX_EXPONENT. A suspect is measured a second time."""
    min_seconds = _MIN_SECONDS * base_chars / _BASE_CHARS
    for _ in range(2):
        times = measure_times(shape, method, base_chars)
        exponent = find_exponent(times)
        if times[-1] < min_seconds or exponent <= MAX_EXPONENT:
            return None
    figures = ", ".join(f"{seconds:.3f}" for seconds in times)
    return Failure(-1, method, f"{shape.name}: exponent {exponent:.2f} (seconds {figures})")


def check_all(shapes: Iterable[Shape], seconds: float, seed: int, say: Callable[[str], None]) -> list[Failure]:
    """Check shapes with all methods, in random order, until the time is over."""
    end = time.monotonic() + seconds
    pairs = list(product(shapes, broadsheet.methods()))
    Random(seed).shuffle(pairs)
    failures, checked = [], 0
    for shape, method in pairs:
        if time.monotonic() > end:
            break
        checked += 1
        if failure := check_growth(shape, method):
            failures.append(failure)
            say(f"FAILED {failure}")
    say(f"growth: {checked} of {len(pairs)} pairs of shape and method")
    return failures
