"""Body blocks that repeat the title."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from broadsheet.fields import Fields

TITLE = "Cats, they win"
OTHER_TITLE = "How the cats of the valley won"
TEXT = "<p>Some cats, they say, win.</p>"


@pytest.mark.parametrize(
    ("body", "title_blocks"),
    [
        (TEXT, set()),
        (f"<p>{TITLE}</p>{TEXT}", {0}),
        (f"<p>“Cats – they win!”</p>{TEXT}<p>{TITLE}.</p>", {0, 2}),
        (f"<p>{TITLE} again</p>{TEXT}", set()),
        (f"<div>{TITLE}</div>{TEXT}", set()),  # not a body block
        (f"<h1><p>Pets of today – <b>{TITLE}</b></p></h1>{TEXT}", {0}),
        (f"<h1><p>{TITLE}: all the facts from the meeting of the whole valley</p></h1>{TEXT}", set()),
        (f"<h2><p>Pets of today: {TITLE}</p></h2>{TEXT}", set()),  # a heading of the text
        (f"<h2><p>Pets</p></h2><h1><p>{OTHER_TITLE}</p></h1>{TEXT}", {0, 1}),
    ],
)
def test_title_blocks(read: Callable[..., Fields], body: str, title_blocks: set[int]) -> None:
    fields = read(
        f"<title>{TITLE}</title><meta property=og:title content='{TITLE}'>"
        f"<meta name=twitter:title content='{OTHER_TITLE}'>{body}"
    )
    assert fields.title is not None
    assert fields.title_blocks == title_blocks


def test_without_a_title(read: Callable[..., Fields]) -> None:
    assert read("<p>.</p>").title_blocks == set()
