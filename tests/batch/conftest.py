from __future__ import annotations

from typing import Any

import pytest

from broadsheet.batch.engines import BatchJob
from broadsheet.batch.worker import Work, open_handler


@pytest.fixture
def in_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Process inputs in this process, unless the test needs processes."""
    if "processes" in request.keywords:
        return

    def run(self: object, sources: Any, job: BatchJob) -> Any:
        handle = open_handler(job.options, job.output)
        for source in sources:
            work = Work.LEARN if job.is_learning else Work.EXTRACT
            yield next(step for step in handle((source, work)) if step is not None)

    monkeypatch.setattr("broadsheet.batch.engines.LocalEngine.run", run)
