"""Health of the sites of a project over time: confidence, missing fields, drift of the layout."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

from broadsheet.article import Status
from broadsheet.project.analysis import Analysis
from broadsheet.site.config import SiteConfig
from broadsheet.site.sample import SampledPage
from broadsheet.site.site import MIN_CHANGED_DRIFT
from broadsheet.site.template import compare_structures, group_pages

if TYPE_CHECKING:
    from broadsheet.project.store import Store

RECENT_PAGES = 5  # the newest pages of a site, which are compared with those before
MIN_PAGES = 3  # of the newest pages, and of those before: fewer are not compared
MAX_EARLIER_PAGES = 60  # of a site, that a new page is compared with
MAX_CONFIDENCE_DROP = 0.1
MIN_CONFIDENCE = 0.7  # mean of the newest pages
MAX_MISSING_RISE = 0.4  # share of pages that lack a field
_CHECKED_FIELDS = ("title", "date", "authors")
_TEXT = "text"
_REQUIRED = ("title", _TEXT)  # every article has them


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
    missing = [name for name in _CHECKED_FIELDS if not getattr(analysis, name)]
    return (*missing, *([_TEXT] if analysis.status == Status.EMPTY.value else []))


def measure_drift(structure: Sequence[int], earlier: Sequence[Sequence[int]]) -> float | None:
    """Return the share of the nearest template's structure that a page lacks; None with too few earlier pages.

    `earlier` is in the order of time. The newest pages are left out: after a redesign, the first new pages must not
    hide that the next ones have changed, too.
    """
    reference = earlier[: max(len(earlier) - RECENT_PAGES, MIN_PAGES)]
    if len(reference) < MIN_PAGES or not structure:
        return None
    pages = [SampledPage(number, "", array("Q"), array("I", parts)) for number, parts in enumerate(reference)]
    page_structure = frozenset(structure)
    templates = group_pages(pages, SiteConfig.shipped())
    nearest = max(templates, key=lambda template: compare_structures(page_structure, template.structure))
    return round(1 - len(nearest.structure & page_structure) / max(len(nearest.structure), 1), 4)


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
    sites = [SiteHealth(host, tuple(pages), tuple(_find_warnings(pages))) for host, pages in by_host.items()]
    return sorted(sites, key=lambda site: (-len(site.warnings), site.host))


def _find_warnings(pages: Sequence[Measurement]) -> list[str]:
    """Compare the newest pages with fixed limits, and with the pages before them if there are enough."""
    recent, earlier = pages[-RECENT_PAGES:], pages[:-RECENT_PAGES]
    if len(recent) < MIN_PAGES:
        return []
    warnings = []
    confidence = mean(page.confidence for page in recent)
    if confidence < MIN_CONFIDENCE:
        warnings.append(f"low confidence: {confidence:.2f} in the newest {len(recent)} pages")
    elif len(earlier) >= MIN_PAGES and (
        (before := mean(page.confidence for page in earlier)) - confidence > MAX_CONFIDENCE_DROP
    ):
        warnings.append(f"the confidence fell from {before:.2f} to {confidence:.2f}")
    warnings += _find_missing_fields(recent, earlier)
    changed = sum(page.drift is not None and page.drift >= MIN_CHANGED_DRIFT for page in recent)
    if changed > len(recent) / 2:
        warnings.append(f"the layout has changed: {changed} of the newest {len(recent)} pages differ")
    return warnings


def _find_missing_fields(recent: Sequence[Measurement], earlier: Sequence[Measurement]) -> list[str]:
    warnings = []
    for name in (*_CHECKED_FIELDS, _TEXT):
        now = _share_missing(recent, name)
        if name in _REQUIRED:
            before = 0.0
        elif len(earlier) >= MIN_PAGES:
            before = _share_missing(earlier, name)
        else:  # many sites show no authors or dates
            continue
        if now - before > MAX_MISSING_RISE:
            verb = "are" if name.endswith("s") else "is"
            warnings.append(f"{name} {verb} missing on {round(now * len(recent))} of the newest {len(recent)} pages")
    return warnings


def _share_missing(pages: Sequence[Measurement], name: str) -> float:
    return sum(name in page.missing for page in pages) / max(len(pages), 1)
