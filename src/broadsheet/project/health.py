"""Health of the sites of a project: the measurements of their pages over time, judged as in `broadsheet watch`."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean

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
