"""Retrainings that do not start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from broadsheet.errors import UsageError
from broadsheet.project import runs
from broadsheet.project.project import Project
from broadsheet.project.runs import RunStatus, Trainer


@pytest.fixture
def trainer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trainer]:
    monkeypatch.setattr(runs, "MIN_PAGES", 0)
    with Project(tmp_path / "valley", creates=True) as project:
        yield Trainer(project)


def test_a_run_that_cannot_start_has_failed(trainer: Trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("no space left on the disk")

    monkeypatch.setattr(runs, "export_labels", fail)
    for number in (1, 2):  # the first one does not block the second one
        with pytest.raises(OSError, match="no space"):
            trainer.start()
        run = trainer.get_run(number)
        assert (run.status, run.error) == (RunStatus.FAILED, "no space left on the disk")


def test_a_run_without_a_process_is_interrupted_after_some_time(
    trainer: Trainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = trainer._insert(12, "shipped")  # the program ended before it could start the process
    with pytest.raises(UsageError, match="in progress"):
        trainer.start()
    monkeypatch.setattr(runs, "_MAX_START_SECONDS", 0.0)
    assert trainer.get_run(run).status is RunStatus.INTERRUPTED


@pytest.mark.parametrize("start", ["²", "9" * 30, "7", "-1", "best"])
def test_an_unknown_start_is_one_clear_line(trainer: Trainer, start: str) -> None:
    with pytest.raises(UsageError, match=r"cannot start from|there is no run"):
        trainer.start(start)
