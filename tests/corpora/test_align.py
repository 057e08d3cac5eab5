from __future__ import annotations

import random
import time

import pytest

from broadsheet.corpora import align_text
from broadsheet.corpora.align import drop_headline, find_headlines
from broadsheet.page import read_page

FIRST = "The harbour of Westport opened again on Monday after two years of repairs."
SECOND = "Ships from four countries were waiting outside, said the harbour master."
THIRD = "Repairs had cost the town more than it earns in a year from its fishing fleet."


@pytest.mark.parametrize(
    ("blocks", "text", "in_text"),
    [
        pytest.param(["Home", "Sports", FIRST, SECOND, "Imprint"], f"{FIRST}\n{SECOND}", "00110", id="plain"),
        pytest.param(["Harbour", FIRST], FIRST, "01", id="menu item that is a word of the article"),
        pytest.param(["The", FIRST], FIRST, "01", id="first word repeated before the article"),
        pytest.param([FIRST, "repairs"], FIRST, "10", id="last word repeated after the article"),
        pytest.param([FIRST, "What now?", SECOND], f"{FIRST}\nWhat now?\n{SECOND}", "111", id="short heading"),
        pytest.param(
            [FIRST, "What now?", SECOND], f"{FIRST}\n{SECOND}", "101", id="short heading that is not in the text"
        ),
        pytest.param(["By", "Ann Lee", FIRST], f"By Ann Lee\n{FIRST}", "111", id="line split over two blocks"),
        pytest.param([FIRST, SECOND, FIRST], f"{FIRST}\n{SECOND}", "110", id="block repeated on the page"),
        pytest.param([SECOND, FIRST, THIRD], f"{FIRST}\n{THIRD}\n{SECOND}", "111", id="other order"),
        pytest.param([FIRST.replace("Monday", "Tuesday")], FIRST, "1", id="one word differs"),
        pytest.param([FIRST.upper()], FIRST, "1", id="capitals"),
        pytest.param([f"{FIRST} {SECOND} {THIRD}"], FIRST, "0", id="small part of a block"),
        pytest.param(["首页", "港口在星期一重新开放了。"], "港口在星期一重新开放了。", "01", id="Chinese"),
        pytest.param([FIRST], "", "0", id="no text"),
        pytest.param(["", "—"], FIRST, "00", id="no words"),
        pytest.param([], FIRST, "", id="no blocks"),
    ],
)
def test_align_text(blocks: list[str], text: str, in_text: str) -> None:
    assert "".join("01"[flag] for flag in align_text(blocks, text)) == in_text


def test_long_page_is_aligned_in_linear_time() -> None:
    words = [f"w{number}" for number in range(2_000)]
    generator = random.Random(1)
    blocks = [" ".join(generator.choices(words, k=40)) for _ in range(2_500)]
    text = "\n".join(blocks[500:1_500])
    start = time.process_time()
    in_text = align_text(blocks, text)
    assert time.process_time() - start < 5
    assert in_text == [500 <= block < 1_500 for block in range(2_500)]


def test_repeated_blocks_are_aligned_in_linear_time() -> None:
    start = time.process_time()
    align_text(["spam and more spam again"] * 20_000, "\n".join(["spam and more spam again"] * 20_000))
    assert time.process_time() - start < 5


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
