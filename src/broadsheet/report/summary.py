"""Summarize a collection in one pass, with memory for the hosts, their months and the doubtful pages only."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from broadsheet.article import Status
from broadsheet.report.records import RecordView
from broadsheet.site.health import EXPECTED_FIELDS, HealthChange, HealthTotals, find_change

BINS = 20  # of the histogram of confidences


@dataclass(frozen=True, slots=True)
class Host:
    """A site of the collection."""

    totals: HealthTotals
    months: dict[str, HealthTotals]  # in order; pages without a date are in none
    drift: HealthChange | None


@dataclass(frozen=True, slots=True)
class CollectionSummary:
    """A summary of a collection."""

    name: str
    pages: int
    statuses: dict[str, int]  # most frequent first
    histogram: tuple[int, ...]  # articles by confidence
    doubtful: tuple[RecordView, ...]  # articles with the lowest confidence, lowest first
    failed: tuple[RecordView, ...]  # the first pages of other statuses
    hosts: dict[str, Host]  # the worst first
    mean_confidence: float
    missing: dict[str, int]  # articles without a field


def summarize(name: str, records: Iterable[RecordView], *, max_pages: int) -> CollectionSummary:
    """Read all records once. `max_pages` is the number of doubtful pages, and of pages without an article."""
    statuses: Counter[str] = Counter()
    histogram = [0] * BINS
    doubtful: list[tuple[float, int, RecordView]] = []  # a heap; the highest confidence is dropped first
    failed: list[RecordView] = []
    hosts: defaultdict[str, HealthTotals] = defaultdict(HealthTotals)
    months: defaultdict[str, defaultdict[str, HealthTotals]] = defaultdict(lambda: defaultdict(HealthTotals))
    for number, record in enumerate(records):
        statuses[record.status] += 1
        is_article = record.status == Status.OK
        for totals in (hosts[record.host], months[record.host][record.month]):
            totals.add(is_article=is_article, confidence=record.confidence, missing=record.missing)
        if not is_article:
            if len(failed) < max_pages:
                failed.append(record)
            continue
        histogram[min(int(record.confidence * BINS), BINS - 1)] += 1
        push = heapq.heappush if len(doubtful) < max_pages else heapq.heappushpop
        push(doubtful, (-record.confidence, -number, record))
    missing = sum((totals.missing for totals in hosts.values()), Counter())
    articles = statuses[Status.OK]
    return CollectionSummary(
        name=name,
        pages=statuses.total(),
        statuses=dict(statuses.most_common()),
        histogram=tuple(histogram),
        doubtful=tuple(record for _, _, record in sorted(doubtful, reverse=True)),
        failed=tuple(failed),
        hosts={
            host: _make_host(totals, months[host])
            for host, totals in sorted(hosts.items(), key=lambda item: (item[1].health, item[0]))
        },
        mean_confidence=sum(totals.confidence for totals in hosts.values()) / articles if articles else 0.0,
        missing={field_name: missing[field_name] for field_name in EXPECTED_FIELDS},
    )


def _make_host(totals: HealthTotals, months: dict[str, HealthTotals]) -> Host:
    dated = {month: months[month] for month in sorted(months) if month}
    return Host(totals, dated, find_change(dated))
