"""Addresses: cleaning, keys, dates, patterns, scores."""

from __future__ import annotations

from datetime import datetime

import pytest

from broadsheet.discovery.addresses import (
    ADDRESS_FEATURES,
    clean_address,
    find_pattern,
    is_same_site,
    make_key,
    measure_address,
    read_address_date,
)
from broadsheet.discovery.links import PLACE_FEATURES, find_page_number, list_links, list_sections, read_listing
from broadsheet.discovery.scoring import MIN_SCORE, ArticleScorer
from broadsheet.page import read_page


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("HTTPS://News.Example:443/a?utm_source=x&id=7#top", "https://news.example/a?id=7"),
        ("https://news.example", "https://news.example/"),
        ("https://news.example/a?b=1&c", "https://news.example/a?b=1&c"),
        ("https://news.example:8443/a?fbclid=1", "https://news.example:8443/a"),
    ],
)
def test_clean_address(address: str, expected: str) -> None:
    assert clean_address(address) == expected


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        ("http://www.news.example/a/", "https://news.example/a?utm_medium=rss#x", True),
        ("https://news.example/a/amp", "https://news.example/a", True),
        ("https://news.example/caf%C3%A9", "https://news.example/café", True),
        ("https://news.example/a?id=1", "https://news.example/a?id=2", False),
        ("https://news.example/a", "https://sport.news.example/a", False),
        ("https://news.example/amplifier", "https://news.example/lifier", False),
    ],
)
def test_keys(first: str, second: str, is_same: bool) -> None:
    assert (make_key(first) == make_key(second)) is is_same


def test_same_site() -> None:
    assert is_same_site("https://www.news.example/a", "news.example")
    assert is_same_site("https://sport.news.example/a", "news.example")
    assert not is_same_site("https://badnews.example/a", "news.example")


@pytest.mark.parametrize(
    ("address", "day"),
    [
        ("https://a.example/2024/03/16/ferry", datetime(2024, 3, 16)),
        ("https://a.example/news/20240316-ferry", datetime(2024, 3, 16)),
        ("https://a.example/2024-3-6/ferry", datetime(2024, 3, 6)),
        ("https://a.example/2024/02/31/ferry", None),
        ("https://a.example/news/1234567890", None),
    ],
)
def test_address_date(address: str, day: datetime | None) -> None:
    assert read_address_date(address) == day


def test_patterns() -> None:
    assert find_pattern("https://a.example/sport/2024/03/16/a-long-slug-here/") == "/s/0/0/0/w/"
    assert find_pattern("https://a.example/x/12.html") == "/s/0.html"


@pytest.mark.parametrize(
    ("address", "is_article"),
    [
        ("https://a.example/2024/03/16/harbour-ferry-returns-after-eleven-years/", True),
        ("https://a.example/news/uk-politics-68581234", True),
        ("https://a.example/politik/bundestag-beschliesst-neues-gesetz-zur-rente-1.6470123.html", True),
        ("https://a.example/", False),
        ("https://a.example/sport/", False),
        ("https://a.example/tag/ferry/", False),
        ("https://a.example/about-us", False),
        ("https://a.example/2024/03/16/harbour-ferry-returns-after-eleven-years.jpg", False),
        ("https://a.example/author/imogen-hale", False),
    ],
)
def test_scores(address: str, is_article: bool) -> None:
    assert (ArticleScorer().score_address(address) >= MIN_SCORE) is is_article


def test_known_articles_raise_the_score() -> None:
    scorer = ArticleScorer()
    address = "https://a.example/n/4711"
    before = scorer.score_address(address)
    for number in range(20):
        scorer.learn(f"https://a.example/n/{number}")
    assert scorer.score_address(address) > before
    assert scorer.score_address("https://a.example/some/other/thing") < ArticleScorer().score_address(
        "https://a.example/some/other/thing"
    )


HOME = """<body><nav class="menu"><a href="/sport/">Sport</a><a href="/login">Log in</a></nav>
<article><h2><a href="/2024/03/16/harbour-ferry-returns-after-years">Harbour ferry returns after eleven years</a></h2>
<time datetime="2024-03-16T08:30:00Z">today</time></article>
<a href="mailto:a@b.example">Mail</a><a href="http://a.example:x y/">Bad port</a><a href="http://[1/">Bad host</a><a href="/culture">Culture</a><a rel="next" href="/page/2/">Older</a></body>"""


def test_places() -> None:
    links = {link.address: link for link in list_links(read_page(HOME, url="https://a.example/"))}
    assert len(links) == 5
    article = links["https://a.example/2024/03/16/harbour-ferry-returns-after-years"]
    features = dict(zip(PLACE_FEATURES, article.features, strict=True))
    assert features["is_in_heading"] == features["is_near_date"] == features["is_in_article"] == 1
    assert article.date is not None
    assert links["https://a.example/sport/"].is_in_menu
    assert not links["https://a.example/culture"].is_in_menu
    scorer = ArticleScorer()
    assert scorer.score_link(article) > 0.9 > 0.1 > scorer.score_link(links["https://a.example/sport/"])


def test_listing() -> None:
    listing = read_listing(read_page(HOME, url="https://a.example/"), "https://a.example/", "a.example")
    assert listing.next_page == "https://a.example/page/2/"
    assert list_sections(listing.links, "https://a.example/") == [
        "https://a.example/sport/",
        "https://a.example/culture",
    ]


@pytest.mark.parametrize(
    ("address", "number"),
    [("https://a.example/news/page/3/", 3), ("https://a.example/news?page=12", 12), ("https://a.example/news", 1)],
)
def test_page_numbers(address: str, number: int) -> None:
    assert find_page_number(address) == number


def test_next_page_without_relation() -> None:
    html = '<a href="/news?page=1">1</a><a href="/news?page=2">2</a><a href="/news?page=3">3</a>'
    page = read_page(html, url="https://a.example/news?page=2")
    assert read_listing(page, "https://a.example/news?page=2", "a.example").next_page == "https://a.example/news?page=3"


def test_feature_counts() -> None:
    assert len(measure_address("https://[broken")) == len(ADDRESS_FEATURES)
    assert len(measure_address("https://a.example/b")) == len(ADDRESS_FEATURES)
