"""Runs: scores depend on the page and the contender only."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.evaluation.peer_programs import DIES_ON_PAGES, answer_always, make_peer

from broadsheet.errors import BroadsheetError
from broadsheet.evaluation import runner
from broadsheet.evaluation.contenders import Contender, Lineup
from broadsheet.evaluation.figures import Results
from broadsheet.evaluation.pool import run_tasks
from broadsheet.evaluation.runner import RunOptions, run_evaluation
from broadsheet.evaluation.store import open_store

TWO_WORKERS = RunOptions(workers=2, with_memory=False)
ONE_WORKER = RunOptions(workers=1, with_memory=False)
BROKEN = Contender("no such peer", "1", frozenset(("text",)), is_peer=True)


def run(path: Path, lineup: Lineup, folder: Path | None = None, options: RunOptions = TWO_WORKERS) -> Results:
    with open_store(folder) as store:
        return run_evaluation([path], lineup, store, options)


def get_scores(results: Results) -> dict[tuple[str, str], tuple[dict[str, float], dict[str, int]]]:
    return {
        (page.id, name): (dict(outcome.columns), dict(outcome.error_words))
        for page in results.pages
        for name, outcome in page.outcomes.items()
    }


def test_scores_do_not_depend_on_order_workers_and_cache(
    corpus: Path, lineup: Lineup, tmp_path: Path, write_records: Callable[[Path, Sequence[int]], Path]
) -> None:
    expected = run(corpus, lineup)
    assert len(expected.pages) == 6
    assert expected.answered == 12
    backwards = run(write_records(tmp_path / "reversed.jsonl", [5, 4, 3, 2, 1, 0]), lineup, options=ONE_WORKER)
    first = run(corpus, lineup, tmp_path / "cache")
    second = run(corpus, lineup, tmp_path / "cache")
    assert second.answered == 0
    for results in (backwards, first, second):
        assert get_scores(results) == get_scores(expected)
        assert [page.id for page in results.pages] == [page.id for page in expected.pages]
    assert any(columns["word_f1"] > 0.5 for columns, _ in get_scores(expected).values())


def test_a_new_version_of_a_method_makes_its_answers_out_of_date(corpus: Path, lineup: Lineup, tmp_path: Path) -> None:
    run(corpus, lineup, tmp_path / "cache")
    newer = Lineup((replace(lineup.contenders[0], version="newer"), lineup.contenders[1]), ())
    assert run(corpus, newer, tmp_path / "cache").answered == 6


def test_cached_answers_are_scored_again_when_the_gold_text_changes(
    corpus: Path, lineup: Lineup, tmp_path: Path
) -> None:
    before = run(corpus, lineup, tmp_path / "cache")
    corpus.write_text(corpus.read_text().replace('"text": "The harbour', '"text": "A harbour'))
    after = run(corpus, lineup, tmp_path / "cache")
    assert after.answered == 0
    assert get_scores(after) != get_scores(before)


@pytest.mark.parametrize("options", [ONE_WORKER, TWO_WORKERS])
def test_a_contender_that_cannot_be_opened_is_skipped_with_a_message(
    options: RunOptions, corpus: Path, lineup: Lineup, capfd: pytest.CaptureFixture[str]
) -> None:
    results = run(corpus, Lineup((BROKEN, *lineup.contenders), ("another message",)), options=options)
    message = "no such peer could not be opened and was skipped: KeyError: 'no such peer'"
    assert results.missing == ("another message", message)
    assert results.names == ("twcem", "turbohtml")
    assert len(results.pages) == 6
    for page in results.pages:
        assert set(page.outcomes) == {"twcem", "turbohtml"}
        assert page.outcomes["twcem"].columns["word_f1"] > 0.3
    assert "Traceback" not in capfd.readouterr().err


def test_a_run_in_which_no_contender_can_be_opened_fails(corpus: Path) -> None:
    with pytest.raises(BroadsheetError, match="no such peer could not be opened and was skipped: KeyError"):
        run(corpus, Lineup((BROKEN,), ()), options=ONE_WORKER)


def test_a_lost_process_is_a_failure_that_is_not_cached(corpus: Path, tmp_path: Path) -> None:
    """The peer answers the warm-up page, and dies on every other page."""
    dead = make_peer(tmp_path, DIES_ON_PAGES)
    for _ in range(2):
        results = run(corpus, Lineup((dead,), ()), tmp_path / "cache", replace(ONE_WORKER, limit=1))
        (page,) = results.pages
        assert "ended unexpectedly" in (page.outcomes["turbohtml"].error or "")
        assert page.outcomes["turbohtml"].columns["word_f1"] == 0
        assert results.answered == 1


def test_an_error_that_a_peer_raises_is_cached(corpus: Path, tmp_path: Path) -> None:
    peer = make_peer(tmp_path, answer_always({"text": "", "error": "ValueError: too much"}))
    for answered in (1, 0):
        results = run(corpus, Lineup((peer,), ()), tmp_path / "cache", replace(ONE_WORKER, limit=1))
        assert results.pages[0].outcomes["turbohtml"].error == "ValueError: too much"
        assert results.answered == answered


def test_pages_with_the_same_id_are_sorted_by_content(
    tmp_path: Path, lineup: Lineup, monkeypatch: pytest.MonkeyPatch
) -> None:
    only = Lineup(lineup.contenders[:1], ())
    path = tmp_path / "same.jsonl"
    rows = ({"id": "same", "html": f"<p>The harbour of pier {at} opened.</p>", "text": "x"} for at in range(5))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    forwards = [page.page_hash for page in run(path, only, options=ONE_WORKER).pages]
    monkeypatch.setattr(runner, "run_tasks", lambda tasks, workers: reversed(list(run_tasks(tasks, workers))))
    assert [page.page_hash for page in run(path, only, options=ONE_WORKER).pages] == forwards
    assert len(set(forwards)) == 5


def test_peak_memory(corpus: Path, lineup: Lineup) -> None:
    results = run(corpus, lineup, options=RunOptions(limit=2, workers=1))
    assert results.memory is not None
    for name in results.names:
        assert 5 < results.memory[name] < 2_000


@pytest.mark.parametrize("limit", [1, 4, 100])
def test_limit(corpus: Path, lineup: Lineup, limit: int) -> None:
    only = Lineup(lineup.contenders[:1], ())
    assert len(run(corpus, only, options=replace(ONE_WORKER, limit=limit)).pages) == min(limit, 6)


def test_progress_is_reported_for_every_page(corpus: Path, lineup: Lineup) -> None:
    counts: list[int] = []
    with open_store(None) as store:
        run_evaluation([corpus], lineup, store, ONE_WORKER, counts.append)
    assert counts == [1, 2, 3, 4, 5, 6]
