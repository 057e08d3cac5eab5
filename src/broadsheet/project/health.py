"""Health of the sites of a project: the measurements of their pages over time, judged as in `broadsheet watch`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from statistics import mean
from typing import Any

from broadsheet.article import Status
from broadsheet.project.analysis import Analysis
from broadsheet.project.store import Store
from broadsheet.site.health import EXPECTED_FIELDS, RECENT_PAGES, TEXT, PageMeasure, judge_pages


@dataclass(frozen=True, slots=True)
class Measurement:
    """The last extraction of a page."""

    page: str
    name: str
    seen_at: str
    status: str
    confidence: float
    missing: tuple[str, ...]
    drift: float | None


@dataclass(frozen=True, slots=True)
class SiteHealth:
    """A site with its measurements, the oldest first, and what is wrong with the newest pages."""

    host: str
    measurements: tuple[Measurement, ...]
    warnings: tuple[str, ...]

    @property
    def recent(self) -> tuple[Measurement, ...]:
        """The newest pages."""
        return self.measurements[-RECENT_PAGES:]

    @property
    def confidence(self) -> float:
        """Mean confidence of the newest pages."""
        return mean(measurement.confidence for measurement in self.recent)


def find_missing(analysis: Analysis) -> tuple[str, ...]:
    """Return the fields that a page should have and the extraction did not find, and "text" if there is none."""
    missing = [name for name in EXPECTED_FIELDS if not getattr(analysis, name)]
    return (*missing, *([TEXT] if analysis.status == Status.EMPTY.value else []))


def list_health(store: Store) -> list[SiteHealth]:
    """Return the health of all sites: those with warnings first."""
    with store.read() as database:
        rows = database.execute(
            "SELECT pages.host, pages.hash, pages.name, pages.seen_at, status, confidence, missing, drift"
            " FROM pages JOIN measurements ON measurements.page = pages.hash"
            " WHERE measurements.id IN (SELECT max(id) FROM measurements GROUP BY page)"
            " ORDER BY pages.seen_at, pages.name"
        ).fetchall()
    by_host: dict[str, list[Measurement]] = {}
    for host, page, name, seen_at, status, confidence, missing, drift in rows:
        measurement = Measurement(page, name, seen_at, status, confidence, tuple(missing.split()), drift)
        by_host.setdefault(host, []).append(measurement)
    sites = [_judge_site(host, pages) for host, pages in by_host.items()]
    return sorted(sites, key=lambda site: (-len(site.warnings), site.host))


def _judge_site(host: str, pages: list[Measurement]) -> SiteHealth:
    alarms = judge_pages([PageMeasure(page.confidence, page.missing, page.drift) for page in pages])
    return SiteHealth(host, tuple(pages), tuple(alarm.message for alarm in alarms or ()))


# Agreement of the people who label


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two people agree on the blocks of the pages that both have accepted."""

    people: tuple[str, str]
    pages: int
    blocks: int
    agreement: float  # share of the blocks with the same role
    kappa: float | None  # Cohen's kappa; None if each gave the same single role to all blocks


def list_agreement(store: Store) -> list[Agreement]:
    """Compare the labels of all pairs of people. The second one saw the labels of the first."""
    accepted = _read_accepted(store)
    people = sorted({who for labels in accepted.values() for who in labels})
    rows = []
    for one, other in combinations(people, 2):
        both = [(page[one], page[other]) for page in accepted.values() if one in page and other in page]
        pairs = [(left[path], right[path]) for left, right in both for path in left.keys() & right.keys()]
        if pairs:
            agreement, kappa = _measure_agreement(pairs)
            rows.append(Agreement((one, other), len(both), len(pairs), agreement, kappa))
    return rows


def _read_accepted(store: Store) -> dict[str, dict[str, dict[str, str]]]:
    """Return the roles of blocks by path, as each person accepted each page: page -> person -> path -> role."""
    with store.read() as database:
        rows: list[Any] = database.execute(
            "SELECT page, kind, name, new, who FROM changes"
            " WHERE undone_at IS NULL AND kind IN ('role', 'is_done') ORDER BY id"
        ).fetchall()
    labels: dict[str, dict[str, str]] = {}
    accepted: dict[str, dict[str, dict[str, str]]] = {}
    for page, kind, name, new, who in rows:
        current = labels.setdefault(page, {})
        if kind == "is_done":
            if new == "1":
                accepted.setdefault(page, {})[who] = dict(current)
        elif new is None:
            current.pop(name, None)
        else:
            current[name] = new
    return accepted


def _measure_agreement(pairs: Iterable[tuple[str, str]]) -> tuple[float, float | None]:
    """Return the share of equal pairs, and Cohen's kappa."""
    counts = Counter(pairs)
    total = counts.total()
    agreement = sum(count for (left, right), count in counts.items() if left == right) / total
    lefts, rights = Counter[str](), Counter[str]()
    for (left, right), count in counts.items():
        lefts[left] += count
        rights[right] += count
    chance = sum(lefts[role] * rights[role] for role in lefts) / total**2
    return agreement, None if chance == 1 else (agreement - chance) / (1 - chance)
