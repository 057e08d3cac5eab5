from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from broadsheet.corpora import Record
from broadsheet.evaluation import store as store_module
from broadsheet.evaluation.answer import Answer
from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.scores import PageScores
from broadsheet.evaluation.store import hash_gold, hash_page, open_store

ANN = Contender("ann", "1", frozenset(("text",)))
ANSWER = Answer(text="The harbour.", authors=("Ann Lee",), seconds=0.25)
SCORES = PageScores({"word_f1": 0.5}, {"missed caption": 3})
RECORD = Record(id="a", html="<p>x</p>", text="x")


def test_values_are_there_when_the_store_is_opened_again(tmp_path: Path) -> None:
    with open_store(tmp_path / "deep" / "cache") as store:
        store.add_answer("page", ANN, ANSWER, "run 1")
        store.add_scores("page", "gold", ANN, SCORES)
        store.add_fact("peak", 1.5)
    with open_store(tmp_path / "deep" / "cache") as store:
        assert store.find_answer("page", ANN) == (ANSWER, "run 1")
        assert store.find_scores("page", "gold", ANN) == SCORES
        assert store.find_fact("peak") == 1.5


@pytest.mark.parametrize(
    ("page", "contender"),
    [
        ("other", ANN),
        ("page", replace(ANN, name="bob")),
        ("page", replace(ANN, version="2")),
        ("page", replace(ANN, code="another adapter")),
        ("page", replace(ANN, options="fast")),
        ("page", replace(ANN, is_peer=True)),
    ],
)
def test_other_keys_find_nothing(page: str, contender: Contender) -> None:
    with open_store(None) as store:
        store.add_answer("page", ANN, ANSWER, "run 1")
        store.add_scores("page", "gold", ANN, SCORES)
        assert store.find_answer(page, contender) is None
        assert store.find_scores(page, "gold", contender) is None
        assert store.find_scores("page", "other gold", ANN) is None
        assert store.find_fact("peak") is None


def test_a_temporary_store_is_removed() -> None:
    with open_store(None) as store:
        store.add_answer("page", ANN, ANSWER, "run 1")
        assert store.folder.exists()
    assert not store.folder.exists()


def test_an_interrupted_run_keeps_its_answers(tmp_path: Path) -> None:
    def stop() -> None:
        with open_store(tmp_path) as store:
            store.add_answer("page", ANN, ANSWER, "run 1")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    with open_store(tmp_path) as store:
        assert store.find_answer("page", ANN)


def test_errors_of_extractors_are_cached_and_lost_processes_are_not(tmp_path: Path) -> None:
    raised = Answer(text="", error="ValueError: too much")
    lost = Answer(text="", error="the worker process ended unexpectedly", is_lost=True)
    with open_store(tmp_path) as store:
        store.add_answer("raised", ANN, raised, "run 1")
        store.add_answer("lost", ANN, lost, "run 1")
        assert store.find_answer("lost", ANN) == (lost, "run 1")
    with open_store(tmp_path) as store:
        assert store.find_answer("raised", ANN) == (raised, "run 1")
        assert store.find_answer("lost", ANN) is None


def test_a_new_answer_removes_the_scores_of_the_old_one() -> None:
    with open_store(None) as store:
        store.add_answer("page", ANN, ANSWER, "run 1")
        store.add_scores("page", "gold", ANN, SCORES)
        store.add_answer("page", ANN, ANSWER, "run 2")
        assert store.find_scores("page", "gold", ANN) is None


@pytest.mark.parametrize(("name", "value"), [("html", "<p>y</p>"), ("url", "https://example.org/"), ("lang", "de")])
def test_the_hash_of_a_page_covers_the_input_of_contenders(name: str, value: str) -> None:
    changed = replace(RECORD, **{name: value})  # type: ignore[arg-type]
    assert hash_page(changed) != hash_page(RECORD)
    assert hash_gold(changed) == hash_gold(RECORD)


@pytest.mark.parametrize(
    ("name", "value"),
    [("text", "y"), ("title", "t"), ("authors", ("Ann",)), ("date", "2020"), ("with_", ("x",)), ("without", ("x",))],
)
def test_the_hash_of_the_gold_covers_all_labels(name: str, value: object) -> None:
    changed = replace(RECORD, **{name: value})  # type: ignore[arg-type]
    assert hash_gold(changed) != hash_gold(RECORD)
    assert hash_page(changed) == hash_page(RECORD)


def test_the_hash_of_the_gold_covers_the_scoring_code(monkeypatch: pytest.MonkeyPatch) -> None:
    before = hash_gold(RECORD)
    monkeypatch.setattr(store_module, "fingerprint_scoring", lambda: "changed")
    assert hash_gold(RECORD) != before


def test_pages_with_lone_surrogates_can_be_hashed() -> None:
    assert hash_page(replace(RECORD, html="<p>\ud800</p>")) != hash_page(replace(RECORD, html=b"<p></p>"))
    assert hash_gold(replace(RECORD, text="\ud800")) != hash_gold(RECORD)
