"""Drift: the largest lasting change of a site's health, found from its pages by month.

Health falls when a site changes its layout: fewer pages are articles, confidence is lower, fields are missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from broadsheet.report.totals import HostTotals, add_totals

MIN_PAGES = 10  # before and after a change: the health of fewer pages varies too much
MIN_CHANGE = 0.05


@dataclass(frozen=True, slots=True)
class Drift:
    """A change of health."""

    change: float  # mean health from this month on, minus that before it; negative is worse
    month: str  # the first month after the change, such as "2024-03"


def find_drift(months: Mapping[str, HostTotals]) -> Drift | None:
    """Find the month at which the health of a site changed most; None if it did not change much.

    Of all months that leave enough pages on both sides, it is the one that explains most of the variance.
    """
    ordered = sorted(months.items())
    before = list(accumulate((totals for _, totals in ordered), add_totals))
    after = list(accumulate((totals for _, totals in reversed(ordered)), add_totals))[::-1]
    best, best_variance = None, 0.0
    for (month, _), early, late in zip(ordered[1:], before[:-1], after[1:], strict=True):
        if min(early.pages, late.pages) < MIN_PAGES:
            continue
        change = late.health - early.health
        variance = change**2 * early.pages * late.pages
        if abs(change) >= MIN_CHANGE and variance > best_variance:
            best, best_variance = Drift(change, month), variance
    return best
