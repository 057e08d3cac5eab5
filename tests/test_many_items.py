"""extract_many: items that are not pages, hostile objects, and wrong arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.batch.archives import Body

from broadsheet.article import Status
from broadsheet.errors import UsageError
from broadsheet.many import extract_many


@pytest.mark.parametrize("workers", [1, 2])
def test_items_that_are_not_pages_fail_alone(workers: int) -> None:
    wrong: list[object] = [None, 7, ("https://a.example/", None), ("a", "b", "c"), Path("page.html"), object()]
    pages: list[object] = [b"<p>two", bytearray(b"<p>three"), memoryview(b"<p>four"), ["a", "<p>five"]]
    articles = list(extract_many(["<p>one", *wrong, *pages], workers=workers))  # type: ignore[list-item]
    assert [article.status is Status.FAILED for article in articles] == [False] + [True] * 6 + [False] * 4


PAGE = "<p>The ferry sails again, after eleven years."


class Hostile:
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise ValueError("no class")


class UnprintableUrl:
    def __str__(self) -> str:
        raise ValueError("no text")


class HostileText(str):
    __slots__ = ()

    def __str__(self) -> str:
        raise ValueError("no text")


class HostilePair(tuple[str, str]):
    __slots__ = ()

    def __len__(self) -> int:
        raise ValueError("no length")


class HostileSheets(dict[str, str]):
    def items(self) -> Any:
        raise ValueError("no items")


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("make_item", "reason"),
    [
        (lambda: (UnprintableUrl(), "<p>page"), "ValueError: no text"),
        (Hostile, "ValueError: no class"),
        (lambda: HostilePair(("url", "<p>page")), "ValueError: no length"),
        (lambda: ("url", "<p>page", HostileSheets()), "ValueError: no items"),
    ],
)
def test_an_item_that_raises_when_it_is_inspected_fails_alone(
    make_item: Callable[[], Any], reason: str, workers: int
) -> None:
    articles = list(extract_many([PAGE, make_item(), PAGE], workers=workers, method=Body()))
    assert [article.status for article in articles] == [Status.OK, Status.FAILED, Status.OK]
    assert articles[1].sources["status"] == reason


@pytest.mark.parametrize("workers", [1, 2])
def test_pages_of_a_str_subclass_are_plain_text(workers: int) -> None:
    item = (HostileText("https://a.example/1"), HostileText("<p>page"))
    (article,) = extract_many([item], workers=workers, method=Body())
    assert (article.url, article.text) == ("https://a.example/1", "page")
    assert type(article.url) is str


@pytest.mark.parametrize(
    ("items", "workers", "reason"),
    [
        ("<p>one page", 1, "for one page use extract"),
        (b"<p>", 2, "for one page use extract"),
        ([], -1, "not -1"),
        ([], "2", "not '2'"),
        ([], 2.0, "not 2.0"),
    ],
)
def test_wrong_arguments_are_reported_at_once(items: Iterable[str], workers: int, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        extract_many(items, workers=workers)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("method", [7, object(), Path("twcem")])
def test_an_object_that_is_not_a_method_is_reported_at_once(method: Any, workers: int) -> None:
    with pytest.raises(UsageError, match=r"method must be a name or an object with \.name and \.label"):
        extract_many(["<p>one"], workers=workers, method=method)


def test_paths_are_not_pages() -> None:
    with pytest.warns(UserWarning, match="extract_many takes pages, not paths; pass path.read_bytes()"):
        articles = list(extract_many([Path("page.html"), PAGE, 7], workers=1))  # type: ignore[list-item]
    assert [article.status for article in articles] == [Status.FAILED, Status.OK, Status.FAILED]
    reason = "TypeError: a page must be str or bytes, or a pair (address, html), not "
    assert articles[0].sources["status"] == f"{reason}PosixPath; pass path.read_bytes()"
    assert articles[2].sources["status"] == f"{reason}int"
