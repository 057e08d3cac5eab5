"""Workers that die or hang, and contenders that cannot be opened."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.evaluation.peer_programs import DIES_ON_PAGES, make_peer
from tests.workers.running import wait_for_end

from broadsheet.corpora import Record, read_corpus
from broadsheet.evaluation import pool
from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.peers import ALL_FIELDS
from broadsheet.evaluation.pool import EvalTask, TaskResult, run_tasks
from broadsheet.evaluation.store import hash_gold, hash_page
from broadsheet.workers import process

TWCEM = Contender("twcem", "1", ALL_FIELDS, method="twcem")
BROKEN = Contender("no such peer", "1", frozenset(("text",)), is_peer=True)
LARGE_COMMENT = "<!-- " + "x" * 2_000_000 + " -->"  # more than fits a pipe


def make_task(record: Record, *contenders: Contender) -> EvalTask:
    return EvalTask(record, "", hash_page(record), hash_gold(record), contenders)


@pytest.fixture
def records(corpus: Path) -> list[Record]:
    return list(read_corpus(corpus))


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Collect the process ids of the workers that are started."""
    pids: list[int] = []
    launch = process._launch

    def launch_and_remember(python: Path | None) -> subprocess.Popen[bytes]:
        worker = launch(python)
        pids.append(worker.pid)
        return worker

    monkeypatch.setattr(process, "_launch", launch_and_remember)
    return pids


def check_results(results: list[TaskResult]) -> None:
    for result in results:
        assert result.answers[TWCEM].error is None
        assert result.scores[TWCEM].columns["word_f1"] > 0.3


@pytest.mark.parametrize("padding", ["", LARGE_COMMENT], ids=["small", "large"])
def test_a_worker_that_dies_while_idle_is_replaced(padding: str, records: list[Record], launched: list[int]) -> None:
    def read() -> Iterator[EvalTask]:
        yield make_task(records[0], TWCEM)
        os.kill(launched[0], signal.SIGKILL)
        wait_for_end(launched[0])
        yield make_task(Record(id="b", html=f"{records[1].html!s}{padding}", text=records[1].text), TWCEM)

    results = list(run_tasks(read(), 1))
    assert len(results) == 2
    check_results(results)


def test_a_stopped_worker_is_replaced(
    records: list[Record], launched: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read() -> Iterator[EvalTask]:
        yield make_task(records[0], TWCEM)
        os.kill(launched[0], signal.SIGSTOP)
        monkeypatch.setattr(pool, "PAGE_SECONDS", 0.5)
        yield make_task(Record(id="b", html=f"{records[1].html!s}{LARGE_COMMENT}", text=records[1].text), TWCEM)

    results = run_tasks(read(), 1)
    check_results([next(results)])
    # Half a second may be too little for the new process to answer, but the caller must not wait any longer.
    (result,) = results
    assert result.task.record.id == "b"
    with pytest.raises(ProcessLookupError):
        os.kill(launched[0], 0)


def test_a_contender_that_cannot_be_opened_does_not_affect_others(
    records: list[Record], capfd: pytest.CaptureFixture[str]
) -> None:
    (result,) = run_tasks(iter([make_task(records[0], BROKEN, TWCEM)]), 1)
    check_results([result])
    assert result.unopened == {BROKEN: "KeyError: 'no such peer'"}
    assert BROKEN not in result.answers
    assert "Traceback" not in capfd.readouterr().err


HALF_A_RESPONSE = DIES_ON_PAGES.replace("sys.exit(3)", "responses.write(b'half'); responses.flush()")


@pytest.mark.parametrize("program", [DIES_ON_PAGES, HALF_A_RESPONSE], ids=["death", "half a response"])
def test_a_peer_process_that_dies_is_a_lost_answer(program: str, records: list[Record], tmp_path: Path) -> None:
    peer = make_peer(tmp_path, program)
    (result,) = run_tasks(iter([make_task(records[0], peer, TWCEM)]), 1)
    check_results([result])
    assert result.answers[peer].error == "the worker process ended unexpectedly"
    assert result.answers[peer].is_lost
    assert result.scores[peer].columns["word_f1"] == 0
