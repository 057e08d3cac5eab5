"""Keys of blocks, and terms that are added to their score."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from broadsheet.blocks import segment
from broadsheet.errors import UsageError
from broadsheet.methods.fusion.features import FEATURE_NAMES
from broadsheet.methods.fusion.network import BODY, BlockInput, read_input, read_network
from broadsheet.methods.fusion.site_terms import KEY_KINDS, KEYS, NO_KEY, TERMS, SiteTerms, list_keys
from broadsheet.models import load_weights
from broadsheet.page import read_page

STORY = "<div class='story {extra}'><p class='lead'>{text}</p><p class='note'>Read also: {text}</p><p>...</p></div>"


def read(text: str, extra: str = "") -> BlockInput:
    page = read_page(f"<html><body>{STORY.format(text=text, extra=extra)}</body></html>")
    return read_input(page, segment(page))


def test_the_same_place_has_the_same_key() -> None:
    first, second = list_keys(read("Ferry returns")), list_keys(read("Bridge closes", "x42"))
    assert first.shape == (3, KEY_KINDS)
    is_same = first == second
    # The places agree (digits in names do not count); so do "Read also"; texts differ.
    assert is_same[:, 0].all()
    assert is_same[1, 3]
    assert not is_same[0, 3]
    assert not is_same[:2, 4].any()
    assert len({*first[:, 0].tolist()}) == 3  # places of one page differ


def test_a_block_without_words_has_no_text_key() -> None:
    assert list_keys(read("Ferry returns"))[2, 3:].tolist() == [NO_KEY, NO_KEY]


def test_order_of_class_names_does_not_matter() -> None:
    pages = [read_page(f"<div class='{names}'>Some text</div>") for names in ("big red", "red big")]
    first, second = (list_keys(read_input(page, segment(page))) for page in pages)
    assert (first == second).all()


def test_terms_change_only_known_blocks_and_only_article_text() -> None:
    weights, page = load_weights("fusion"), read("Ferry returns after eleven years, the council said")
    keys = list_keys(page)
    place = np.array([keys[1, 0]], np.uint64)
    arrays = {**weights.arrays, KEYS: place, TERMS: np.array([5.0], np.float32)}
    before, after = (
        read_network(replace(weights, arrays=values), len(FEATURE_NAMES)).run(page)
        for values in (weights.arrays, arrays)
    )
    changed = before != after
    assert changed[1, BODY]
    assert np.argwhere(changed).tolist() == [[1, BODY]]
    logits = np.log(after[1, BODY] / (1 - after[1, BODY])) - np.log(before[1, BODY] / (1 - before[1, BODY]))
    assert logits > 3  # 5 in each member


def test_no_terms() -> None:
    keys = list_keys(read("Ferry returns"))
    empty = SiteTerms(np.zeros(0, np.uint64), np.zeros(0, np.float32))
    assert not empty.look_up(keys).any()


def test_terms_must_fit_their_keys() -> None:
    weights = load_weights("fusion")
    arrays = {**weights.arrays, KEYS: np.zeros(2, np.uint64), TERMS: np.zeros(3, np.float32)}
    with pytest.raises(UsageError, match=TERMS):
        read_network(replace(weights, arrays=arrays), len(FEATURE_NAMES))
