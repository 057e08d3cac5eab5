"""The loops that select blocks."""

from __future__ import annotations

from array import array

import pytest

from broadsheet.blocks import CONTENT_ROLES, Role, segment
from broadsheet.html.names import TAG_NAMES
from broadsheet.kernel.selection import (
    STRUCTURED_KIND,
    TABLE_KIND,
    count_chars,
    find_flagged,
    find_members,
    find_numbered_texts,
    find_tables_around,
    find_texts_like,
    list_ancestors,
)
from broadsheet.page import read_page


def test_members() -> None:
    roles = [Role.BODY, Role.BOILERPLATE, Role.COMMENT, Role.HEADING]
    assert find_members(roles, CONTENT_ROLES) == [0, 3]
    assert find_members(roles, (Role.COMMENT,)) == [2]
    assert find_members([], CONTENT_ROLES) == []


def test_flagged_contexts_have_no_other_flag_of_the_mask() -> None:
    assert find_flagged(array("i", [0b001, 0b011, 0b101, 0b000]), 0b011, 0b001) == [0, 2]


def test_chars_without_excluded_contexts() -> None:
    assert count_chars(["ab", "cde", "f"], array("i", [0b01, 0b10, 0b00]), 0b10) == 3
    assert count_chars([], array("i"), 1) == 0


def test_ancestors_end_below_body() -> None:
    tags = ["html", "body", "div", "p", "b"]
    parents = [-1, 0, 1, 2, 3]
    assert list_ancestors([4, 3, 1, -1], parents, tags, 12) == [[4, 3, 2], [3, 2], [], []]
    assert list_ancestors([4], parents, tags, 2) == [[4, 3]]


def test_texts_of_a_length_and_first_letter() -> None:
    texts = ["Abc", "xbc", "«bc", "a\u0301b", "Abcd"]
    assert find_texts_like(texts, {3: {"a"}}) == [0, 2, 3]
    assert find_texts_like(["e\u0301b"], {3: {"é"}}) == [0]


def test_texts_with_a_digit_or_beyond_ascii() -> None:
    texts = ["May", "1 May", "mañana", "a long text of 2021", "٣"]
    assert find_numbered_texts(texts, range(len(texts)), 10) == [1, 2, 4]
    assert find_numbered_texts(texts, [0, 3, 4], 100) == [3, 4]


@pytest.mark.parametrize(
    ("blocks", "tables"),
    [([], []), ([0], []), ([1, 2], ["table"]), ([0, 3], ["table", "table"]), ([4], None), ([0, 1, 4], None), ([5], [])],
)
def test_tables_around(blocks: list[int], tables: list[str] | None) -> None:
    page = read_page(
        "<p>0</p><table><tr><td>1</td><td>2<table><tr><td>3</table></table><ul><li>4</ul><foo-bar>5</foo-bar>"
    )
    kinds = bytes({"table": TABLE_KIND, "li": STRUCTURED_KIND}.get(tag, 0) for tag in TAG_NAMES)
    rows = segment(page).rows
    table_rows = find_tables_around(page.nodes.table, rows.rows, rows.ends, blocks, kinds)
    assert (None if table_rows is None else [page.nodes.tag[row] for row in table_rows]) == tables
