from __future__ import annotations

import pytest

from broadsheet.article import Cell, Code, Heading, Listing, Paragraph, Part, Quote, Run, Table
from broadsheet.output import render_text


def say(text: str) -> Paragraph:
    return Paragraph((Run(text),))


def cells(*texts: str) -> tuple[Cell, ...]:
    return tuple(Cell((Run(text),)) for text in texts)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ((), ""),
        ((say(""), say(" "), Heading(2, ())), ""),
        ((Heading(2, (Run("Head"),)), say("One."), say("Two.")), "Head\nOne.\nTwo."),
        ((Paragraph((Run("By "), Run(" Ann", is_bold=True), Run(".\nHere. "))),), "By Ann.\nHere."),
        ((Quote((say("a"), Quote((say("b"),)))),), "a\nb"),
        ((Code("x\n\n  y\n"),), "x\n\n  y"),
        ((Listing(True, ((say("a"),), (say(""),), (say("b"),))),), "- a\n- b"),
        (
            (Listing(False, ((say("a"), Listing(True, ((say("b"),), (say("c"),)))), (say("d"),))),),
            "- a\n  - b\n  - c\n- d",
        ),
        ((Listing(False, ((say("a"), say("b\nc")),)),), "- a\n  b\n  c"),
        ((Listing(False, ((Listing(False, ((say("a"),),)),),)),), "  - a"),
        ((Table((cells("a", "b\nc"), cells("", ""), cells("d", ""), ())),), "a | b c\nd |"),
        ((say("bell\x07 half\ud800"),), "bell half\ufffd"),
    ],
)
def test_render_text(body: tuple[Part, ...], text: str) -> None:
    assert render_text(body) == text
