"""The local site itself."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest
from tests.local_site import LocalSite, serve_site

import broadsheet


def fetch(address: str, etag: str = "") -> bytes:
    request = urllib.request.Request(address, headers={"If-None-Match": etag} if etag else {})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=300) as response:
        body: bytes = response.read()
        return body


def test_articles_are_extractable() -> None:
    site = LocalSite(30)
    site.base = "http://valley.example"
    article = next(article for article in site.list_articles() if article.section == "council")
    extracted = broadsheet.extract(site.answer(article.path).body, site.base + article.path)
    assert extracted.title == article.title
    assert extracted.text.splitlines()[-len(article.paragraphs) :] == list(article.paragraphs)
    assert extracted.date == article.published


def test_days() -> None:
    site = LocalSite(60)
    events = site.events_of(1)
    assert (len(events.new), len(events.changed), len(events.vanished)) == (4, 2, 1)
    first = {article.number: article for article in site.list_articles(0)}
    second = {article.number: article for article in site.list_articles(1)}
    assert set(second) - set(first) == set(events.new)
    assert set(first) - set(second) == set(events.vanished)
    assert {number for number in first.keys() & second.keys() if first[number] != second[number]} == set(events.changed)


def test_most_articles_are_allowed() -> None:
    site = LocalSite()
    assert len(site.list_allowed()) == 280
    assert len(site.list_forbidden()) == 20


def test_served() -> None:
    site = LocalSite(40)
    with serve_site(site) as base:
        assert b"The Valley Post" in fetch(base)
        assert b"/sitemaps/news.xml" in fetch(f"{base}/sitemap.xml")
        with pytest.raises(urllib.error.HTTPError, match="503"):
            fetch(f"{base}/farms/")
        assert b"Farms" in fetch(f"{base}/farms/")
        site.day = 1
        (gone,) = site.events_of(1).vanished
        with pytest.raises(urllib.error.HTTPError, match="410"):
            fetch(site.address_of(gone))
    assert site.requests[0].path == "/"
