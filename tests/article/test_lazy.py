"""Values of an article that are made on first use."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest

import broadsheet
from broadsheet.article import Article, Status, lazy
from broadsheet.article.assemble import _MAKERS, PageSource
from broadsheet.article.lazy import MAX_PENDING, complete
from broadsheet.errors import LimitReached
from broadsheet.output.record import COLUMNS

PAGES = sorted(Path(__file__).parents[2].joinpath("examples", "pages").rglob("*.html"))
HTML = Path(__file__).parents[2].joinpath("examples", "pages", "harbour.html").read_bytes()
LATE = ("images", "body", "comments", "sources", "confidences", "exactness", "doubts", "provenance")
SLOTS = tuple(Article.__dataclass_fields__)


def extract(html: str | bytes = HTML, **options: Any) -> Article:
    return broadsheet.extract(html, url="https://news.example/a", **options)


def list_empty(article: Article) -> set[str]:
    """Return the names of the values that have not been made."""
    empty = set()
    for name in SLOTS:
        try:
            object.__getattribute__(article, name)
        except AttributeError:
            empty.add(name)
    return empty


def test_what_is_made_later() -> None:
    assert list_empty(extract()) == set(LATE)
    assert list_empty(extract(explain=True)) == {*LATE, "labels"}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
@pytest.mark.parametrize("first", [*LATE, "text", "markdown", "blocks"])
def test_values_do_not_depend_on_the_order_in_which_they_are_read(path: Path, first: str) -> None:
    html = path.read_bytes()
    expected = complete(extract(html))
    article = extract(html)
    assert getattr(article, first) == getattr(expected, first)
    assert article.to_dict(include=("body", "blocks")) == expected.to_dict(include=("body", "blocks"))
    assert article == expected


def test_the_page_is_dropped_when_all_values_are_made() -> None:
    article = extract()
    source = article._source
    assert isinstance(source, PageSource)
    page = weakref.ref(source)
    del source
    for name in LATE:
        assert article._source is not None
        getattr(article, name)
    assert article._source is None
    gc.collect()
    assert page() is None


def test_a_pickle_is_complete_and_has_no_page() -> None:
    article = extract(HTML + b"<!-- a comment that no article has -->")
    data = pickle.dumps(article)
    assert b"that no article has" not in data
    restored = pickle.loads(data)
    assert restored == article
    assert restored._source is None
    assert list_empty(restored) == set()
    assert restored.blocks == article.blocks
    assert restored.text == article.text


def test_copies_are_equal() -> None:
    article = extract()
    assert copy.copy(article) == article == copy.deepcopy(article)
    assert replace(article) == article
    assert replace(extract(), title="Another").title == "Another"
    assert replace(extract(), body=()).text == ""


def test_articles_are_frozen_and_not_hashable() -> None:
    article = extract()
    with pytest.raises(FrozenInstanceError):
        article.body = ()  # type: ignore[misc]
    with pytest.raises(TypeError):
        hash(article)


def test_comparison() -> None:
    assert extract() == extract()
    assert extract() != extract(b"<p>Another page, with another text.</p>")
    assert extract() != "a string"


@pytest.mark.parametrize("name", [*LATE, "text", "html"])
def test_threads_get_equal_values(name: str) -> None:
    article, expected = extract(), getattr(complete(extract()), name)
    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(lambda _: getattr(article, name), range(32)))
    assert all(value == expected for value in values)


def test_threads_that_complete_an_article() -> None:
    expected = extract().to_dict()
    for _ in range(5):
        article = extract()
        with ThreadPoolExecutor(8) as pool:
            names = [*LATE, "text", "status_reason", "blocks"] * 4
            list(pool.map(lambda name, article=article: getattr(article, name), names))
        assert article.to_dict() == expected
        assert article._source is None


def test_unknown_attributes() -> None:
    for article in (extract(), Article(), extract(fields=("text",))):
        with pytest.raises(AttributeError, match="'Article' object has no attribute 'titel'"):
            article.titel  # type: ignore[attr-defined]  # noqa: B018


def test_few_articles_keep_their_pages() -> None:
    articles = [extract() for _ in range(MAX_PENDING + 5)]
    pending = [isinstance(article._source, PageSource) for article in articles]
    assert pending == [False] * 5 + [True] * MAX_PENDING
    assert articles[0] == articles[-1]


def test_large_pages_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy, "MAX_PENDING_BYTES", 1_000_000)
    html = HTML + b"<i>x</i>" * 500
    articles = [extract(html) for _ in range(3)]
    assert [isinstance(article._source, PageSource) for article in articles] == [False, False, True]
    assert extract(HTML + b"<i>x</i>" * 2_000)._source is None


def test_an_article_that_cannot_be_completed_drops_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    article = extract()
    monkeypatch.setitem(_MAKERS, "comments", raise_limit)
    others = [extract() for _ in range(MAX_PENDING)]
    assert not isinstance(article._source, PageSource)
    assert article.title
    assert article.status is Status.OK
    with pytest.raises(LimitReached):
        article.comments  # noqa: B018
    assert len(others) == MAX_PENDING


def raise_limit(*_: object) -> None:
    raise LimitReached("the page took longer than its time limit")


@pytest.mark.parametrize("name", ["body", "text", "markdown", "comments"])
def test_later_values_have_the_time_limit_of_the_page(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    article = extract(limits=broadsheet.Limits(max_seconds=5))
    now = lazy_clock(monkeypatch)
    now[0] += 100  # the deadline of the extraction has passed
    assert getattr(extract(), name) == getattr(article, name)


@pytest.mark.parametrize("name", ["body", "text", "images", "comments", "provenance"])
def test_a_later_value_that_takes_too_long_raises(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    article = extract(limits=broadsheet.Limits(max_seconds=5))
    now = lazy_clock(monkeypatch, step=10)
    with pytest.raises(LimitReached, match=r"raise Limits\.max_seconds"):
        getattr(article, name)
    now[1] = 0
    assert getattr(article, name) == getattr(extract(), name)  # the next reader has the time again


def lazy_clock(monkeypatch: pytest.MonkeyPatch, step: float = 0) -> list[float]:
    """Replace the clock of deadlines: [now, seconds that pass at each reading]."""
    now = [1e6, step]

    def read() -> float:
        now[0] += now[1]
        return now[0]

    monkeypatch.setattr("broadsheet.page.limits.time.monotonic", read)
    return now


@pytest.mark.parametrize("fields", [None, ("text",), ("comments",)])
def test_an_extraction_that_takes_too_long_is_a_timeout(
    fields: tuple[str, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    lazy_clock(monkeypatch, step=10)
    article = extract(fields=fields, limits=broadsheet.Limits(max_seconds=5))
    assert article.status is Status.TIMEOUT
    assert article.status_reason == Status.TIMEOUT.meaning


def test_the_queue_is_bounded() -> None:
    for _ in range(3 * MAX_PENDING):
        extract(b"<p>x</p>")
    assert len(lazy._pending) <= MAX_PENDING


def test_every_column_can_be_read_later() -> None:
    article = extract()
    expected = complete(extract()).to_dict(include=("markdown", "html", "body", "blocks", "measures"))
    for name in COLUMNS:
        assert article.to_dict(fields=[name]) == {name: expected[name]}
