from __future__ import annotations

import pickle
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import broadsheet
from broadsheet.blocks import segment
from broadsheet.errors import SiteFileError, UsageError
from broadsheet.methods.apply import is_static
from broadsheet.options import ExtractOptions
from broadsheet.page import Limits, read_page
from broadsheet.site import Site, SiteConfig, Sites
from broadsheet.site.storage import save_site

NOTICE = "Subscribe to our letter, and read what happened in the town while you slept, every morning at six."
FOOTER = "All rights reserved, for ever and ever, by the Courier and nobody else in this town."


def make_page(number: int, *, notice: str = NOTICE, kind: str = "story") -> str:
    body = " ".join(f"word{number}x{at}" for at in range(30))
    return f"""<html><head><title>Story {number} of many - The Courier</title></head><body class="{kind} p{number}">
<div class=top><a href=/>Home</a> <a href=/sport?from={number}>Sport</a></div><div class="{kind}-main"><h1>Story {number} of many</h1>
<p>This is story {number}, {body}.</p><p class=letter>{notice}</p><p>It goes on, {body}, to its end.</p></div>
<div class="{kind}-side"><p>{FOOTER}</p></div></body></html>"""


PAGES = [(f"https://courier.example/news/{number}", make_page(number)) for number in range(8)]


def list_static_texts(site: Site, html: str, url: str | None = None) -> list[str]:
    page = site.prepare(read_page(html, url=url))
    blocks = segment(page)
    return [text for block, text in enumerate(blocks.text) if is_static(page, blocks, block)]


def test_text_on_all_pages_is_static() -> None:
    assert list_static_texts(Site.learn(PAGES), make_page(99)) == ["Home Sport", NOTICE, FOOTER]


# The default method keeps static text of which it is certain, as in these pages: tests/methods/test_apply.py.
@pytest.mark.parametrize("method", broadsheet.methods()[1:])
def test_every_other_method_drops_static_text(method: str) -> None:
    site, html = Site.learn(PAGES), make_page(99)
    assert NOTICE in broadsheet.extract(html, method=method).text
    article = site.extract(html, "https://courier.example/news/99", method)
    assert NOTICE not in article.text
    assert "This is story 99" in article.text
    assert "to its end." in article.text
    assert [block.text for block in article.blocks] == list(segment(read_page(html)).text)


@pytest.mark.parametrize(
    ("share", "others", "is_notice_static"),
    [(1.0, 0, True), (1.0, 1, False), (0.6, 1, True), (0.6, 3, True), (0.6, 4, False)],
)
def test_support(share: float, others: int, is_notice_static: bool) -> None:
    """Of eight neighbours, `others` have another notice."""
    config = replace(SiteConfig(), min_share=share)
    pages = [make_page(number, notice=f"Other {number}, text." if number < others else NOTICE) for number in range(8)]
    assert (NOTICE in list_static_texts(Site.learn(pages, config=config), make_page(99))) is is_notice_static


def test_few_neighbours_give_no_static_text() -> None:
    assert list_static_texts(Site.learn(PAGES[:2]), make_page(99)) == []
    assert list_static_texts(Site.learn([PAGES[0]] * 20), make_page(99)) == []  # equal pages count once


def test_a_learned_page_keeps_its_text() -> None:
    assert "This is story 3" in Site.learn(PAGES).extract(PAGES[3][1]).text


@given(st.lists(st.integers(0, 30), max_size=14), st.lists(st.integers(0, 30), max_size=14), st.randoms())
def test_merged_halves_equal_the_whole(first: list[int], second: list[int], shuffler: random.Random) -> None:
    config = SiteConfig(max_pages=6)  # fewer than the pages, so that the sample is limited

    def learn(numbers: list[int]) -> Site:
        return Site.learn(
            [(f"https://x.example/s{number % 3}/{number}", make_page(number)) for number in numbers], config=config
        )

    both = first + second
    shuffler.shuffle(both)
    whole = learn(both)
    assert learn(first).merge(learn(second)) == whole
    assert learn(second).merge(learn(first)) == whole
    target = make_page(99)
    assert list_static_texts(learn(second).merge(learn(first)), target) == list_static_texts(whole, target)


def test_saved_halves_can_be_merged(tmp_path: Path) -> None:
    for name, pages in (("a", PAGES[:5]), ("b", PAGES[5:])):
        Site.learn(pages).save(tmp_path / name)
    assert Site.load(tmp_path / "b").merge(Site.load(tmp_path / "a")) == Site.learn(PAGES)


def test_sites_with_different_settings_cannot_be_merged() -> None:
    with pytest.raises(UsageError, match="sites with different settings cannot be merged; learn one of them again"):
        Site().merge(Site(SiteConfig()))


def test_the_sample_is_limited_and_all_pages_are_counted() -> None:
    site = Site.learn((make_page(number) for number in range(40)), config=SiteConfig(max_pages=5))
    assert (site.pages, len(site.sample)) == (40, 5)
    assert repr(site) == "<Site of 40 pages, 5 in the sample>"


def test_templates_are_separated() -> None:
    galleries = [make_page(number, notice=f"Picture {number}, seen.", kind="gallery") for number in range(20, 26)]
    site = Site.learn([*PAGES, *galleries])
    assert [len(template.pages) for template in site.templates] == [8, 6]
    assert NOTICE in list_static_texts(site, make_page(99))
    assert NOTICE not in list_static_texts(site, make_page(99, kind="gallery"))
    assert FOOTER in list_static_texts(site, make_page(99, kind="gallery"))


def test_a_page_without_address_has_the_section_of_its_canonical_address() -> None:
    site = Site.learn(f"<link rel=canonical href=https://courier.example/news/{n}>{make_page(n)}" for n in range(3))
    assert {page.section for page in site.sample.values()} == {"courier.example/news"}


def test_neighbours_of_the_same_section_come_first() -> None:
    config = SiteConfig(max_neighbours=6)
    sport = [
        (f"https://courier.example/sport/{number}", make_page(number, notice="Scores, all of them, every night."))
        for number in range(30, 36)
    ]
    site = Site.learn([*PAGES, *sport], config=config)
    page = make_page(99, notice="Scores, all of them, every night.")
    assert "Scores, all of them, every night." in list_static_texts(site, page, "https://courier.example/sport/99")
    assert "Scores, all of them, every night." not in list_static_texts(site, page, "https://courier.example/news/99")


@pytest.mark.parametrize("max_json", [10**9, 0], ids=["JSON", "SQLite"])
def test_save_and_load(tmp_path: Path, max_json: int) -> None:
    site = Site.learn(PAGES, homes=[("https://courier.example/", "<a href=/news/99>Ninety-nine stories</a>")])
    save_site(site, tmp_path / "site", max_json=max_json)
    assert (tmp_path / "site").read_bytes().startswith(b"{" if max_json else b"SQLite")
    loaded = Site.load(tmp_path / "site")
    assert loaded == site
    assert loaded.describe() == site.describe()
    assert list_static_texts(loaded, make_page(99)) == list_static_texts(site, make_page(99))
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_saved_site_contains_no_article_text(tmp_path: Path) -> None:
    Site.learn(PAGES).save(tmp_path / "site.json")
    assert "word3x7" not in (tmp_path / "site.json").read_text()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{}", "is not a saved site; to make one: broadsheet site learn"),
        ("nonsense", "is damaged"),
        ('{"format": "broadsheet-site", "version": 99}', "newer Broadsheet"),
        ('{"format": "broadsheet-site", "version": 1}', "is damaged"),
        (None, "No such file"),
    ],
)
def test_errors_of_site_files(tmp_path: Path, content: str | None, reason: str) -> None:
    if content is not None:
        (tmp_path / "site").write_text(content)
    with pytest.raises(SiteFileError, match=reason):
        Site.load(tmp_path / "site")


def test_drift() -> None:
    site = Site.learn(PAGES)
    same, other = site.drift(make_page(99)), site.drift(make_page(99, kind="redesigned"))
    assert (same.score, same.has_changed) == (0.0, False)
    assert other.score > same.score
    assert site.drift("<main><section class=new><p>x").has_changed
    assert not Site().drift("<p>x").has_changed


def test_description() -> None:
    galleries = [make_page(number, kind="gallery") for number in (50, 51)]
    lines = (
        Site.learn([*PAGES, *galleries], homes=[("https://courier.example/", "<a href=/a>A</a>")])
        .describe()
        .splitlines()
    )
    assert lines[0] == "10 pages seen"
    assert lines[1] == "1 address named by links on home and section pages"
    assert lines[2] == "template 1: 8 pages of 10, in courier.example/news"
    assert lines[3].endswith("static keys: on 60% of 8 neighbours")
    assert lines[4] == "  static texts: Sport | Home"
    assert lines[5] == "2 pages without a template: fewer than 3 pages are alike"


HOME = "<a href=/news/99>Ninety-nine stories, all of them true</a> <a href=/news/98>More</a>"


@pytest.mark.parametrize(
    "site",
    [
        Site.learn(PAGES, homes=[("https://courier.example/", HOME)]),
        Site.learn([*PAGES, ("https://www.courier.example/", HOME)]),  # recognised by its address
        Site.learn(PAGES, homes=[f"<link rel=canonical href=https://courier.example/>{HOME}"]),
    ],
    ids=["given", "recognised", "canonical"],
)
def test_titles_from_home_pages(site: Site) -> None:
    page = site.prepare(read_page(make_page(99), url="https://courier.example/news/99"))
    assert page.link_titles == ("Ninety-nine stories, all of them true",)
    untitled = "<p>A story, of all stories.</p><p>It is told in full, from the first to the last, and true.</p>"
    assert site.extract(untitled, "https://courier.example/news/99").title == "Ninety-nine stories, all of them true"


def test_a_site_can_be_pickled_for_workers() -> None:
    site = Site.learn(PAGES)
    assert pickle.loads(pickle.dumps(site)) == site
    articles = broadsheet.extract_many([make_page(99), make_page(98)], site=site, method="stadynot", workers=2)
    assert [NOTICE in article.text for article in articles] == [False, False]


def test_sites_by_host() -> None:
    sites = Sites()
    sites.learn(PAGES)
    sites.learn(
        (f"https://other.example/{number}", make_page(number, notice=f"Note {number}, here.")) for number in range(8)
    )
    sites.learn(
        f"<link rel=canonical href=https://www.courier.example/c/{number}>{make_page(number)}" for number in range(8)
    )
    sites.add("<p>no address at all")
    assert {host: site.pages for host, site in sites.by_host.items()} == {
        "courier.example": 16,
        "other.example": 8,
        "": 1,
    }
    for url, is_dropped in (("https://courier.example/x", True), ("https://other.example/x", False), (None, False)):
        article = broadsheet.extract(make_page(99), url, "stadynot", site=sites)
        assert (NOTICE not in article.text) is is_dropped
        assert article.url == url


@pytest.mark.parametrize("html", ["", b"\xff\xfe\x00", "<div>" * 3000 + "x", "<p>\ud800", "<frameset>"])
def test_awkward_pages_can_be_learned(html: str | bytes) -> None:
    site = Site.learn([html, *PAGES])
    assert site.pages == 9
    assert site.extract(html).status in broadsheet.Status


def test_extract_takes_the_options_of_extract() -> None:
    site = Site.learn(f"<title>Story {at}</title><p>Text of story {at}, at length.</p>" for at in range(3))
    page = "<title>Story 9</title><p>Text of story 9, at length.</p>"
    assert site.extract(page, limits=Limits(max_seconds=1e-9)).status == "timeout"
    options = ExtractOptions(method="twcem", limits=Limits(max_bytes=10))
    assert site.extract(page, options=options).status == "too_large"
    assert site.extract(page, options=options).method == "twcem"


@pytest.mark.parametrize(
    ("pages", "homes", "message"),
    [
        ("folder", (), "pages must be an iterable of pages (html, or pairs of address and html), not 'folder'"),
        (Path("folder"), (), "pages must be an iterable of pages"),
        (b"<p>x", (), "pages must be an iterable of pages"),
        (7, (), "pages must be an iterable of pages (html, or pairs of address and html), not 7"),
        ([], "https://x.example/", "homes must be an iterable of pages"),
        ([Path("page.html")], (), "a page must be html (str or bytes) or a pair of address and html, not PosixPath"),
        ([(7, "<p>x")], (), "a page must be html (str or bytes) or a pair of address and html, not (int, str)"),
        ([("a", "b", "c")], (), "a page must be html (str or bytes) or a pair of address and html, not tuple"),
        ([], [None], "a page must be html (str or bytes) or a pair of address and html, not NoneType"),
    ],
)
def test_wrong_types_are_refused(pages: Any, homes: Any, message: str) -> None:
    with pytest.raises(TypeError) as error:
        Site.learn(pages, homes=homes)
    assert str(error.value).startswith(message)
