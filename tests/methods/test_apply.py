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
NOTICE = "Subscribers read our stories first"
NOTICE_HTML = HTML.replace("Menu", NOTICE)


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


class WholePageMethod(Recorder):
    """Sees static blocks, too."""

    labels_static_blocks: ClassVar[bool] = True
    scores: tuple[float, ...] = ()

    def label(self, page: Page, blocks: Blocks) -> Labels:
        return replace(super().label(page, blocks), scores=list(self.scores))


@pytest.mark.parametrize(
    ("html", "static", "scores", "kept"),
    [
        (NOTICE_HTML, (NOTICE,), (0.7, 0.7, 0.7), ("One two three", "Imprint")),
        (NOTICE_HTML, (NOTICE,), (0.96, 0.7, 0.7), (NOTICE, "One two three", "Imprint")),  # certain
        (HTML, ("Menu",), (0.7, 0.7, 0.7), ("Menu", "One two three", "Imprint")),  # a label
        (HTML, ("Menu", "Imprint", "One ", "two", " three"), (0.7, 0.7, 0.7), ("Menu", "One two three", "Imprint")),
        (f"<h2>{NOTICE}</h2><p>One</p>", (NOTICE,), (0.7, 0.7), (NOTICE, "One")),  # a heading
    ],
)
def test_static_text_is_dropped_after_the_default_method(
    html: str, static: tuple[str, ...], scores: tuple[float, ...], kept: tuple[str, ...]
) -> None:
    page = read_page(html)
    rows = frozenset(row for row, text in enumerate(page.nodes.text) if text in static)
    page, method = replace(page, static_rows=rows), WholePageMethod()
    method.scores = scores
    blocks = segment(page)
    labels = label_blocks(method, page, blocks)
    assert method.texts == tuple(blocks.text)
    assert tuple(text for text, role in zip(blocks.text, labels.roles, strict=True) if role is Role.BODY) == kept
