"""Workers that die, hang or cannot begin."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.evaluation.peer_programs import DIES_ON_PAGES, make_peer

from broadsheet.corpora import Record, read_corpus
from broadsheet.evaluation import pool
from broadsheet.evaluation.contenders import Contender, find_contenders
from broadsheet.evaluation.pool import Done, Job, run_jobs
from broadsheet.evaluation.store import hash_gold, hash_page
from broadsheet.workers import process

(TWCEM,) = find_contenders(["twcem"], []).contenders
BROKEN = Contender("no such peer", "1", frozenset(("text",)), is_peer=True)
LARGE = "<!-- " + "x" * 2_000_000 + " -->"  # more than a pipe holds


def make_job(record: Record, *contenders: Contender) -> Job:
    return Job(record, "", hash_page(record), hash_gold(record), contenders)


@pytest.fixture
def records(corpus: Path) -> list[Record]:
    return list(read_corpus(corpus))


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Collect the process ids of the workers that are started."""
    pids: list[int] = []
    launch = process._launch

    def remember(python: Path | None) -> subprocess.Popen[bytes]:
        worker = launch(python)
        pids.append(worker.pid)
        return worker

    monkeypatch.setattr(process, "_launch", remember)
    return pids


def check_answers(done: list[Done]) -> None:
    for each in done:
        assert each.answers[TWCEM].error is None
        assert each.scores[TWCEM].columns["word_f1"] > 0.3


@pytest.mark.parametrize("padding", ["", LARGE], ids=["small", "large"])
def test_a_worker_that_dies_while_idle_is_replaced(padding: str, records: list[Record], launched: list[int]) -> None:
    def read() -> Iterator[Job]:
        yield make_job(records[0], TWCEM)
        os.kill(launched[0], signal.SIGKILL)
        time.sleep(0.2)
        yield make_job(Record(id="b", html=f"{records[1].html!s}{padding}", text=records[1].text), TWCEM)

    done = list(run_jobs(read(), 1))
    assert len(done) == 2
    check_answers(done)


def test_a_worker_that_no_longer_reads_is_replaced(
    records: list[Record], launched: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def read() -> Iterator[Job]:
        yield make_job(records[0], TWCEM)
        os.kill(launched[0], signal.SIGSTOP)
        monkeypatch.setattr(pool, "PAGE_SECONDS", 0.5)
        yield make_job(Record(id="b", html=f"{records[1].html!s}{LARGE}", text=records[1].text), TWCEM)

    jobs = run_jobs(read(), 1)
    check_answers([next(jobs)])
    # The new process has half a second, which may be too little for its start: that nobody waits for ever is the point.
    (done,) = jobs
    assert done.job.record.id == "b"
    with pytest.raises(ProcessLookupError):
        os.kill(launched[0], 0)


def test_who_cannot_be_opened_says_why_and_costs_nobody_else(
    records: list[Record], capfd: pytest.CaptureFixture[str]
) -> None:
    done = list(run_jobs(iter([make_job(records[0], BROKEN, TWCEM)]), 1))
    check_answers(done)
    assert done[0].unopened == {BROKEN: "KeyError: 'no such peer'"}
    assert BROKEN not in done[0].answers
    assert "Traceback" not in capfd.readouterr().err


HALF_A_RESPONSE = DIES_ON_PAGES.replace("sys.exit(3)", "responses.write(b'half'); responses.flush()")


@pytest.mark.parametrize("program", [DIES_ON_PAGES, HALF_A_RESPONSE], ids=["death", "half a response"])
def test_a_peer_process_that_dies_is_a_lost_answer(program: str, records: list[Record], tmp_path: Path) -> None:
    peer = make_peer(tmp_path, program)
    (done,) = run_jobs(iter([make_job(records[0], peer, TWCEM)]), 1)
    check_answers([done])
    assert done.answers[peer].error == "the peer's process ended unexpectedly"
    assert done.answers[peer].is_lost
    assert done.scores[peer].columns["word_f1"] == 0
