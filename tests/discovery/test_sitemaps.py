"""Sitemaps: index, gzip, news extension, text, damaged and hostile files."""

from __future__ import annotations

import contextlib
import gzip
import time

import pytest

from broadsheet.discovery.find import Origin
from broadsheet.discovery.sitemaps import parse_sitemap
from broadsheet.errors import InputError

pytest.importorskip("lxml", reason="lxml is not installed (extra discover)")
pytest.importorskip("fastfeedparser", reason="fastfeedparser is not installed (extra discover)")

URL = "https://news.example/sitemap.xml"
SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
ENTRY = "<url><loc>https://news.example/a</loc><lastmod>2024-03-16</lastmod></url>"
NEWS = (
    "<url><loc>https://news.example/b</loc><n:news><n:publication_date>2024-03-17T08:00:00Z</n:publication_date>"
    "<n:title>A &amp; B</n:title></n:news></url>"
)


@pytest.mark.parametrize(
    "body",
    [
        f"<urlset {SPACE}>{ENTRY}</urlset>".encode(),
        f"<urlset>{ENTRY}</urlset>".encode(),  # without the namespace
        gzip.compress(f"<urlset {SPACE}>{ENTRY}</urlset>".encode()),
        f"\ufeff<?xml version='1.0' encoding='UTF-8'?>\n<urlset {SPACE}>{ENTRY}</urlset>".encode(),
        f"<urlset {SPACE}>{ENTRY}<url><loc>https://news.exa".encode(),  # cut
    ],
)
def test_entries(body: bytes) -> None:
    (find,) = parse_sitemap(body, URL).finds
    assert find.url == "https://news.example/a"
    assert find.date is not None
    assert find.date.date().isoformat() == "2024-03-16"
    assert find.origins == (Origin.SITEMAP,)


def test_news_extension() -> None:
    body = f'<urlset {SPACE} xmlns:n="http://www.google.com/schemas/sitemap-news/0.9">{NEWS}</urlset>'
    (find,) = parse_sitemap(body.encode(), URL).finds
    assert (find.title, find.origins) == ("A & B", (Origin.NEWS_SITEMAP,))


def test_index() -> None:
    parts = "<sitemap><loc>/a.xml</loc></sitemap><sitemap><loc>https://news.example/b.xml</loc><lastmod>2024-03-16</lastmod></sitemap>"
    sitemap = parse_sitemap(f"<sitemapindex {SPACE}>{parts}</sitemapindex>".encode(), URL)
    assert [part.url for part in sitemap.parts] == ["https://news.example/a.xml", "https://news.example/b.xml"]
    assert [part.date is None for part in sitemap.parts] == [True, False]


def test_ampersand_that_is_not_escaped() -> None:
    entries = f"<url><loc>https://news.example/s?a=1&b=2</loc></url>{ENTRY}"
    sitemap = parse_sitemap(f"<urlset {SPACE}>{entries}</urlset>".encode(), URL)
    assert [find.url for find in sitemap.finds] == ["https://news.example/s?a=1&b=2", "https://news.example/a"]
    assert not sitemap.fault


def test_title_that_is_escaped_twice() -> None:
    news = NEWS.replace("A &amp; B", "A &amp;amp; B")
    body = f'<urlset {SPACE} xmlns:n="http://www.google.com/schemas/sitemap-news/0.9">{news}</urlset>'
    assert parse_sitemap(body.encode(), URL).finds[0].title == "A & B"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_text(mark: bytes) -> None:
    sitemap = parse_sitemap(mark + b"https://news.example/a\nhttps://news.example/b\n", URL)
    assert [find.url for find in sitemap.finds] == ["https://news.example/a", "https://news.example/b"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<!DOCTYPE html><html></html>", "HTML page"),
        (b"", "not a sitemap"),
        (b"nothing here", "not a sitemap"),
        (b"<urlset><url><loc", "damaged XML"),
        (gzip.compress(b"<urlset></urlset>")[:-6], "damaged gzip"),
        (gzip.compress(b" " * 60_000_000), "larger than"),
    ],
)
def test_other_files(body: bytes, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        parse_sitemap(body, URL)


def test_files_of_the_machine_are_not_read(tmp_path: object) -> None:
    body = (
        '<!DOCTYPE x [<!ENTITY file SYSTEM "file:///etc/hostname">]>'
        f"<urlset {SPACE}><url><loc>https://news.example/&file;</loc></url>{ENTRY}</urlset>"
    )
    urls = [find.url for find in parse_sitemap(body.encode(), URL).finds]
    assert urls[-1] == "https://news.example/a"
    assert set(urls) <= {"https://news.example/a", "https://news.example/"}


@pytest.mark.parametrize(
    "content",
    [b"<a/>" * 400_000, b"<url>" + b"<a/>" * 400_000 + b"</url>", b"<a/>" * 12_000_000, b"&" * 50_000_000],
    ids=["tags", "tags in an entry", "too many tags", "ampersands"],
)
def test_bombs_take_little_time(content: bytes) -> None:
    body = gzip.compress(b"<urlset><url><loc>https://a.example/1</loc></url>" + content + b"</urlset>", 1)
    began = time.process_time()
    with contextlib.suppress(InputError):
        assert [find.url for find in parse_sitemap(body, URL).finds] == ["https://a.example/1"]
    assert time.process_time() - began < 4


def test_a_sitemap_of_more_tags_than_a_sitemap_has_is_refused() -> None:
    with pytest.raises(InputError, match="more than 1,000,000 tags"):
        parse_sitemap(b"<urlset>" + b"<a/>" * 1_000_000, URL)
