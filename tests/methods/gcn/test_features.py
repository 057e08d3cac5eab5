from __future__ import annotations

import numpy as np
import pytest
from tests.methods.gcn.matrix import assemble_features

from broadsheet.methods.gcn import GcnConfig
from broadsheet.methods.gcn.features import (
    EXTRA_NUMBERS,
    NUMBERS,
    TAG_COLUMNS,
    NodeFeatures,
    count_characters,
    read_features,
    split_names,
)
from broadsheet.models.words import load_words
from broadsheet.page import Page, read_page
from broadsheet.style import compute_styles, find_boxes

PROSE = "The council met on Tuesday, and after four hours of talk it kept the ferry that half of the town depends on."
PAGE = f"""<html><head><title>Ferry stays</title><style>.dark {{ background: #336699 }} .gone {{ display: none }}</style></head>
<body><div class="navBar-top" id="menu7"><a href="/a">Home</a> <a href="/b">Sport</a></div>
<div class="dark"><p>{PROSE}</p><p class="gone">Not to be seen.</p></div></body></html>"""
PUBLISHED = GcnConfig()
ALL_FEATURES = GcnConfig(reads_names=True, has_extra_numbers=True)


def read(page: Page, config: GcnConfig = PUBLISHED) -> NodeFeatures:
    styles = compute_styles(page)
    return read_features(page, styles, find_boxes(page, styles), config)


CHARACTERS = [
    ("", 0, 0),
    ("No marks", 0, 0),
    ("One, two; three.", 3, 0),
    ("3.5 m on 14.3.2021", 0, 9),
    ('"Stop!" he said. "Now."', 3, 0),
    ("港口重开。船来了！", 1, 0),  # a mark between letters does not count
    ("٣ boats.\n", 1, 1),
]


@pytest.mark.parametrize(("text", "marks", "digits"), CHARACTERS)
def test_sentence_marks_and_digits_are_counted(text: str, marks: int, digits: int) -> None:
    counts = count_characters(["before.", text, "", "after 1"])
    assert counts.marks.tolist() == [1, marks, 0, 0]
    assert counts.digits.tolist() == [0, digits, 0, 1]


def test_characters_of_no_texts() -> None:
    assert len(count_characters([]).marks) == 0


# Computed by hand: text length x 0.01, background colour, visibility.
GOLDEN = [
    ("html", None, 0.0, (1.0, 1.0, 1.0), 1),
    ("#text", "Home", 0.04, (1.0, 1.0, 1.0), 1),
    ("#text", PROSE, len(PROSE) * 0.01, (0.2, 0.4, 0.6), 1),
    ("#text", "Not to be seen.", 0.15, (0.2, 0.4, 0.6), 0),
]


@pytest.mark.parametrize(("tag", "text", "length", "color", "is_visible"), GOLDEN)
def test_numbers(tag: str, text: str | None, length: float, color: tuple[float, ...], is_visible: int) -> None:
    page = read_page(PAGE)
    row = list(page.nodes.text).index(text) if text else page.nodes.tag.index(tag)
    numbers = dict(zip(NUMBERS, read(page).numbers[row], strict=True))
    assert numbers["text_length"] == pytest.approx(length)
    assert (numbers["red"], numbers["green"], numbers["blue"]) == pytest.approx(color)
    assert numbers["is_visible"] == is_visible
    assert 0 <= numbers["height"] <= 1
    assert 0 <= numbers["width"] <= 1


def test_features_are_215_wide_as_published() -> None:
    page = read_page(PAGE)
    matrix = assemble_features(read(page), load_words(), {"p": np.ones(TAG_COLUMNS, np.float32)})
    assert matrix.shape == (len(page.nodes), 215)
    text = list(page.nodes.text).index(PROSE)
    paragraph = page.nodes.parent[text]
    assert (matrix[paragraph, :TAG_COLUMNS] == 1).all()
    assert not matrix[paragraph, TAG_COLUMNS : TAG_COLUMNS + 200].any()  # an element has no text vector
    assert matrix[text, TAG_COLUMNS : TAG_COLUMNS + 200].any()
    assert not matrix[text, :TAG_COLUMNS].any()  # a tag without a vector


def test_additional_features() -> None:
    page = read_page(PAGE)
    features = read(page, ALL_FEATURES)
    assert features.numbers.shape[1] == len(NUMBERS) + len(EXTRA_NUMBERS)
    menu = next(row for row in range(len(page.nodes)) if page.nodes.attr(row, "id") == "menu7")
    assert features.name_rows is not None
    assert features.name_index is not None
    index = features.name_index[features.name_rows.tolist().index(menu)]
    assert features.names[index] == ["nav", "bar", "top", "menu"]
    link = dict(zip(EXTRA_NUMBERS, features.numbers[list(page.nodes.text).index("Home"), len(NUMBERS) :], strict=True))
    assert link["in_link"] == 1
    prose = dict(zip(EXTRA_NUMBERS, features.numbers[list(page.nodes.text).index(PROSE), len(NUMBERS) :], strict=True))
    assert (prose["in_link"], prose["marks"], prose["digits"]) == pytest.approx((0, 0.2, 0))
    assert 0 < prose["top"] < 1


NAMES = [
    ("articleBody", ("article", "body")),
    ("post-12345 x", ("post",)),
    ("HTMLText td_block_wrap", ("html", "text", "td", "block", "wrap")),
    ("", ()),
    ("7 8 9", ()),
]


@pytest.mark.parametrize(("names", "words"), NAMES)
def test_names_are_split(names: str, words: tuple[str, ...]) -> None:
    assert tuple(split_names(names)) == words
