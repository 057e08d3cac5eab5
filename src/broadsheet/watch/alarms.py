"""Alarms: what is wrong with a site, from the measurements of its pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from statistics import fmean

from broadsheet.watch.config import WatchedSite
from broadsheet.watch.state import PageMeasure

_MIN_PAGES = 3  # pages that a judgement needs
_WINDOW = 5  # newest pages that are judged if the poll has fewer
_MIN_SHARE = 0.5  # of the pages of the window, for an alarm on drift or on a missing field
_MIN_BASELINE = 5  # earlier pages that a comparison needs


class AlarmKind(StrEnum):
    """Kinds of alarms."""

    DRIFT = "drift"  # the layout has changed
    CONFIDENCE = "confidence"  # the texts are worse than before
    FIELDS = "fields"  # required fields are missing
    SILENCE = "silence"  # no new articles
    UNREACHABLE = "unreachable"  # the site cannot be read


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something that is wrong."""

    kind: AlarmKind
    message: str  # what is wrong; what to do


@dataclass(frozen=True, slots=True)
class Judgement:
    """The alarms of a poll, and the kinds that the poll could judge; the others stay as they were."""

    alarms: tuple[Alarm, ...]
    judged: frozenset[AlarmKind]


def judge_pages(measures: Sequence[PageMeasure], page_count: int, site: WatchedSite) -> Judgement:
    """Judge the last `page_count` pages, those of the poll, beside the earlier ones."""
    window = measures[-max(page_count, _WINDOW) :]
    if not page_count or len(window) < _MIN_PAGES:
        return Judgement((), frozenset())
    earlier = measures[: len(measures) - len(window)]
    alarms = [
        _judge_drift(window),
        _judge_confidence(window, earlier, site),
        _judge_fields(window, site),
    ]
    return Judgement(
        tuple(alarm for alarm in alarms if alarm is not None),
        frozenset((AlarmKind.DRIFT, AlarmKind.CONFIDENCE, AlarmKind.FIELDS)),
    )


def judge_silence(last_new: datetime, now: datetime, silence: timedelta | None) -> Judgement:
    """Judge how long there was no new article."""
    judged = frozenset((AlarmKind.SILENCE,))
    if silence is None or now - last_new <= silence:
        return Judgement((), judged)
    hours = (now - last_new).total_seconds() / 3600
    message = f"no new article for {hours:.1f} hours; check whether the site has moved or blocks the watch"
    return Judgement((Alarm(AlarmKind.SILENCE, message),), judged)


def _judge_drift(window: Sequence[PageMeasure]) -> Alarm | None:
    measures = [measure for measure in window if measure.drift is not None]
    changed = sum(measure.has_changed for measure in measures)
    if not measures or changed < _MIN_SHARE * len(measures):
        return None
    message = (
        f"the layout has changed: {changed} of {len(measures)} pages differ from the learned template; check the "
        "texts, then learn the site again (broadsheet watch --relearn)"
    )
    return Alarm(AlarmKind.DRIFT, message)


def _judge_confidence(window: Sequence[PageMeasure], earlier: Sequence[PageMeasure], site: WatchedSite) -> Alarm | None:
    mean = fmean(measure.confidence for measure in window)
    if mean < site.min_confidence:
        return Alarm(AlarmKind.CONFIDENCE, f"mean confidence of {len(window)} pages is {mean:.2f}; check the texts")
    if len(earlier) < _MIN_BASELINE:
        return None
    before = fmean(measure.confidence for measure in earlier)
    if before - mean < site.max_confidence_drop:
        return None
    message = f"mean confidence fell from {before:.2f} to {mean:.2f} ({len(window)} pages); check the texts"
    return Alarm(AlarmKind.CONFIDENCE, message)


def _judge_fields(window: Sequence[PageMeasure], site: WatchedSite) -> Alarm | None:
    counts = {name: sum(name in measure.missing for measure in window) for name in site.fields}
    missing = [
        f"{name} ({count} of {len(window)} pages)"
        for name, count in counts.items()
        if count >= _MIN_SHARE * len(window)
    ]
    if not missing:
        return None
    return Alarm(AlarmKind.FIELDS, f"missing fields: {', '.join(missing)}; check the pages")
