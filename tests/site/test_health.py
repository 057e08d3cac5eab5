"""What is wrong with the newest pages of a site."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from broadsheet.site.health import AlarmKind, HealthLimits, PageMeasure, judge_pages, judge_silence

GOOD = PageMeasure(0.95, ())
NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("measures", "kinds"),
    [
        ([GOOD] * 20, []),
        ([GOOD] * 3 + [PageMeasure(0.7, ())] * 5, ["confidence"]),  # it fell
        ([GOOD] * 2 + [PageMeasure(0.7, ())] * 5, []),  # too few earlier pages
        ([PageMeasure(0.4, ())] * 3, ["confidence"]),
        ([PageMeasure(0.9, ("title",))] * 3 + [GOOD] * 2, ["fields"]),
        ([PageMeasure(0.9, ("authors",))] * 5, []),  # the site may show none
        ([GOOD] * 3 + [PageMeasure(0.9, ("authors",))] * 5, ["fields"]),
        ([PageMeasure(0.9, ("authors",))] * 10, []),
        ([PageMeasure(0.9, (), 0.5)] * 3 + [PageMeasure(0.9, (), 0.1)] * 2, ["drift"]),
        ([PageMeasure(0.9, (), 0.5)] * 2 + [PageMeasure(0.9, (), 0.1)] * 3, []),
    ],
)
def test_alarms(measures: list[PageMeasure], kinds: list[str]) -> None:
    assert [alarm.kind for alarm in judge_pages(measures) or ()] == kinds


def test_few_pages_are_not_judged() -> None:
    assert judge_pages([PageMeasure(0.1, ("title",), 0.9)] * 2) is None


def test_limits_and_new_pages() -> None:
    strict = HealthLimits(min_confidence=0.96, required=("date",))
    (alarm,) = judge_pages([GOOD] * 5, strict) or ()
    assert alarm.kind is AlarmKind.CONFIDENCE
    measures = [PageMeasure(0.9, ("date",))] * 6 + [GOOD] * 5
    assert not judge_pages(measures, HealthLimits(required=("date",)))
    (alarm,) = judge_pages(measures, HealthLimits(required=("date",)), new_pages=11) or ()
    assert alarm.message == "missing fields: date (6 of 11 pages)"


@pytest.mark.parametrize(
    ("silence", "is_alarm"), [(timedelta(hours=5), True), (timedelta(hours=7), False), (None, False)]
)
def test_silence(silence: timedelta | None, is_alarm: bool) -> None:
    assert bool(judge_silence(NOON - timedelta(hours=6), NOON, silence)) is is_alarm
