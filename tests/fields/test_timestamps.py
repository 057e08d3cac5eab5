from datetime import UTC, datetime, timedelta, timezone

import pytest

from broadsheet.fields.timestamps import read_timestamp


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
    ],
)
def test_read_timestamp(text: str, moment: datetime | None) -> None:
    found = read_timestamp(text)
    assert found == moment
    assert (found and found.tzinfo) == (moment and moment.tzinfo)
