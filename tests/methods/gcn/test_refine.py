from __future__ import annotations

import pytest

from broadsheet.methods.gcn.method import keep_longest_group

# Candidates as (top, bottom, length), and the indices of those that are kept.
GROUPS = [
    ("all within the gap", [(0, 50, 9), (1000, 1100, 9)], [0, 1]),
    ("a gap of exactly 1000 pixels is allowed", [(0, 50, 9), (1050, 1100, 9)], [0, 1]),
    ("one pixel more splits: the longer text stays", [(0, 50, 8), (1051, 1100, 9)], [1]),
    ("sorted from top to bottom, returned in page order", [(5000, 5100, 5), (0, 50, 4), (5150, 5200, 1)], [0, 2]),
    ("two short ones are longer than one", [(0, 10, 5), (20, 30, 5), (9000, 9010, 9)], [0, 1]),
    ("equal lengths: the upper group", [(0, 10, 5), (9000, 9010, 5)], [0]),
    ("no candidates", [], []),
]  # fmt: skip


@pytest.mark.parametrize(("boxes", "expected"), [case[1:] for case in GROUPS], ids=[case[0] for case in GROUPS])
def test_the_longest_group_is_kept(boxes: list[tuple[float, float, int]], expected: list[int]) -> None:
    top, bottom = ([box[edge] for box in boxes] for edge in (0, 1))
    lengths = [box[2] for box in boxes]
    assert keep_longest_group(range(len(boxes)), top, bottom, lengths, gap=1000) == expected
