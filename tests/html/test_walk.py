"""The walk over turbohtml's tree, where it makes a new object for a node at every access, as in free-threaded Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import turbohtml
from tests.html.describe import KINDS, check_nothing, describe

from broadsheet.html import walk

PAGE = """<!doctype html><title>Harbour</title><div><p>One <b>two</b> three</p><p>four<br>five</p></div>
<template shadowrootmode=open><p>six</p></template><ul><li>seven<li>eight</ul><a href=/x>nine</a>"""


class FreshNode:
    """A node behind a new object. Objects of the same node are equal."""

    def __init__(self, node: Any) -> None:
        self.node = node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FreshNode) and self.node == other.node

    def __hash__(self) -> int:
        return hash(self.node)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.node, name)
        return wrap(value) if isinstance(value, turbohtml.Node) else value

    @property
    def descendants(self) -> Iterator[FreshNode]:
        return map(wrap, self.node.descendants)


class FreshElement(FreshNode):
    """An element."""


class FreshText(FreshNode):
    """A text."""


class FreshFragment(FreshNode):
    """The content of a template."""


KIND_OF_NODE = {
    turbohtml.Element: FreshElement,
    turbohtml.Text: FreshText,
    turbohtml.DocumentFragment: FreshFragment,
}


def wrap(node: Any) -> FreshNode:
    return KIND_OF_NODE.get(type(node), FreshNode)(node)


def test_objects_of_a_node_need_not_be_identical(monkeypatch: pytest.MonkeyPatch) -> None:
    document = turbohtml.parse(PAGE, positions=False, allow_declarative_shadow_roots=False)
    expected = describe(walk.walk_tree(document, KINDS, 1000, 100, check_nothing))
    for kind, fresh in KIND_OF_NODE.items():
        monkeypatch.setattr(walk, kind.__name__, fresh)
    assert wrap(document).parent is not document
    table = walk.walk_tree(wrap(document), KINDS, 1000, 100, check_nothing)  # type: ignore[arg-type]
    assert describe(table) == expected
    assert max(table.end) == len(table.tag)
