from __future__ import annotations

import random
import time

import pytest

from broadsheet.corpora import align_text

FIRST = "The harbour of Westport opened again on Monday after two years of repairs."
SECOND = "Ships from four countries were waiting outside, said the harbour master."
THIRD = "Repairs had cost the town more than it earns in a year from its fishing fleet."


@pytest.mark.parametrize(
    ("blocks", "text", "kept"),
    [
        pytest.param(["Home", "Sports", FIRST, SECOND, "Imprint"], f"{FIRST}\n{SECOND}", "00110", id="plain"),
        pytest.param(["Harbour", FIRST], FIRST, "01", id="a word of the article in the menu"),
        pytest.param(["The", FIRST], FIRST, "01", id="its very first word before it"),
        pytest.param([FIRST, "repairs"], FIRST, "10", id="its last word after it"),
        pytest.param([FIRST, "What now?", SECOND], f"{FIRST}\nWhat now?\n{SECOND}", "111", id="a short heading"),
        pytest.param([FIRST, "What now?", SECOND], f"{FIRST}\n{SECOND}", "101", id="a short heading not in the text"),
        pytest.param(["By", "Ann Lee", FIRST], f"By Ann Lee\n{FIRST}", "111", id="a line in two blocks"),
        pytest.param([FIRST, SECOND, FIRST], f"{FIRST}\n{SECOND}", "110", id="said twice on the page"),
        pytest.param([SECOND, FIRST, THIRD], f"{FIRST}\n{THIRD}\n{SECOND}", "111", id="in another order"),
        pytest.param([FIRST.replace("Monday", "Tuesday")], FIRST, "1", id="a word changed"),
        pytest.param([FIRST.upper()], FIRST, "1", id="capitals"),
        pytest.param([f"{FIRST} {SECOND} {THIRD}"], FIRST, "0", id="only a small part of the block"),
        pytest.param(["首页", "港口在星期一重新开放了。"], "港口在星期一重新开放了。", "01", id="Chinese"),
        pytest.param([FIRST], "", "0", id="no text"),
        pytest.param(["", "—"], FIRST, "00", id="no words"),
        pytest.param([], FIRST, "", id="no blocks"),
    ],
)
def test_align_text(blocks: list[str], text: str, kept: str) -> None:
    assert "".join("01"[flag] for flag in align_text(blocks, text)) == kept


def test_long_pages_stay_quick() -> None:
    words = [f"w{number}" for number in range(2_000)]
    chance = random.Random(1)
    blocks = [" ".join(chance.choices(words, k=40)) for _ in range(2_500)]
    text = "\n".join(blocks[500:1_500])
    start = time.process_time()
    kept = align_text(blocks, text)
    assert time.process_time() - start < 5
    assert kept == [500 <= at < 1_500 for at in range(2_500)]


def test_repetition_stays_quick() -> None:
    start = time.process_time()
    align_text(["spam and more spam again"] * 20_000, "\n".join(["spam and more spam again"] * 20_000))
    assert time.process_time() - start < 5
