from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.batch.archives import NUMBERS, write_warc

from broadsheet.batch.engines import BatchJob, FileTask, open_state


@pytest.fixture
def warcs(tmp_path: Path) -> Path:
    """Three archives of eight pages each."""
    folder = tmp_path / "warc"
    for number in range(3):
        write_warc(folder / f"{number}.warc.gz", NUMBERS[number * 8 : number * 8 + 8])
    return folder


@pytest.fixture
def in_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Process inputs in this process, unless the test needs processes."""
    if "processes" in request.keywords:
        return

    def run(self: object, sources: Any, job: BatchJob) -> Any:
        state = open_state(job.options, job.output)
        for source in sources:
            steps = FileTask(source, job.is_learning).run(state, range(1), 0)
            yield next(step for step in steps if step is not None)

    monkeypatch.setattr("broadsheet.batch.engines.LocalEngine.run", run)
