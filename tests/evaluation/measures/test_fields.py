from __future__ import annotations

import pytest

from broadsheet.evaluation.measures.authors import score_authors
from broadsheet.evaluation.measures.block import Hits
from broadsheet.evaluation.measures.date import score_date
from broadsheet.evaluation.measures.snippet import count_snippets
from broadsheet.evaluation.measures.title import score_title


@pytest.mark.parametrize(
    ("output", "gold", "score"),
    [
        ("Harbour – “open”", "harbour: open", 1),
        ("Harbour open | Courier", "Harbour open", 0),
        (None, "Harbour", 0),
        ("", "Harbour", 0),
    ],
)
def test_title(output: str | None, gold: str, score: float) -> None:
    assert score_title(output, gold) == score


@pytest.mark.parametrize(
    ("output", "gold", "score"),
    [
        ("2020-01-02", "2020-01-02", 1),
        ("2020-01-02T23:00:00", "2020-01-02", 1),
        ("2020-01-03", "2020-01-02", 0),
        ("2020-01-03T01:00:00+02:00", "2020-01-02T23:00:00+00:00", 1),  # the same moment in two time zones
        ("2020-01-03T01:00:00", "2020-01-02T23:00:00+00:00", 0),  # the zone of one is unknown
        ("yesterday", "2020-01-02", 0),
        (None, "2020-01-02", 0),
        ("", "2020-01-02", 0),
    ],
)
def test_date(output: str | None, gold: str, score: float) -> None:
    assert score_date(output, gold) == score


@pytest.mark.parametrize(
    ("output", "gold", "score"),
    [
        (["Ann Lee"], ["ANN LEE"], 1),
        (["Bo Ek", "Ann Lee"], ["Ann Lee", "Bo Ek"], 1),
        (["Ann Lee", "Staff"], ["Ann Lee"], 2 / 3),
        ([], ["Ann Lee"], 0),
        (["Ann Lee"], [], 0),
        ([], [], 1),
    ],
)
def test_authors(output: list[str], gold: list[str], score: float) -> None:
    assert score_authors(output, gold) == pytest.approx(score)


def test_snippets() -> None:
    output = "The  Harbour\nopened. Subscribe now!"
    hits = count_snippets(output, ["the harbour opened", "ships came"], ["subscribe now", "imprint", "cookies"])
    assert hits == Hits(right=1, missed=1, extra=1, left_out=2)
