from __future__ import annotations

import pytest

from broadsheet.methods.visual.features import KINDS, find_kinds, spread_bits

NAMES = [
    ("article-body", {"text"}),
    ("commentList", {"comment", "more"}),
    ("td-post-sharing", {"text", "share"}),
    ("entry_date", {"text", "date"}),
    ("last-updated", {"date", "change"}),
    ("ad", {"more"}),
    ("download", set()),
    ("u4f29", set()),
]


@pytest.mark.parametrize(("name", "kinds"), NAMES)
def test_kinds_of_names(name: str, kinds: set[str]) -> None:
    columns = spread_bits([find_kinds(name)])
    assert tuple(columns) == KINDS
    assert {kind for kind, column in columns.items() if column == [1]} == kinds
