"""Discovery of the local site: all that is allowed, and nothing that is forbidden."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from tests.local_site import LocalSite, serve_site

import broadsheet
from broadsheet.discovery import DiscoverOptions, Discovery, Origin, discover_async
from broadsheet.errors import FetchError, UsageError
from broadsheet.page import Limits
from broadsheet.web import AddressGuard
from broadsheet.web.settings import PoliteSettings

for package in ("fastfeedparser", "lxml"):
    pytest.importorskip(package, reason=f"{package} is not installed (extra discover)")

LOCAL = PoliteSettings(guard=AddressGuard(allow_private=True), delay=0.0, limits=Limits(max_seconds=60.0))
OPTIONS = DiscoverOptions(fetch=LOCAL)
SHORT = Limits(max_seconds=8.0)  # for the page that never ends; long enough for every other page on a busy machine


@pytest.fixture(scope="module")
def site() -> Iterator[LocalSite]:
    site = LocalSite(slow_seconds=0.1, is_live_endless=False)
    with serve_site(site):
        yield site


@pytest.fixture(scope="module")
def discovery(site: LocalSite) -> Discovery:
    """The discovery of the whole site, with the page that never ends."""
    site.is_live_endless = True
    discovery = broadsheet.discover(site.base, options=replace(OPTIONS, fetch=replace(LOCAL, limits=SHORT)))
    site.is_live_endless = False
    return discovery


def test_all_allowed_articles_are_found(site: LocalSite, discovery: Discovery) -> None:
    assert len(discovery) == 280
    assert {find.url for find in discovery} == set(site.list_allowed())


def test_nothing_forbidden_is_requested(site: LocalSite, discovery: Discovery) -> None:
    assert discovery.requests > 20
    assert site.count_forbidden_requests() == 0


def test_titles_and_dates(site: LocalSite, discovery: Discovery) -> None:
    finds = {find.url: find for find in discovery}
    for article in site.list_articles():
        if article.is_forbidden:
            continue
        find = finds[site.base + article.path]
        if find.origins == (Origin.SITEMAP,):  # states the day only
            assert find.date is not None
            assert find.date.date() == article.published.date()
        else:
            assert find.title == article.title
            assert find.date == article.published
    assert {origin for find in discovery for origin in find.origins} == set(Origin)


def test_newest_first(discovery: Discovery) -> None:
    moments = [find.moment for find in discovery if find.moment]
    assert len(moments) == 280
    assert all(first >= second for first, second in itertools.pairwise(moments))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/weather/", "the server answered 500"),
        ("/live/", "no complete response within 8 seconds"),
        ("/latest", "robots.txt of the site does not allow it"),  # redirects to a forbidden page
        ("/members/", "robots.txt of the site does not allow it"),
        ("/feeds/loop.xml", "redirects in a circle"),
        ("/feeds/broken.xml", "ends early"),
        ("/sitemaps/missing.xml", "the server answered 404"),
        ("/sitemaps/broken.xml", "is damaged XML"),
    ],
)
def test_problems_are_reported(site: LocalSite, discovery: Discovery, path: str, reason: str) -> None:
    problems = {problem.url: problem.reason for problem in discovery.problems}
    assert reason in problems[site.base + path]


def test_since(site: LocalSite) -> None:
    addresses = {find.url for find in broadsheet.discover(site.base, since=date(2024, 2, 20), options=OPTIONS)}
    recent = {article for article in site.list_articles() if article.published.date() >= date(2024, 2, 20)}
    assert addresses == {site.base + article.path for article in recent if not article.is_forbidden}


def test_limit_saves_requests(site: LocalSite, discovery: Discovery) -> None:
    limited = broadsheet.discover(site.base, limit=5, options=OPTIONS)
    assert len(limited) == 5
    assert {find.url for find in limited} <= set(site.list_allowed())
    assert limited.requests < discovery.requests / 2


def test_a_section_only(site: LocalSite) -> None:
    addresses = {find.url for find in broadsheet.discover(f"{site.base}/sport/", options=OPTIONS)}
    articles = [article for article in site.list_articles() if article.section == "sport" and not article.is_letter]
    assert addresses == {site.base + article.path for article in articles}


def test_unchanged_files_are_not_sent_again(tmp_path: Path) -> None:
    site = LocalSite(30, slow_seconds=0.0, is_live_endless=False)
    options = replace(OPTIONS, reads_pages=False)
    with serve_site(site):
        first = broadsheet.discover(site.base, cache=tmp_path / "cache", options=options)
        count = len(site.requests)
        second = broadsheet.discover(site.base, cache=tmp_path / "cache", options=options)
    assert second.finds == first.finds
    repeated = [request for request in site.requests[count:] if request.status == 304]
    assert len(repeated) >= 8  # home page, feeds, sitemaps


def test_in_an_event_loop(site: LocalSite) -> None:
    async def run() -> tuple[int, int]:
        options = replace(OPTIONS, reads_pages=False, reads_sitemaps=False)
        inside = broadsheet.discover(site.base, options=options)  # as in a notebook
        awaited = await discover_async(site.base, options)
        return len(inside), len(awaited)

    inside, awaited = asyncio.run(run())
    assert inside == awaited > 20


def test_the_address_guard_is_on() -> None:
    with pytest.raises(FetchError, match="is a private or reserved address"):
        broadsheet.discover("http://127.0.0.1:9/")


@pytest.mark.parametrize(
    ("url", "reason"),
    [("ftp://a.example/", "only http and https"), ("no address", "only http and https"), ("https://", "has no host")],
)
def test_bad_addresses(url: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        broadsheet.discover(url)


def test_bad_options() -> None:
    with pytest.raises(UsageError, match="since must be a date"):
        DiscoverOptions(since="2024-03-16")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="limit must be at least 1"):
        DiscoverOptions(limit=0)


@pytest.mark.parametrize("count", [1, 7])
def test_the_number_of_addresses_is_limited(site: LocalSite, count: int) -> None:
    """A site cannot fill the memory with the entries of its feeds and sitemaps."""
    found = broadsheet.discover(site.base, options=replace(OPTIONS, max_finds=count))
    assert len(found.finds) <= count
    assert any(f"only the first {count:,} addresses" in problem.reason for problem in found.problems)
