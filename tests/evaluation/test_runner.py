"""The promises of a run: scores depend on the page and the method, and on nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from broadsheet.evaluation.contenders import Contender, Lineup
from broadsheet.evaluation.results import Results
from broadsheet.evaluation.runner import RunOptions, run_evaluation
from broadsheet.evaluation.store import open_store

TWO = RunOptions(workers=2, with_memory=False)
ONE = RunOptions(workers=1, with_memory=False)


def run(path: Path, lineup: Lineup, folder: Path | None = None, options: RunOptions = TWO) -> Results:
    with open_store(folder) as store:
        return run_evaluation([path], lineup, store, options)


def scores_of(results: Results) -> dict[tuple[str, str], tuple[dict[str, float], dict[str, int]]]:
    return {
        (page.id, name): (dict(row.columns), dict(row.mistakes))
        for page in results.pages
        for name, row in page.rows.items()
    }


def test_order_workers_and_cache_do_not_matter(
    corpus: Path, lineup: Lineup, tmp_path: Path, write_records: Callable[[Path, Sequence[int]], Path]
) -> None:
    plain = run(corpus, lineup)
    assert len(plain.pages) == 6
    assert plain.answered == 12
    backwards = run(write_records(tmp_path / "turned.jsonl", [5, 4, 3, 2, 1, 0]), lineup, options=ONE)
    first = run(corpus, lineup, tmp_path / "cache")
    second = run(corpus, lineup, tmp_path / "cache")
    assert second.answered == 0
    expected = scores_of(plain)
    for results in (backwards, first, second):
        assert scores_of(results) == expected
        assert [page.id for page in results.pages] == [page.id for page in plain.pages]
    assert any(columns["word_f1"] > 0.5 for columns, _ in expected.values())


def test_an_answer_goes_out_of_date_with_its_method(corpus: Path, lineup: Lineup, tmp_path: Path) -> None:
    run(corpus, lineup, tmp_path / "cache")
    newer = Lineup((replace(lineup.contenders[0], version="newer"), lineup.contenders[1]), ())
    assert run(corpus, newer, tmp_path / "cache").answered == 6


def test_a_changed_gold_text_is_scored_anew_without_running(corpus: Path, lineup: Lineup, tmp_path: Path) -> None:
    before = run(corpus, lineup, tmp_path / "cache")
    corpus.write_text(corpus.read_text().replace('"text": "The harbour', '"text": "A harbour'))
    after = run(corpus, lineup, tmp_path / "cache")
    assert after.answered == 0
    assert scores_of(after) != scores_of(before)


def test_a_contender_that_kills_its_worker_costs_only_its_own_answers(corpus: Path, lineup: Lineup) -> None:
    broken = Contender("no such peer", "1", frozenset(("text",)), is_peer=True)
    results = run(corpus, Lineup((*lineup.contenders, broken), ()), options=replace(ONE, limit=2))
    assert len(results.pages) == 2
    for page in results.pages:
        assert page.rows["no such peer"].error
        assert page.rows["no such peer"].columns["word_f1"] == 0
        assert page.rows["twcem"].error is None
        assert page.rows["twcem"].columns["word_f1"] > 0.3


def test_a_peer_in_another_environment_that_dies_has_failed(corpus: Path, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 3\n")
    python.chmod(0o755)
    dead = Contender("turbohtml", "1", frozenset(("text",)), is_peer=True, python=python)
    (page,) = run(corpus, Lineup((dead,), ()), options=replace(ONE, limit=1)).pages
    assert "died" in (page.rows["turbohtml"].error or "")


def test_peak_memory_is_measured_apart(corpus: Path, lineup: Lineup) -> None:
    results = run(corpus, lineup, options=RunOptions(limit=2, workers=1))
    assert results.memory is not None
    for name in results.names:
        assert 5 < results.memory[name] < 2_000


@pytest.mark.parametrize("limit", [1, 4, 100])
def test_limit(corpus: Path, lineup: Lineup, limit: int) -> None:
    only = Lineup(lineup.contenders[:1], ())
    assert len(run(corpus, only, options=replace(ONE, limit=limit)).pages) == min(limit, 6)


def test_progress_is_told_for_every_page(corpus: Path, lineup: Lineup) -> None:
    told: list[int] = []
    with open_store(None) as store:
        run_evaluation([corpus], lineup, store, ONE, told.append)
    assert told == [1, 2, 3, 4, 5, 6]
