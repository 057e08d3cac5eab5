"""Feeds: RSS, Atom, RDF, JSON Feed, and files that are none."""

from __future__ import annotations

import contextlib
import json

import pytest

from broadsheet.discovery.feeds import Feed, list_feed_links, parse_feed
from broadsheet.discovery.find import Find
from broadsheet.errors import InputError
from broadsheet.page import read_page

pytest.importorskip("fastfeedparser", reason="fastfeedparser is not installed (extra discover)")

BASE = "https://news.example/feeds/a.xml"
RSS = (
    '<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><item><title>{title}</title>'
    "<link>{link}</link><pubDate>Sat, 16 Mar 2024 08:30:00 +0000</pubDate></item></channel></rss>"
)

ATOM = (
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>One</title><link href="/2"/>'
    "<updated>2024-03-17T10:00:00Z</updated></entry></feed>"
)


@pytest.mark.parametrize(
    ("body", "url", "title", "day"),
    [
        (
            RSS.format(title="A &amp;amp; B", link="https://news.example/1"),
            "https://news.example/1",
            "A & B",
            "2024-03-16",
        ),
        (
            RSS.format(title="<![CDATA[<b>Bold</b> news]]>", link="/1"),
            "https://news.example/1",
            "Bold news",
            "2024-03-16",
        ),
        (
            ATOM,
            "https://news.example/2",
            "One",
            "2024-03-17",
        ),
        (
            json.dumps(
                {
                    "version": "https://jsonfeed.org/version/1.1",
                    "items": [{"id": "1", "url": "https://news.example/3", "title": "T"}],
                }
            ),
            "https://news.example/3",
            "T",
            None,
        ),
    ],
)
def test_entries(body: str, url: str, title: str, day: str | None) -> None:
    (find,) = parse_feed(body.encode(), BASE).finds
    assert (find.url, find.title) == (url, title)
    assert (find.date.date().isoformat() if find.date else None) == day


@pytest.mark.parametrize(
    ("title", "link", "url", "read_title"),
    [
        ("A & B", "/1?a=1&b=2", "https://news.example/1?a=1&b=2", "A & B"),
        ("caf&eacute;&nbsp;x", "/1?a=1&copy=2", "https://news.example/1?a=1&copy=2", "café x"),
        ("R&D; AT&T", "/1", "https://news.example/1", "R&D; AT&T"),
        ("A &AMP; B &lt3; C", "/1", "https://news.example/1", "A & B <3; C"),
        ("<![CDATA[A & B]]> & C", "<![CDATA[/1?a=1&b=2]]>", "https://news.example/1?a=1&b=2", "A & B & C"),
    ],
)
def test_ampersands_that_are_not_escaped(title: str, link: str, url: str, read_title: str) -> None:
    (find,) = parse_feed(RSS.format(title=title, link=link).encode(), BASE).finds
    assert (find.url, find.title) == (url, read_title)


def test_cut_feed_has_its_complete_entries() -> None:
    item = "<item><title>{0}</title><link>https://news.example/story-{0}</link></item>"
    items = "".join(item.format(number) for number in range(3))
    body = f"<rss><channel>{items}</channel></rss>".encode()
    for end in (b"</link></item></channel>", b"-2</link>", b"<item><title>2"):
        feed = parse_feed(body[: body.rindex(end) + 3], BASE)
        assert [find.title for find in feed.finds] == ["0", "1"]
        assert feed.fault == "ends early"


@pytest.mark.parametrize("entry", ["<item><title>A</title><link>https://news.example/sto", "<item>\n<title>A"])
def test_cut_feed_without_a_complete_entry(entry: str) -> None:
    feed = parse_feed(f"<rss><channel><title>News</title>{entry}".encode(), BASE)
    assert feed == Feed((), "ends early")


def test_bytes_of_japanese_letters_are_no_ampersands() -> None:
    body = RSS.format(title="う &amp; え", link="/1").replace('"1.0"', '"1.0" encoding="iso-2022-jp"', 1)
    (find,) = parse_feed(body.encode("iso-2022-jp"), BASE).finds
    assert find.title == "う & え"


@pytest.mark.parametrize("values", [{}, {"date_published": 1710576000}, {"authors": ["Ann Li"]}, {"author": "Ann Li"}])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_json_feed_with_values_of_other_types(values: dict[str, object], mark: str) -> None:
    item = {"id": "1", "url": "https://news.example/1", "title": "A"}
    items = [{**item, **values}, {**item, "url": "https://news.example/2"}]
    body = json.dumps({"version": "https://jsonfeed.org/version/1.1", "items": items, "author": 5})
    feed = parse_feed((mark + body).encode(), BASE)
    assert [find.url for find in feed.finds] == ["https://news.example/1", "https://news.example/2"]
    assert not feed.fault


def test_base_of_a_feed() -> None:
    body = ATOM.replace("<feed ", "<feed xml:base='https://news.example/blog/' ").replace('"/2"', '"2"')
    (find,) = parse_feed(body.encode(), BASE).finds
    assert find.url == "https://news.example/blog/2"


def test_date_of_the_year_minus_one_is_none() -> None:
    body = RSS.format(title="A", link="/1").replace("16 Mar 2024 08:30:00", "30 Nov -0001 00:00:00")
    (find,) = parse_feed(body.encode(), BASE).finds
    assert find.date is None


def test_items_of_a_json_feed_that_are_none() -> None:
    items = [7, None, {"id": "1", "url": "/3", "title": "T"}]
    (find,) = parse_feed(json.dumps({"version": "https://jsonfeed.org/version/1", "items": items}).encode(), BASE).finds
    assert find.url == "https://news.example/3"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"https://127.0.0.1/feed.xml",
        b"<html><body>404</body></html>",
        b"{}",
        b"<rss",
        b"\x00\x01\x02",
        b'{"items": 7}',
    ],
)
def test_other_files(body: bytes) -> None:
    """An address as content is never fetched, and no file raises another error."""
    with pytest.raises(InputError, match="feed"):
        parse_feed(body, BASE)


def test_entities_do_not_grow() -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 9))
    bomb = (
        f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY e0 "aaaaaaaaaa">{entities}]>'
        + RSS.format(title="&e8;", link="/1")[21:]
    )
    finds: tuple[Find, ...] = ()
    with contextlib.suppress(InputError):
        finds = parse_feed(bomb.encode(), BASE).finds
    assert all(len(find.title) <= 500 for find in finds)


def test_links_of_a_page() -> None:
    html = """<link rel="alternate" type="application/rss+xml" href="/rss">
    <link rel="alternate" type="application/rss+xml" title="Comments" href="/comments/feed">
    <link rel="alternate" type="application/json" href="/wp-json/wp/v2/posts">
    <link rel="alternate" hreflang="de" href="/de"><a href="/sport.rss">RSS</a><a href="/news">News</a>"""
    assert list_feed_links(read_page(html, url="https://news.example/")) == [
        "https://news.example/rss",
        "https://news.example/sport.rss",
    ]


def test_entries_beyond_a_maximum_are_not_read() -> None:
    items = "".join(f"<item><link>https://a.example/{number}</link></item>" for number in range(6000))
    feed = parse_feed(f"<rss><channel>{items}</channel></rss>".encode(), BASE)
    assert len(feed.finds) == 5000
    assert feed.fault == "has more than 5,000 entries"


def test_a_feed_of_more_tags_than_a_feed_has_is_refused() -> None:
    with pytest.raises(InputError, match="more than 500,000 tags"):
        parse_feed(b"<rss><channel>" + b"<item/>" * 600_000, BASE)
