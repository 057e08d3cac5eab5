from __future__ import annotations

import pytest

from broadsheet.corpora.headline import drop_headline, find_headlines
from broadsheet.page import read_page

PAGE = read_page(
    "<title>Harbour opens again | Westport Courier - News</title>"
    "<body><h1>The <i>harbour</i>:\n open!</h1><h2>Not this</h2><p>The harbour opened on Monday.</p>"
)


def test_headlines_of_a_page() -> None:
    assert find_headlines(PAGE, "Gold: Title") == {
        "harbour opens again westport courier news",
        "harbour opens again",
        "westport courier",
        "news",
        "the harbour open",
        "gold title",
    }


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        (None, "The harbour – open\nText.", "Text."),
        (None, "HARBOUR OPENS AGAIN\nText.", "Text."),
        (None, "\n\n  Harbour opens again  \n\nText.\n", "Text."),
        ("Two years later", "“Two years later”\nText.", "Text."),
        (None, "Two years later\nText.", "Two years later\nText."),
        (None, "Not this\nText.", "Not this\nText."),
        (None, "Text.\nHarbour opens again", "Text.\nHarbour opens again"),
        (None, "Harbour opens again\nHarbour opens again\nText.", "Harbour opens again\nText."),
        (None, "Harbour opens again, they said\nText.", "Harbour opens again, they said\nText."),
        (None, "", ""),
        (None, "--\nText.", "--\nText."),
    ],
)
def test_only_a_first_line_that_is_a_headline_is_dropped(title: str | None, text: str, expected: str) -> None:
    assert drop_headline(text, find_headlines(PAGE, title)) == expected


@pytest.mark.parametrize("separator", [" - ", " – ", " | ", "|", ": ", " · ", " » ", " / "])
def test_title_is_split_at_separators(separator: str) -> None:
    headlines = find_headlines(read_page(f"<title>Harbour opens{separator}Courier</title>"))
    assert {"harbour opens", "courier"} <= headlines


def test_hyphen_inside_a_word_is_not_a_separator() -> None:
    assert find_headlines(read_page("<title>Re-opened harbour</title>")) == {"re opened harbour"}
