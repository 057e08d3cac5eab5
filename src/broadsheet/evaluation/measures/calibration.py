"""Calibration of `confidence`: pages of confidence 0.8 should have a mean F1 of 0.8.

Source: expected calibration error, Guo et al. 2017, "On calibration of modern neural networks"; the page's word F1
replaces accuracy, because confidence is the expected F1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Pages whose confidence is in one interval."""

    low: float
    high: float
    pages: int
    confidence: float  # mean
    quality: float  # mean word F1


@dataclass(frozen=True, slots=True)
class Calibration:
    """The reliability curve, and the mean distance of pages from its diagonal."""

    error: float
    bins: tuple[Bin, ...]


def measure_calibration(confidences: Sequence[float], qualities: Sequence[float]) -> Calibration | None:
    """Group pages by confidence and compare the means; None if there are no pages."""
    if not confidences:
        return None
    bins: list[list[tuple[float, float]]] = [[] for _ in range(BINS)]
    for confidence, quality in zip(confidences, qualities, strict=True):
        bins[min(int(confidence * BINS), BINS - 1)].append((confidence, quality))
    filled = [_summarise_bin(number, pairs) for number, pairs in enumerate(bins) if pairs]
    error = sum(filled_bin.pages * abs(filled_bin.confidence - filled_bin.quality) for filled_bin in filled)
    return Calibration(error / len(confidences), tuple(filled))


def _summarise_bin(number: int, pairs: Sequence[tuple[float, float]]) -> Bin:
    return Bin(
        low=number / BINS,
        high=(number + 1) / BINS,
        pages=len(pairs),
        confidence=sum(confidence for confidence, _ in pairs) / len(pairs),
        quality=sum(quality for _, quality in pairs) / len(pairs),
    )
