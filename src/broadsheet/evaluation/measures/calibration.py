"""Calibration of `confidence`: is a page of confidence 0.8 worth an F1 of 0.8?

Source: expected calibration error, Guo et al. 2017, "On calibration of modern neural networks"; the page's word F1
takes the place of being right, because confidence is meant to be the expected F1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Pages of about one confidence."""

    low: float
    high: float
    pages: int
    confidence: float  # mean
    quality: float  # mean


@dataclass(frozen=True, slots=True)
class Calibration:
    """The reliability curve, and its mean distance from the diagonal."""

    error: float
    bins: tuple[Bin, ...]


def measure_calibration(confidences: Sequence[float], qualities: Sequence[float]) -> Calibration | None:
    """Put pages into bins of confidence and compare the means; None without pages."""
    if not confidences:
        return None
    bins: list[list[tuple[float, float]]] = [[] for _ in range(BINS)]
    for confidence, quality in zip(confidences, qualities, strict=True):
        bins[min(int(confidence * BINS), BINS - 1)].append((confidence, quality))
    filled = [_summarise(number, pairs) for number, pairs in enumerate(bins) if pairs]
    gap = sum(found.pages * abs(found.confidence - found.quality) for found in filled)
    return Calibration(gap / len(confidences), tuple(filled))


def _summarise(number: int, pairs: Sequence[tuple[float, float]]) -> Bin:
    return Bin(
        low=number / BINS,
        high=(number + 1) / BINS,
        pages=len(pairs),
        confidence=sum(confidence for confidence, _ in pairs) / len(pairs),
        quality=sum(quality for _, quality in pairs) / len(pairs),
    )
