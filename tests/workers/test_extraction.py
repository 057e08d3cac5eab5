"""Extraction in a worker process, with processes that behave on demand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from broadsheet.api import PageInput
from broadsheet.article import Article, Status
from broadsheet.options import ExtractOptions
from broadsheet.page import Limits
from broadsheet.workers import extraction, supervisor
from broadsheet.workers.extraction import ExtractionTask
from broadsheet.workers.process import Loss, WorkerLost
from broadsheet.workers.supervisor import Worker

PAGES = (PageInput(None, "<p>one"), PageInput(None, "<p>two"), PageInput(None, "<p>three"))


class FakeProcess:
    """Answers pages with empty articles; each request ends with the next of the given losses."""

    def __init__(self, *losses: tuple[int, Loss] | None) -> None:
        self.losses = list(losses)  # how many pages are answered before the loss; None: no loss
        self.requests: list[int] = []

    def ask(self, request: tuple[ExtractionTask, range, int], seconds: float) -> Iterator[Article]:
        _, steps, _ = request
        self.requests.append(len(steps))
        loss = self.losses.pop(0) if self.losses else None
        for _ in steps[: loss[0] if loss else None]:
            yield Article()
        if loss:
            raise WorkerLost(loss[1])

    def discard(self) -> None:
        self.requests.append(0)


def make_worker(process: Any) -> Worker[ExtractOptions, ExtractOptions]:
    worker = Worker(extraction.open_state, ExtractOptions())
    worker.process = process
    return worker


@pytest.mark.parametrize(
    ("losses", "requests", "failed"),
    [
        ([], [3], []),
        ([(1, Loss.DIED)], [3, 1, 1], []),
        ([(3, Loss.DIED)], [3], []),  # lost after its last response
        ([(0, Loss.DIED), (1, Loss.DIED)], [3, 1, 2], []),  # the same, when the page was tried again
        ([(1, Loss.DIED), (0, Loss.DIED)], [3, 1, 1], [1]),
        ([(1, Loss.DIED), (0, Loss.LATE)], [3, 1, 1], [1]),
        ([(1, Loss.LATE)], [3, 1], [1]),
        ([(2, Loss.OUT_OF_MEMORY), (0, Loss.OUT_OF_MEMORY)], [3, 1], [2]),
    ],
)
def test_pages_around_a_loss(losses: list[tuple[int, Loss]], requests: list[int], failed: list[int]) -> None:
    process = FakeProcess(*losses)
    articles = make_worker(process).run(ExtractionTask(PAGES))
    assert [number for number, article in enumerate(articles) if article.status != Status.OK] == failed
    assert len(articles) == 3
    assert process.requests == requests


def test_a_process_is_replaced_between_chunks_after_some_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "PAGES_PER_PROCESS", 5)
    process = FakeProcess()
    worker = make_worker(process)
    for _ in range(5):
        assert len(worker.run(ExtractionTask(PAGES))) == 3
    assert process.requests == [3, 3, 0, 3, 3, 0, 3]


@pytest.mark.parametrize(
    ("options", "extra_memory"),
    [
        (ExtractOptions(), 2_000_000_000),
        (ExtractOptions(limits=Limits(max_memory=None)), None),
        (ExtractOptions(render=True), None),  # a browser would inherit the limit
    ],
)
def test_memory_limit(options: ExtractOptions, extra_memory: int | None) -> None:
    assert extraction.find_extra_memory(options) == extra_memory
