"""Totals of the pages of a site."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from broadsheet.article import Status
from broadsheet.report.records import EXPECTED_FIELDS, RecordView


@dataclass(slots=True)
class HostTotals:
    """The pages of a host, added up."""

    pages: int = 0
    articles: int = 0  # status ok
    confidence: float = 0.0  # sum over articles
    missing: Counter[str] = field(default_factory=Counter)  # of EXPECTED_FIELDS, among articles

    def add(self, record: RecordView) -> None:
        """Add a page."""
        self.pages += 1
        if record.status == Status.OK:
            self.articles += 1
            self.confidence += record.confidence
            self.missing.update(record.missing)

    @property
    def mean_confidence(self) -> float:
        """Mean confidence of the articles; 0 without any."""
        return self.confidence / self.articles if self.articles else 0.0

    @property
    def health(self) -> float:
        """Mean of: share of pages that are articles, confidence, share of expected fields. Low is bad."""
        filled = 1 - self.missing.total() / (len(EXPECTED_FIELDS) * self.articles) if self.articles else 0.0
        return (self.articles / self.pages + self.mean_confidence + filled) / 3


def add_totals(one: HostTotals, other: HostTotals) -> HostTotals:
    """Return the sum of two totals."""
    return HostTotals(
        one.pages + other.pages,
        one.articles + other.articles,
        one.confidence + other.confidence,
        one.missing + other.missing,
    )
