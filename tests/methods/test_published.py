"""The methods as published, by name."""

from __future__ import annotations

from pathlib import Path

import pytest

import broadsheet
from broadsheet.errors import UsageError
from broadsheet.evaluation.contenders import find_contenders
from broadsheet.methods import find_model, has_method, load_method, methods, published_methods
from broadsheet.models import load_weights

PAGE = Path("examples/pages/harbour.html")
WITH_WEIGHTS = [name for name in published_methods() if name != "semtext-published"]


def test_names() -> None:
    assert published_methods() == tuple(
        f"{name}-published" for name in ("stadynot", "semtext", "visual", "gcn", "gcn2", "twcem")
    )
    assert not set(published_methods()) & set(methods())
    assert all(map(has_method, (*methods(), *published_methods())))
    assert not has_method("fusion-published")
    assert [find_model(name) for name in ("gcn2-published", "gcn", "my-published")] == ["gcn", "gcn", "my-published"]


@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_extraction(name: str) -> None:
    article = broadsheet.extract(PAGE.read_bytes(), method=name)
    assert article.method == name
    assert "ferry" in article.text.lower()
    assert load_method(name).config != load_method(find_model(name)).config  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["stadynot-published", "twcem-published", "visual-published"])
def test_the_defaults_of_the_configuration_are_as_published(name: str) -> None:
    config = load_method(name).config  # type: ignore[attr-defined]
    assert config == type(config)()


def test_weights_that_are_not_shipped() -> None:
    message = "no weights of semtext-published are shipped; train them: broadsheet train semtext-published"
    with pytest.raises(UsageError, match=message):
        broadsheet.extract(PAGE.read_bytes(), method="semtext-published")
    folder = load_weights("semtext").folder
    assert (
        broadsheet.extract(PAGE.read_bytes(), method="semtext-published", weights=folder).method == "semtext-published"
    )


def test_contenders_of_an_evaluation() -> None:
    (contender,) = find_contenders(["twcem-published"], []).contenders
    assert contender.method == "twcem-published"


AWKWARD = [
    ("empty", ""),
    ("no text", "<html><body><img src=a.png></body></html>"),
    ("one line without tags", "Only words, and no tag."),
    ("deep", "<div>" * 3000 + "Deep, deep text." + "</div>" * 3000),
    ("a script without an end", "<p>Before, and after.</p><script>var a = 1;"),
    ("null bytes", "<p>One\0two, three.</p>"),
]  # fmt: skip


@pytest.mark.parametrize("name", WITH_WEIGHTS)
@pytest.mark.parametrize("html", [case[1] for case in AWKWARD], ids=[case[0] for case in AWKWARD])
def test_awkward_pages(name: str, html: str) -> None:
    article = broadsheet.extract(html, method=name)
    assert article.method == name
    assert article.status is not broadsheet.Status.FAILED
