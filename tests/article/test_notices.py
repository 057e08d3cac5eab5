"""Lines that tell by their words, or by what the page declares, whether they are part of the text."""

from __future__ import annotations

import pytest

from broadsheet.article.corrections import correct_roles
from broadsheet.blocks import CONTENT_ROLES, Labels, Role, role_of_content, segment
from broadsheet.fields import Fields
from broadsheet.page import read_page

SENTENCE = "The council decided on Tuesday that the bridge will be closed, and that ferries will run every hour."
DESCRIPTION = "Ferries will run instead of the bridge until the autumn"
HEAD = (
    f"<title>Bridge closed</title><meta name=author content='Jane Doe'><meta name=description content='{DESCRIPTION}'>"
)


def read_text(before: str, after: str = "", off: str = "") -> list[str]:
    """Return the text of a page with lines before, in the middle and after; those of the class "off" are not text."""
    paragraphs = [f"<p>{number}. {SENTENCE}" for number in range(6)]
    page = read_page(f"{HEAD}<h1>Bridge closed</h1>{before}{''.join(paragraphs)}{after}{off}")
    blocks = segment(page)
    off_rows = {row for top in page.nodes.select(".off, h1") for row in range(top, page.nodes.end[top])}
    roles = [
        Role.BOILERPLATE if blocks.first[block] in off_rows else role_of_content(blocks, block)
        for block in range(len(blocks))
    ]
    labels = Labels(roles, [float(role is not Role.BOILERPLATE) for role in roles])
    corrected = correct_roles(page, blocks, labels, Fields(page, blocks, labels))
    lines = [blocks.text[block] for block, role in enumerate(corrected.roles) if role in CONTENT_ROLES]
    return [line for line in lines if SENTENCE not in line]


@pytest.mark.parametrize(
    "line",
    [
        "Read also: <a href=/a>Ferry sinks</a>",
        "RELATED: <a href=/a>Ferry sinks</a>",
        "[Related: <a href=/a>Ferry sinks</a>]",
        "REQUIRED READING: <a href=/a>Ferry sinks</a>",
        "MORE: <a href=/a>Ferry sinks</a>",
        "Also: The best ferries",
        "See it now: Amazon",
        "Lesen Sie auch: Fähre gesunken",
        "LES OGSÅ: Ferge sank",
        "Читайте также: Паром затонул",
        "Sign up for our newsletter and get the best stories of the week.",
        "The Moon Post in your inbox. Local news every morning. Sign up for free",
        "If you purchase a product through a link on our site, we may receive compensation.",
        "To contact the reporter on this story: Jane Doe at jane@example.org",
        "(Reporting by Jane Doe; Editing by Ann Lee)",
        "This story originally appeared in The Moon Post.",
        "The old bridge on Monday. (Photo: Ann Lee/Moon Post)",
        "The old bridge on Monday. (c) Ann Lee",
        "The old bridge on Monday. Credit: Ann Lee",
        "The old bridge on Monday. | Ann Lee/Getty Images",
        "市长在桥上。（李敏摄）",
    ],
)
def test_lines_that_are_no_text(line: str) -> None:
    assert read_text(f"<p>0. {SENTENCE}<p>1. {SENTENCE}<p>{line}") == []


@pytest.mark.parametrize(
    "line",
    [
        "She also read: the report of the state.",
        "The newsletter of the town had 1,193 readers in May.",
        "Photo: that is the word she uses for every picture of the bridge, old or new.",
        "The mayor will, as he said, contribute to this report in May.",
        "Cost per credit: $472 | $1,200",
        "The bridge fell, the police said. (dpa/AFP)",
        "By the river, nobody spoke.",
    ],
)
def test_sentences_stay(line: str) -> None:
    assert read_text(f"<p>0. {SENTENCE}<p>1. {SENTENCE}<p>{line}") == [line]


def test_answers_of_a_page_about_one_question() -> None:
    answer = "<div itemprop=suggestedAnswer itemscope itemtype=https://schema.org/Answer><p>Fill the cracks."
    question = "<div itemscope itemtype=https://schema.org/QAPage>"
    assert read_text(question, f"<h2>1 answer</h2>{answer}") == []
    assert read_text("<div itemscope itemtype=https://schema.org/FAQPage>", answer) == ["Fill the cracks."]


@pytest.mark.parametrize("line", ["By Jane Doe", "von Jana Dorn und Hans Müller", "Text: Jana van Dorn"])
def test_bylines(line: str) -> None:
    assert read_text(f"<p>{line}") == []


def test_biographies_of_authors_only() -> None:
    assert read_text("", "<p>Jane Doe is a reporter at the Moon Post.") == []
    assert read_text("", "<p>Ann Lee is the mayor.") == ["Ann Lee is the mayor."]


def test_portraits_of_companies_at_the_end() -> None:
    assert read_text("", "<p>About Moon Bridges<p>Moon Bridges Inc. repairs bridges.<p>Contact: Jane") == []
    for lines in (
        ["About the Mets:", "The Mets have won nine of ten games."],
        ["About Time", "Nobody has asked the readers."],
        ["About Moon Bridges"],
    ):
        assert read_text("", "".join(f"<p>{line}" for line in lines)) == lines


@pytest.mark.parametrize("place", ["WASHINGTON —", "RENO, Nev. --", "Fuzhou (dpa)", "Rayong -"])
def test_datelines(place: str) -> None:
    assert read_text(f"<p class=off>{place}") == [place]


@pytest.mark.parametrize("line", ["A-", "NEW YORK January 12, 2012 (AP)", "Share this"])
def test_other_lines_before_the_text(line: str) -> None:
    assert read_text(f"<p class=off>{line}") == []


def test_the_declared_standfirst() -> None:
    assert read_text(f"<p class=off>{DESCRIPTION}.") == [f"{DESCRIPTION}."]
    assert read_text(f"<p class=off>{DESCRIPTION}</p><p>{DESCRIPTION}.") == [f"{DESCRIPTION}."]


@pytest.mark.parametrize(
    "note",
    [
        "<ol class=off><li id=n1>Report of 2021.</ol>",
        "<p class=off><a id=n1></a>Report of 2021.",
        "<div class=off><p id=n1>Report of 2021.</div>",
    ],
)
def test_footnotes_that_the_text_leads_to(note: str) -> None:
    assert read_text(f"<p>0. {SENTENCE}<sup><a href='#n1'>1</a></sup>", off=note) == ["Report of 2021."]
    assert read_text(f"<p>0. {SENTENCE}", off=note) == []
