from __future__ import annotations

import os

import pytest

from broadsheet.workers import count_cores


def test_counts_the_cores_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 6}, raising=False)
    assert count_cores() == 3


@pytest.mark.parametrize(("cpu_count", "expected"), [(4, 4), (None, 1)])
def test_systems_without_affinity(cpu_count: int | None, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: cpu_count)
    assert count_cores() == expected
