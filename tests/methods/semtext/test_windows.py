from __future__ import annotations

import pytest

from broadsheet.methods.semtext import SemtextConfig
from broadsheet.methods.semtext.network import Window, make_windows, split_evenly

SPLITS = [
    (0, []),
    (1, [1]),
    (85, [85]),
    (86, [43, 43]),
    (200, [66, 67, 67]),
]


@pytest.mark.parametrize(("count", "sizes"), SPLITS)
def test_sequences_are_split_evenly(count: int, sizes: list[int]) -> None:
    parts = list(split_evenly(count, 85))
    assert [len(part) for part in parts] == sizes
    assert [unit for part in parts for unit in part] == list(range(count))


def test_windows_overlap() -> None:
    config = SemtextConfig(max_blocks=10, overlap=4)
    assert make_windows(25, config) == [Window(0, 12, 0, 8), Window(4, 20, 8, 16), Window(12, 25, 16, 25)]


def test_windows_as_published_do_not_overlap() -> None:
    windows = make_windows(1000, SemtextConfig())
    assert all(len(window) == window.label_end - window.label_first for window in windows)
