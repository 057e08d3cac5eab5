from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from broadsheet.blocks import Labels, Role, Span, cut_text, find_spans, segment
from broadsheet.errors import BrokenMethod
from broadsheet.page import read_page


@pytest.mark.parametrize(
    ("is_kept", "spans", "text"),
    [
        ("111111", ((0, 8),), "ab cd ef"),
        ("110011", ((0, 2), (6, 8)), "ab ef"),
        ("011110", ((1, 7),), "b cd e"),
        ("000000", (), ""),
        ("100001", ((0, 1), (7, 8)), "a f"),
    ],
)
def test_spans_of_flagged_characters(is_kept: str, spans: tuple[Span, ...], text: str) -> None:
    assert find_spans("ab cd ef", [int(flag) for flag in is_kept]) == spans
    assert cut_text("ab cd ef", spans) == text


@pytest.mark.parametrize("spans", [{1: ((0, 1),)}, {0: ()}, {0: ((0, 9),)}, {0: ((2, 1),)}, {0: ((-1, 2),)}])
def test_spans_must_be_ranges_of_the_text(spans: Mapping[int, Sequence[Span]]) -> None:
    blocks = segment(read_page("<p>text</p>"))
    with pytest.raises(BrokenMethod, match="spans that are not ranges"):
        Labels([Role.BODY], [1.0], spans=spans).check(blocks, "mine")
