"""The promises of a run: scores depend on the page and the method, and on nothing else."""

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
from broadsheet.evaluation.pool import run_jobs
from broadsheet.evaluation.results import Results
from broadsheet.evaluation.runner import RunOptions, run_evaluation
from broadsheet.evaluation.store import open_store

TWO = RunOptions(workers=2, with_memory=False)
ONE = RunOptions(workers=1, with_memory=False)
BROKEN = Contender("no such peer", "1", frozenset(("text",)), is_peer=True)


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


@pytest.mark.parametrize("options", [ONE, TWO])
def test_a_contender_that_cannot_be_opened_is_left_out_with_one_line(
    options: RunOptions, corpus: Path, lineup: Lineup, capfd: pytest.CaptureFixture[str]
) -> None:
    results = run(corpus, Lineup((BROKEN, *lineup.contenders), ("another line",)), options=options)
    line = "no such peer could not be opened and was skipped: KeyError: 'no such peer'"
    assert results.missing == ("another line", line)
    assert results.names == ("twcem", "turbohtml")
    assert len(results.pages) == 6
    for page in results.pages:
        assert set(page.rows) == {"twcem", "turbohtml"}
        assert page.rows["twcem"].columns["word_f1"] > 0.3
    assert "Traceback" not in capfd.readouterr().err


def test_a_run_without_anybody_to_open_fails_in_one_line(corpus: Path) -> None:
    with pytest.raises(BroadsheetError, match="no such peer could not be opened and was skipped: KeyError"):
        run(corpus, Lineup((BROKEN,), ()), options=ONE)


def test_a_failure_of_a_process_counts_but_is_tried_again_next_time(corpus: Path, tmp_path: Path) -> None:
    """A peer in another environment that answers once, to be warm, and then dies on every page."""
    dead = make_peer(tmp_path, DIES_ON_PAGES)
    for _ in range(2):
        results = run(corpus, Lineup((dead,), ()), tmp_path / "cache", replace(ONE, limit=1))
        (page,) = results.pages
        assert "ended unexpectedly" in (page.rows["turbohtml"].error or "")
        assert page.rows["turbohtml"].columns["word_f1"] == 0
        assert results.answered == 1


def test_an_error_of_the_extractor_itself_is_an_answer_like_any_other(corpus: Path, tmp_path: Path) -> None:
    peer = make_peer(tmp_path, answer_always({"text": "", "error": "ValueError: too much"}))
    for answered in (1, 0):
        results = run(corpus, Lineup((peer,), ()), tmp_path / "cache", replace(ONE, limit=1))
        assert results.pages[0].rows["turbohtml"].error == "ValueError: too much"
        assert results.answered == answered


def test_pages_that_share_an_id_keep_their_order_whoever_is_done_first(
    tmp_path: Path, lineup: Lineup, monkeypatch: pytest.MonkeyPatch
) -> None:
    only = Lineup(lineup.contenders[:1], ())
    path = tmp_path / "same.jsonl"
    rows = ({"id": "same", "html": f"<p>The harbour of pier {at} opened.</p>", "text": "x"} for at in range(5))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    forwards = [page.page for page in run(path, only, options=ONE).pages]
    monkeypatch.setattr(runner, "run_jobs", lambda jobs, workers: reversed(list(run_jobs(jobs, workers))))
    assert [page.page for page in run(path, only, options=ONE).pages] == forwards
    assert len(set(forwards)) == 5


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
