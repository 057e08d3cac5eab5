import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest

from broadsheet.fields import Fields
from broadsheet.fields.evidence import Evidence

DAY = datetime(2021, 3, 14)
NOON = datetime(2021, 3, 14, 12, 30, tzinfo=timezone(timedelta(hours=1)))
TEXT = "<p>The first paragraph of the story begins here, and it is long enough to be one.</p>"
TAGS = ", ".join(f"<a href=/tag/{number}>Something {number}</a>" for number in range(20))


def ld(**values: object) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle", **values})}</script>'


@pytest.mark.parametrize(
    ("html", "moment", "source"),
    [
        (ld(datePublished="2021-03-14T12:30:00+01:00"), NOON, "json-ld"),
        (ld(datePublished=["2021-03-14"]), DAY, "json-ld"),
        (ld(datePublished=1615721400000), NOON.astimezone(UTC), "json-ld"),
        ('<meta property="article:published_time" content="2021-03-14T12:30+01:00">', NOON, "meta"),
        ('<meta name="parsely-pub-date" content="2021-03-14">', DAY, "meta"),
        ('<meta name="DC.date.issued" value="2021-03-14">', DAY, "meta"),
        ('<meta name=date content="14 Mar 2021 12:30:00 +99999999999999999">', NOON.replace(tzinfo=None), "meta"),
        ('<b itemprop="datePublished" content="2021-03-14">today</b>', DAY, "microdata"),
        ("<h1>Headline</h1><time datetime=2021-03-14>today</time>", DAY, "time"),
        ("<h1>Headline</h1><time>14 March 2021</time>", DAY, "time"),
        ("<h1>Headline</h1><div>Published: 14 March 2021</div>", DAY, "text"),
        ("<div>14.03.2021</div><h1>Headline</h1>", DAY, "text"),
        ("<h1>Headline</h1>", None, None),
        ('<meta name="anybody:article_published_time" content="2021-03-14">', DAY, "meta"),
        ('<meta name=unpublish_date content="2023-05-06">', None, None),
        ('<meta name=publication content="2023-05-06">', None, None),
        ("<h1>Headline</h1><div>Updated 20 March 2021. Published 14 March 2021</div>", DAY, "text"),
        ("<h1>Headline</h1><div>14\u200f/3\u200f/2021</div>", DAY, "text"),
        ("<h1>Headline</h1><div>İSTİHBARAT SERVİSİ 14.03.2021 Güncelleme 15.05.2021</div>", DAY, "text"),
        ("<h1>Headline</h1><figure><figcaption>The quay, 24 April 2020</figcaption></figure>" + TEXT, None, None),
        # far from the headline
        ("<h1>Headline</h1>" + TEXT * 9 + "<div>Date published March 14, 2021</div>", DAY, "text"),
        ("<div class=date>14 March 2021</div>" + "<div>x</div>" * 9 + "<h1>Headline</h1>", DAY, "text"),
        ("<h1>Headline</h1><div><b>Jane Doe</b><b>March 14, 2021</b></div>", DAY, "text"),
        ("<h1>Headline</h1><div>14<sup>th</sup> March 2021</div>", DAY, "text"),
        ("<h1>Headline</h1><div>2021.03.20 2021.03.14</div>", DAY, "text"),
        ("<h1>Headline</h1><div>See 10.1101/2021.07.10.451798</div>", None, None),
        ("<h1>Headline</h1><div>Last updated 14 March 2021</div>", DAY, "text"),
        ("<h1>Headline</h1><time class='date updated' datetime=2021-03-14>x</time>", DAY, "time"),
        ("<h1>Headline</h1><div><abbr title=2021-03-14>3 days ago</abbr></div>", DAY, "html"),
        ("<h1>Headline</h1><div data-timestamp=1615680000>3 days ago</div>", DAY.replace(tzinfo=UTC), "html"),
        ("<h1>Headline</h1><img src=/media/2021/03/14/moon.jpg>", DAY, "html"),
        ("<h1>Headline</h1>" + TEXT * 9 + "<footer><time>14 March 2021</time></footer>", DAY, "time"),
        ("<h1>Headline</h1>" + TEXT * 9 + f"<div>Posted on March 14, 2021 in {TAGS}</div>", DAY, "text"),
        # the more precise of two statements of the same day
        (ld(datePublished="2021-03-14") + '<meta name="date" content="2021-03-14T12:30:00+01:00">', NOON, "meta"),
        # not plausible
        (ld(datePublished="9998-03-14"), None, None),
        (ld(datePublished="1960-03-14"), None, None),
        (ld(datePublished="soon"), None, None),
        (ld(datePublished="9998-03-14") + "<meta name=date content=2021-03-14>", DAY, "meta"),
        # not of this article
        ("<h1>Headline</h1><div>© 2021 Example, 14 March 2021</div>", None, None),
        ("<h1>Headline</h1>" + TEXT * 9 + "<div class=comment><time datetime=2021-03-14>x</time></div>", None, None),
        (ld(hasPart=[{"@type": "NewsArticle", "datePublished": "2021-03-14"}]), None, None),
    ],
)
def test_published(read: Callable[..., Fields], html: str, moment: datetime | None, source: str | None) -> None:
    date = read("<title>Headline</title>" + html + TEXT).date
    assert (date and date.value, date and date.source) == (moment, source)


@pytest.mark.parametrize(
    ("stated", "shown", "expected"),
    [
        # the same time, on the day that the page shows
        ("2021-03-15T02:41:00Z", "14 March 2021", "2021-03-14T23:41:00-03:00"),
        ("2021-03-13T22:30:00+00:00", "14.03.2021", "2021-03-14T00:30:00+02:00"),
        ("2021-03-15T02:41:00Z", "", "2021-03-15T02:41:00+00:00"),
        # no time zone fits
        ("2021-03-15T12:41:00Z", "14 March 2021", "2021-03-15T12:41:00+00:00"),
        ("2021-03-15T02:41:00Z", "12 March 2021", "2021-03-15T02:41:00+00:00"),
        # the stated day is shown as well; the shown date is in UTC; the offset is too large
        ("2021-03-15T02:41:00Z", "Register until 14 March 2021<div>15 March 2021", "2021-03-15T02:41:00+00:00"),
        ("2021-03-15T18:00:00Z", "<time datetime=2021-03-16T09:00:00Z>x</time>", "2021-03-15T18:00:00+00:00"),
        ("2021-03-15T13:00:00Z", "The festival starts on March 16, 2021", "2021-03-15T13:00:00+00:00"),
        # the statement has a time zone, or no time
        ("2021-03-15T02:41:00+01:00", "14 March 2021", "2021-03-15T02:41:00+01:00"),
        ("2021-03-15", "14 March 2021", "2021-03-15T00:00:00"),
    ],
)
def test_utc_times_move_to_the_day_shown(read: Callable[..., Fields], stated: str, shown: str, expected: str) -> None:
    date = read(f"<title>Headline</title>{ld(datePublished=stated)}<h1>Headline</h1><div>{shown}</div>{TEXT}").date
    assert date is not None
    assert date.value.isoformat() == expected


@pytest.mark.parametrize(
    ("shown", "source"),
    [("14 March 2021", "meta"), ("2 January 2020", "json-ld"), ("5 May 2021", "json-ld"), ("", "json-ld")],
)
def test_the_day_shown_decides_between_statements(read: Callable[..., Fields], shown: str, source: str) -> None:
    stated = ld(datePublished="2020-01-02") + "<meta property=article:published_time content=2021-03-14>"
    date = read(f"<title>Headline</title>{stated}<h1>Headline</h1><div>{shown}</div>{TEXT}").date
    assert date is not None
    assert date.source == source


def test_the_month_in_the_address_decides_between_shown_dates(read: Callable[..., Fields]) -> None:
    html = f"<h1>Headline</h1><div>5 May 2021</div>{TEXT}<div>Posted 14 March 2021</div>"
    date = read(html, "https://example.org/2021/03/story").date
    assert date is not None
    assert date.value == DAY


@pytest.mark.parametrize(
    ("url", "moment"),
    [
        ("https://example.org/2021/03/14/story", DAY),
        ("https://example.org/2021/3/14/story", DAY),
        ("https://example.org/news/20210314/story.html", DAY),
        ("https://example.org/story-20210314", DAY),
        ("https://example.org/2021/0314/story", DAY),
        ("https://example.org/story-2021-03-14.html", DAY),
        ("https://example.org/story-120210314", None),
        ("https://example.org/story-202103145", None),
        ("https://example.org/2021/13/14/story", None),
        ("https://example.org/2021/02/31/story", None),
        ("https://example.org/2021/03/story", None),
        ("https://example.org/story?date=20210314", None),
        ("https://2021.03.14.example.org/story", None),
    ],
)
def test_day_in_the_address(read: Callable[..., Fields], url: str, moment: datetime | None) -> None:
    date = read("<h1>Headline</h1>" + TEXT, url).date
    assert (date and date.value) == moment


@pytest.mark.parametrize(
    ("html", "moment"),
    [
        (ld(datePublished="2021-03-13", dateModified="2021-03-14"), DAY),
        (ld(datePublished="2021-03-14", dateModified="2021-03-14"), DAY),
        (ld(datePublished="2021-03-15", dateModified="2021-03-14"), None),
        (ld(datePublished="2021-03-14T10:00:00Z", dateModified="2021-03-14"), DAY),
        (ld(datePublished="2021-03-14T13:00:00+02:00", dateModified="2021-03-14T12:30:00+01:00"), NOON),
        ('<meta property="og:updated_time" content="1615721400">', NOON.astimezone(UTC)),
        ("<h1>Headline</h1><time class=entry-date-updated datetime=2021-03-14>x</time>", DAY),
        (ld(datePublished="2021-03-14"), None),
    ],
)
def test_modified(read: Callable[..., Fields], html: str, moment: datetime | None) -> None:
    fields = read("<title>Headline</title>" + html + TEXT)
    assert (fields.date_modified and fields.date_modified.value) == moment


@pytest.mark.parametrize(
    ("language", "host", "month"),
    [
        ("en-US", "example.org", 3),
        ("en-GB", "example.org", 4),
        ("de", "example.com", 4),
        ("", "example.com", 3),
        ("en", "example.co.uk", 4),
    ],
)
def test_order_of_day_and_month(read: Callable[..., Fields], language: str, host: str, month: int) -> None:
    date = read(f"<html lang='{language}'><h1>Headline</h1><div>03/04/2021</div>{TEXT}", f"https://{host}/a").date
    assert date is not None
    assert date.value.month == month


def test_microdata_of_teasers_is_ignored(read: Callable[..., Fields]) -> None:
    def item(day: str, inner: str) -> str:
        return f"<div itemscope itemtype=http://schema.org/NewsArticle><i itemprop=datePublished>{day}</i>{inner}</div>"

    html = item("2021-03-01", "<b>Teaser</b>") + item("2021-03-14", f"<h1>Headline</h1>{TEXT}") + item("2021-03-20", "")
    date = read(f"<title>Headline</title>{html}").date
    assert date is not None
    assert date.value == DAY


def test_the_head_is_not_computed_for_every_item(read: Callable[..., Fields], monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Evidence] = []

    def count_call(evidence: Evidence) -> range:
        calls.append(evidence)
        return range(0)

    monkeypatch.setattr(Evidence, "head_rows", count_call)
    read("<h1>Headline</h1>" + TEXT + "<div itemscope><i itemprop=datePublished>2021-03-14</i></div>" * 99)
    assert len(calls) < 20


def test_the_date_of_a_related_post_is_not_that_of_the_article(read: Callable[..., Fields]) -> None:
    related = "<a href=/other>Another story <time datetime=2020-01-05>5 January 2020</time></a>"
    own = "<div><time datetime=2021-03-14>14 March 2021</time></div>"
    fields = read(f"<h1>Headline</h1><div>{related}</div>{own}<p>{'The text of the story. ' * 5}</p>")
    assert fields.date is not None
    assert fields.date.value == datetime(2021, 3, 14)


@pytest.mark.parametrize(
    ("html", "moment", "source"),
    [
        ("<meta name=citation_publication_date content=2021/03>", datetime(2021, 3, 1), "meta, month only"),
        ("<meta name=dc.date content=2021>", datetime(2021, 1, 1), "meta, year only"),
        ("<h1>Headline</h1><div>March 2021</div>", datetime(2021, 3, 1), "text, month only"),
        ("<h1>Headline</h1><div>2021</div>", None, None),
    ],
)
def test_months_and_years_without_a_day(
    read: Callable[..., Fields], html: str, moment: datetime | None, source: str | None
) -> None:
    date = read(f"{html}<p>{'The text of the story. ' * 5}</p>").date
    assert (date and date.value, date and date.source) == (moment, source)
