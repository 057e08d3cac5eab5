from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pytest

from broadsheet.blocks import Blocks, Labels, Role, segment
from broadsheet.methods.apply import label_blocks
from broadsheet.page import Page, read_page


class Recorder:
    """Labels all blocks as body, and records them."""

    name: ClassVar[str] = "recorder"
    texts: tuple[str, ...] = ()
    tag_paths: tuple[str, ...] = ()

    def label(self, page: Page, blocks: Blocks) -> Labels:
        self.texts = tuple(blocks.text)
        self.tag_paths = tuple(blocks.tag_paths.steps(path)[-1] for path in blocks.tag_path)
        return Labels([Role.BODY] * len(blocks), [0.7] * len(blocks), "A title")


HTML = "<div>Menu</div><p>One <b>two</b> three</p><footer>Imprint</footer>"


@pytest.mark.parametrize(
    ("static", "dynamic"),
    [
        ((), ("Menu", "One two three", "Imprint")),
        (("Menu", "Imprint"), ("One two three",)),
        (("One ", "two"), ("Menu", "One two three", "Imprint")),  # a block is static only if all its text is
        (("Menu", "One ", "two", " three"), ("Imprint",)),
        (
            ("Menu", "One ", "two", " three", "Imprint"),
            ("Menu", "One two three", "Imprint"),
        ),  # no block is left: all are labelled
    ],
)
def test_static_blocks_are_hidden_from_the_method(static: tuple[str, ...], dynamic: tuple[str, ...]) -> None:
    page = read_page(HTML)
    rows = frozenset(row for row, text in enumerate(page.nodes.text) if text in static)
    page, method = replace(page, static_rows=rows), Recorder()
    labels = label_blocks(method, page, blocks := segment(page))
    assert method.texts == dynamic
    assert [text for text, role in zip(blocks.text, labels.roles, strict=True) if role is Role.BODY] == list(dynamic)
    assert labels.title == "A title"
    assert len(method.tag_paths) == len(dynamic)
