from __future__ import annotations

import pytest

from broadsheet.article import Cell, Code, Heading, Listing, Paragraph, Part, Quote, Run, Table
from broadsheet.output.as_text import render_text


def paragraph(text: str) -> Paragraph:
    return Paragraph((Run(text),))


def cells(*texts: str) -> tuple[Cell, ...]:
    return tuple(Cell((Run(text),)) for text in texts)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ((), ""),
        ((paragraph(""), paragraph(" "), Heading(2, ())), ""),
        ((Heading(2, (Run("Head"),)), paragraph("One."), paragraph("Two.")), "Head\nOne.\nTwo."),
        ((Paragraph((Run("By "), Run(" Ann", is_bold=True), Run(".\nHere. "))),), "By Ann.\nHere."),
        ((Quote((paragraph("a"), Quote((paragraph("b"),)))),), "a\nb"),
        ((Code("x\n\n  y\n"),), "x\n\n  y"),
        ((Listing(True, ((paragraph("a"),), (paragraph(""),), (paragraph("b"),))),), "1. a\n2. b"),
        (
            (
                Listing(
                    False, ((paragraph("a"), Listing(True, ((paragraph("b"),), (paragraph("c"),)))), (paragraph("d"),))
                ),
            ),
            "- a\n  1. b\n  2. c\n- d",
        ),
        ((Listing(False, ((paragraph("a"), paragraph("b\nc")),)),), "- a\n  b\n  c"),
        ((Listing(False, ((Listing(False, ((paragraph("a"),),)),),)),), "  - a"),
        ((Table((cells("a", "b\nc"), cells("", ""), cells("d", ""), ())),), "a | b c\nd |"),
        ((paragraph("bell\x07 half\ud800"),), "bell half\ufffd"),
    ],
)
def test_render_text(body: tuple[Part, ...], text: str) -> None:
    assert render_text(body) == text
