from __future__ import annotations

import os

import pytest

from broadsheet.cores import count_cores


def test_cores_are_those_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 6}, raising=False)
    assert count_cores() == 3


@pytest.mark.parametrize(("said", "expected"), [(4, 4), (None, 1)])
def test_systems_that_do_not_tell(said: int | None, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: said)
    assert count_cores() == expected
