"""Workers that die, hang or cannot begin."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from multiprocessing import active_children
from pathlib import Path

import pytest

from broadsheet.corpora import Record, read_corpus
from broadsheet.evaluation import pool
from broadsheet.evaluation.contenders import Contender, find_contenders
from broadsheet.evaluation.pool import Done, Job, run_jobs
from broadsheet.evaluation.store import hash_gold, hash_page

(TWCEM,) = find_contenders(["twcem"], []).contenders
BROKEN = Contender("no such peer", "1", frozenset(("text",)), is_peer=True)
LARGE = "<!-- " + "x" * 2_000_000 + " -->"  # more than a pipe holds


def make_job(record: Record, *contenders: Contender) -> Job:
    return Job(record, "", hash_page(record), hash_gold(record), contenders)


def make_server(folder: Path, *lines: str) -> Contender:
    """A peer whose interpreter is a shell script."""
    python = folder / "python"
    python.write_text("\n".join(("#!/bin/sh", *lines)))
    python.chmod(0o755)
    return Contender("turbohtml", "1", frozenset(("text",)), is_peer=True, python=python)


@pytest.fixture
def records(corpus: Path) -> list[Record]:
    return list(read_corpus(corpus))


def find_worker() -> int:
    """Process id of the only worker."""
    (worker,) = active_children()
    assert worker.pid
    return worker.pid


def check_answers(done: list[Done]) -> None:
    for each in done:
        assert each.answers[TWCEM].error is None
        assert each.scores[TWCEM].columns["word_f1"] > 0.3


@pytest.mark.parametrize("padding", ["", LARGE], ids=["small", "large"])
def test_a_worker_that_dies_while_idle_is_replaced(padding: str, records: list[Record]) -> None:
    def read() -> Iterator[Job]:
        yield make_job(records[0], TWCEM)
        os.kill(find_worker(), signal.SIGKILL)
        time.sleep(0.2)
        yield make_job(Record(id="b", html=f"{records[1].html!s}{padding}", text=records[1].text), TWCEM)

    done = list(run_jobs(read(), 1))
    assert len(done) == 2
    check_answers(done)


def test_a_worker_that_no_longer_reads_is_replaced(records: list[Record], monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[int] = []

    def read() -> Iterator[Job]:
        yield make_job(records[0], TWCEM)
        stopped.append(find_worker())
        os.kill(stopped[0], signal.SIGSTOP)
        monkeypatch.setattr(pool, "PATIENCE", 0.5)
        yield make_job(Record(id="b", html=f"{records[1].html!s}{LARGE}", text=records[1].text), TWCEM)

    jobs = run_jobs(read(), 1)
    check_answers([next(jobs)])
    # The new process has half a second, which may be too little for its start: that nobody waits for ever is the point.
    (done,) = jobs
    assert done.job.record.id == "b"
    with pytest.raises(ProcessLookupError):
        os.kill(stopped[0], 0)


def test_who_cannot_be_opened_says_why_and_costs_nobody_else(
    records: list[Record], capfd: pytest.CaptureFixture[str]
) -> None:
    done = list(run_jobs(iter([make_job(records[0], BROKEN, TWCEM)]), 1))
    check_answers(done)
    assert done[0].unopened == {BROKEN: "KeyError: 'no such peer'"}
    assert BROKEN not in done[0].answers
    assert "Traceback" not in capfd.readouterr().err


def test_a_server_that_dies_is_a_lost_answer(records: list[Record], tmp_path: Path) -> None:
    peer = make_server(tmp_path, "read line", 'echo \'{"text": ""}\'', "read line", "exit 3")
    (done,) = run_jobs(iter([make_job(records[0], peer, TWCEM)]), 1)
    check_answers([done])
    assert "died" in (done.answers[peer].error or "")
    assert done.answers[peer].is_lost
    assert done.scores[peer].columns["word_f1"] == 0


def test_half_an_answer_is_a_lost_answer(records: list[Record], tmp_path: Path) -> None:
    peer = make_server(tmp_path, "read line", 'echo \'{"text": ""}\'', "read line", 'printf \'{"text": "The harb\'')
    (done,) = run_jobs(iter([make_job(records[0], peer, TWCEM)]), 1)
    check_answers([done])
    assert done.answers[peer].is_lost
    assert "the peer's process died" in (done.answers[peer].error or "")  # and not the worker
