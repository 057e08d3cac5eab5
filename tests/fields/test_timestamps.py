from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from broadsheet.fields.timestamps import is_plausible, read_timestamp


def zone(hours: float) -> timezone:
    return timezone(timedelta(hours=hours))


DAY = datetime(2021, 3, 14)
TEN = datetime(2021, 3, 14, 10, 5)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2021-03-14", DAY),
        ("20210314", DAY),
        ("2021/03/14", DAY),
        ("2021-3-14", DAY),
        ("2021-03-14T10:05:00", TEN),
        ("2021-03-14 10:05", TEN),
        ("2021-3-14 10:05:00", TEN),
        ("2021-03-14T10:05:00Z", TEN.replace(tzinfo=UTC)),
        ("2021-03-14T10:05:00.000Z", TEN.replace(tzinfo=UTC)),
        ("2021-03-14T10:05:00.0000000Z", TEN.replace(tzinfo=UTC)),
        ("2021-03-14T10:05:00+0100", TEN.replace(tzinfo=zone(1))),
        ("2021-03-14T10:05:00 +01:00", TEN.replace(tzinfo=zone(1))),
        ("2021-03-14T10:05:00-05:30", TEN.replace(tzinfo=zone(-5.5))),
        ("2021-03-14 10:05:00 UTC", TEN.replace(tzinfo=UTC)),
        ("2021-03-14 10:05:00 +0000 UTC", TEN.replace(tzinfo=UTC)),
        ("2021-03-14, 10:05 AM", TEN),
        ("2021-03-14 10:05 PM", TEN.replace(hour=22)),
        ("Sun, 14 Mar 2021 10:05:00 GMT", TEN.replace(tzinfo=UTC)),
        ("Sun, 14 Mar 2021 10:05:00 +0100", TEN.replace(tzinfo=zone(1))),
        ("Sun Mar 14 10:05:00 CET 2021", DAY),
        ("Sun Mar 14 2021 10:05:00 GMT+0100 (CET)", TEN.replace(tzinfo=zone(1))),
        ("1615716300", TEN.replace(tzinfo=UTC)),
        ("1615716300000", TEN.replace(tzinfo=UTC)),
        (" 2021-03-14 ", DAY),
        ("March 14, 2021", DAY),
        ("14.03.2021", DAY),
        ("", None),
        ("2021", None),
        ("12345678", None),
        ("2021-02-31", None),
        ("2021-03-14" + " " * 100 + "x", None),
        ("not a date at all", None),
        ("99999999999999999999", None),
        ("1 Jan 2021 10:00:00 +99999999999999999", datetime(2021, 1, 1, 10)),
    ],
)
def test_read_timestamp(text: str, moment: datetime | None) -> None:
    read = read_timestamp(text)
    assert read == moment
    assert (read and read.tzinfo) == (moment and moment.tzinfo)


ANY_TEXT = st.text(max_size=60) | st.text("0123456789+-:/., TZJanuryGMT\u0663\u00b2", max_size=60)


@given(ANY_TEXT, st.booleans())
@example("1 Jan 2021 10:00:00 +99999999999999999", False)
@example("2021-03-14T10:05:00+99:99", False)
def test_any_text_is_accepted(text: str, is_month_first: bool) -> None:
    moment = read_timestamp(text, is_month_first=is_month_first)
    assert moment is None or is_plausible(moment)


@pytest.mark.parametrize(("days", "expected"), [(-1, True), (1, True), (5, False)])
def test_the_future_is_not_plausible(days: int, expected: bool) -> None:
    assert is_plausible(datetime.now(UTC) + timedelta(days=days)) is expected


def test_dates_before_the_web_are_not_plausible() -> None:
    assert not is_plausible(datetime(1989, 12, 31))
    assert is_plausible(datetime(1990, 1, 1))
