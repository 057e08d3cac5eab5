"""Summarize a collection in one pass, with memory for the hosts and the doubtful pages only."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from broadsheet.article import Status
from broadsheet.review.records import EXPECTED_FIELDS, RecordView

BINS = 20  # of the histogram of confidences


@dataclass(slots=True)
class HostTotals:
    """The pages of a host, added up."""

    pages: int = 0
    articles: int = 0  # status ok
    confidence: float = 0.0  # sum over articles
    missing: Counter[str] = field(default_factory=Counter)  # of EXPECTED_FIELDS, among articles

    @property
    def mean_confidence(self) -> float:
        """Mean confidence of the articles; 0 without any."""
        return self.confidence / self.articles if self.articles else 0.0

    @property
    def health(self) -> float:
        """Mean of: share of pages that are articles, confidence, share of expected fields. Low is bad."""
        filled = 1 - self.missing.total() / (len(EXPECTED_FIELDS) * self.articles) if self.articles else 0.0
        return (self.articles / self.pages + self.mean_confidence + filled) / 3


@dataclass(frozen=True, slots=True)
class Collection:
    """A summary of a collection."""

    name: str
    pages: int
    statuses: dict[str, int]  # most frequent first
    histogram: tuple[int, ...]  # articles by confidence
    doubtful: tuple[RecordView, ...]  # articles with the lowest confidence, lowest first
    failed: tuple[RecordView, ...]  # the first pages of other statuses
    hosts: dict[str, HostTotals]  # the worst first
    mean_confidence: float
    missing: dict[str, int]  # articles without a field


def summarize(name: str, records: Iterable[RecordView], *, max_pages: int) -> Collection:
    """Read all records once. `max_pages` is the number of doubtful pages, and of pages without an article."""
    statuses: Counter[str] = Counter()
    histogram = [0] * BINS
    doubtful: list[tuple[float, int, RecordView]] = []  # a heap; the highest confidence is dropped first
    failed: list[RecordView] = []
    hosts: defaultdict[str, HostTotals] = defaultdict(HostTotals)
    for number, record in enumerate(records):
        statuses[record.status] += 1
        totals = hosts[record.host]
        totals.pages += 1
        if record.status != Status.OK:
            if len(failed) < max_pages:
                failed.append(record)
            continue
        totals.articles += 1
        totals.confidence += record.confidence
        totals.missing.update(record.missing)
        histogram[min(int(record.confidence * BINS), BINS - 1)] += 1
        push = heapq.heappush if len(doubtful) < max_pages else heapq.heappushpop
        push(doubtful, (-record.confidence, -number, record))
    missing = sum((totals.missing for totals in hosts.values()), Counter())
    articles = statuses[Status.OK]
    return Collection(
        name=name,
        pages=statuses.total(),
        statuses=dict(statuses.most_common()),
        histogram=tuple(histogram),
        doubtful=tuple(record for _, _, record in sorted(doubtful, reverse=True)),
        failed=tuple(failed),
        hosts=dict(sorted(hosts.items(), key=lambda item: (item[1].health, item[0]))),
        mean_confidence=sum(totals.confidence for totals in hosts.values()) / articles if articles else 0.0,
        missing={field_name: missing[field_name] for field_name in EXPECTED_FIELDS},
    )
