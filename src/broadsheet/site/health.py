"""Health of a site: what is wrong with its newest pages, by one set of limits; and how its health changes over time.

`broadsheet watch` raises these alarms, projects and the desk show them as warnings, and `broadsheet report` shows the
health of each month.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import accumulate

from broadsheet.site.sample import SampledPage
from broadsheet.site.template import MIN_CHANGED_DRIFT, SiteConfig, group_pages, measure_distance

EXPECTED_FIELDS = ("title", "date", "authors", "language")  # that an article should have
TEXT = "text"  # the name of the text among missing fields
RECENT_PAGES = 5  # the newest pages, which are judged
MIN_PAGES = 3  # pages that a judgement needs, and earlier pages that a comparison needs
MIN_SHARE = 0.5  # of the newest pages, for an alarm on drift or on a missing field
MIN_PAGES_OF_CHANGE = 10  # before and after a change of health: that of fewer pages varies too much
MIN_CHANGE = 0.05  # of the health


class AlarmKind(StrEnum):
    """What is wrong with a site."""

    DRIFT = "drift"  # the layout has changed
    CONFIDENCE = "confidence"  # the texts are worse than before
    FIELDS = "fields"  # fields are missing
    SILENCE = "silence"  # no new articles
    UNREACHABLE = "unreachable"  # the site cannot be read


PAGE_ALARMS = frozenset((AlarmKind.DRIFT, AlarmKind.CONFIDENCE, AlarmKind.FIELDS))  # that `judge_pages` raises


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something that is wrong."""

    kind: AlarmKind
    message: str


@dataclass(frozen=True, slots=True)
class PageMeasure:
    """Measurements of one extracted page."""

    confidence: float
    missing: tuple[str, ...]  # names of fields without a value
    drift: float | None = None  # share of the template's structure that the page lacks; None: no template is known

    @property
    def has_changed(self) -> bool:
        """Whether the page has another layout than its template."""
        return self.drift is not None and self.drift >= MIN_CHANGED_DRIFT


@dataclass(frozen=True, slots=True)
class HealthLimits:
    """From when on something is wrong."""

    min_confidence: float = 0.5  # mean of the newest pages
    max_confidence_drop: float = 0.15  # of the mean, from that of the earlier pages
    required: tuple[str, ...] = ("title", TEXT)  # every article has them; many sites show no authors or dates


def judge_pages(
    measures: Sequence[PageMeasure], limits: HealthLimits | None = None, *, new_pages: int = 0
) -> tuple[Alarm, ...] | None:
    """Return what is wrong with the newest pages: five, or `new_pages` if these are more. None: too few pages to tell.

    They are compared with fixed limits, and with the earlier pages if there are enough. The oldest page is first.
    """
    limits = limits or HealthLimits()
    recent = measures[-max(new_pages, RECENT_PAGES) :]
    if len(recent) < MIN_PAGES:
        return None
    earlier = measures[: len(measures) - len(recent)]
    earlier = earlier if len(earlier) >= MIN_PAGES else ()
    alarms = (_judge_drift(recent), _judge_confidence(recent, earlier, limits), _judge_fields(recent, earlier, limits))
    return tuple(alarm for alarm in alarms if alarm is not None)


def judge_silence(last_new: datetime, now: datetime, silence: timedelta | None) -> Alarm | None:
    """Judge how long there was no new article."""
    if silence is None or now - last_new <= silence:
        return None
    hours = (now - last_new).total_seconds() / 3600
    return Alarm(AlarmKind.SILENCE, f"no new article for {hours:.1f} hours")


def _judge_drift(recent: Sequence[PageMeasure]) -> Alarm | None:
    measured = [page for page in recent if page.drift is not None]
    changed = sum(page.has_changed for page in measured)
    if not measured or changed < MIN_SHARE * len(measured):
        return None
    message = f"the layout has changed: {changed} of the newest {len(measured)} pages differ from the template"
    return Alarm(AlarmKind.DRIFT, message)


def _judge_confidence(
    recent: Sequence[PageMeasure], earlier: Sequence[PageMeasure], limits: HealthLimits
) -> Alarm | None:
    mean = _mean_confidence(recent)
    if mean < limits.min_confidence:
        return Alarm(AlarmKind.CONFIDENCE, f"low confidence: {mean:.2f} in the newest {len(recent)} pages")
    before = _mean_confidence(earlier) if earlier else mean
    if not earlier or before - mean < limits.max_confidence_drop:
        return None
    message = f"the confidence fell from {before:.2f} to {mean:.2f} in the newest {len(recent)} pages"
    return Alarm(AlarmKind.CONFIDENCE, message)


def _mean_confidence(pages: Sequence[PageMeasure]) -> float:
    return sum(page.confidence for page in pages) / len(pages)


def _judge_fields(recent: Sequence[PageMeasure], earlier: Sequence[PageMeasure], limits: HealthLimits) -> Alarm | None:
    """Judge required fields by themselves, and others only if earlier pages had them."""
    missing = []
    for name in dict.fromkeys(name for page in recent for name in page.missing):
        is_required = name in limits.required
        before = 0.0 if is_required else _share_missing(earlier, name)
        if (is_required or earlier) and _share_missing(recent, name) - before >= MIN_SHARE:
            missing.append(f"{name} ({sum(name in page.missing for page in recent)} of {len(recent)} pages)")
    return Alarm(AlarmKind.FIELDS, f"missing fields: {', '.join(missing)}") if missing else None


def _share_missing(pages: Sequence[PageMeasure], name: str) -> float:
    return sum(name in page.missing for page in pages) / max(len(pages), 1)


def measure_drift(structure: Sequence[int], earlier: Sequence[Sequence[int]]) -> float | None:
    """Return the share of the nearest template's structure that a page lacks; None with too few earlier pages.

    `earlier` is in the order of time. The newest pages are left out: after a redesign, the first new pages must not
    hide that the next ones have changed, too.
    """
    reference = earlier[: max(len(earlier) - RECENT_PAGES, MIN_PAGES)]
    if len(reference) < MIN_PAGES or not structure:
        return None
    pages = [SampledPage(number, "", array("Q"), array("I", parts)) for number, parts in enumerate(reference)]
    return round(measure_distance(frozenset(structure), group_pages(pages, SiteConfig.shipped())), 4)


# Health over time


@dataclass(slots=True)
class HealthTotals:
    """The pages of a site, added up."""

    pages: int = 0
    articles: int = 0  # pages with the status ok
    confidence: float = 0.0  # sum over articles
    missing: Counter[str] = field(default_factory=Counter)  # of EXPECTED_FIELDS, among articles

    def add(self, *, is_article: bool, confidence: float, missing: Iterable[str]) -> None:
        """Add a page."""
        self.pages += 1
        if is_article:
            self.articles += 1
            self.confidence += confidence
            self.missing.update(missing)

    def __add__(self, other: HealthTotals) -> HealthTotals:
        return HealthTotals(
            self.pages + other.pages,
            self.articles + other.articles,
            self.confidence + other.confidence,
            self.missing + other.missing,
        )

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
class HealthChange:
    """A lasting change of health: fewer pages are articles, confidence is lower, fields are missing, or the reverse."""

    change: float  # mean health from this month on, minus that before it; negative is worse
    month: str  # the first month after the change, such as "2024-03"


def find_change(months: Mapping[str, HealthTotals]) -> HealthChange | None:
    """Find the month at which the health of a site changed most; None if it did not change much.

    Of all months that leave enough pages on both sides, it is the one that explains most of the variance.
    """
    best, best_variance = None, 0.0
    for month, early, late in _split_at_months(months):
        if min(early.pages, late.pages) < MIN_PAGES_OF_CHANGE:
            continue
        change = late.health - early.health
        variance = change**2 * early.pages * late.pages
        if abs(change) >= MIN_CHANGE and variance > best_variance:
            best, best_variance = HealthChange(change, month), variance
    return best


def _split_at_months(months: Mapping[str, HealthTotals]) -> Iterator[tuple[str, HealthTotals, HealthTotals]]:
    """Yield each month but the first, with the totals before it and from it on."""
    names = sorted(months)
    before = list(accumulate(months[name] for name in names))
    after = list(accumulate(months[name] for name in reversed(names)))[::-1]
    yield from zip(names[1:], before[:-1], after[1:], strict=True)
