"""The loops that select blocks."""

from __future__ import annotations

from array import array

from broadsheet.blocks import CONTENT_ROLES, Role
from broadsheet.kernel.selection import (
    count_chars,
    find_flagged,
    find_members,
    find_texts_like,
    list_ancestors,
)


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
