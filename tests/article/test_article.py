"""The values of an article that do not depend on a page."""

from __future__ import annotations

import pickle

import pytest

from broadsheet.article import Article, Status
from broadsheet.fields import Image


def test_the_main_image_is_the_first() -> None:
    assert Article().image is None
    assert Article(images=(Image("https://a.b/1"), Image("https://a.b/2"))).image == Image("https://a.b/1")


def test_an_article_without_a_page_has_no_blocks() -> None:
    assert Article().blocks == ()


@pytest.mark.parametrize("status", Status)
def test_statuses_have_a_meaning_and_advice(status: Status) -> None:
    for text in (status.meaning, status.advice):
        assert not text.endswith(".")  # they are parts of messages
    assert bool(status.advice) is (status is not Status.OK)


@pytest.mark.parametrize("status", Status)
def test_statuses_are_strings(status: Status) -> None:
    assert status is Status(status.value)
    assert pickle.loads(pickle.dumps(status)) is status
    assert f"{status}" == status.value == status
    assert repr(status) == f"<Status.{status.name}: '{status.value}'>"


def test_failures() -> None:
    assert [status for status in Status if status.is_failure] == [Status.TIMEOUT, Status.FAILED]
