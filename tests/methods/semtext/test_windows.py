from __future__ import annotations

import pytest

from broadsheet.methods.semtext import SemtextConfig
from broadsheet.methods.semtext.windows import make_windows, split_evenly

SPLITS = [
    (0, []),
    (1, [1]),
    (85, [85]),
    (86, [43, 43]),
    (200, [66, 67, 67]),
]


@pytest.mark.parametrize(("count", "sizes"), SPLITS)
def test_as_evenly_as_possible(count: int, sizes: list[int]) -> None:
    parts = list(split_evenly(count, 85))
    assert [len(part) for part in parts] == sizes
    assert [at for part in parts for at in part] == list(range(count))


def test_windows_see_beyond_what_they_label() -> None:
    config = SemtextConfig(max_blocks=10, overlap=4)
    windows = [(own.first, own.beyond, own.own_first, own.own_beyond) for own in make_windows(25, config)]
    assert windows == [(0, 12, 0, 8), (4, 20, 8, 16), (12, 25, 16, 25)]


def test_windows_as_published() -> None:
    assert all(len(own) == own.own_beyond - own.own_first for own in make_windows(1000, SemtextConfig()))
