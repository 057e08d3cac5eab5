"""Terms that are learned from own labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from broadsheet.methods.fusion.site_terms import NO_KEY, SiteTerms
from broadsheet.methods.fusion.train_terms import (
    KeyedPage,
    choose_term_penalty,
    find_wrong_keys,
    fit_terms,
    merge_terms,
)

NOTICE, PROSE, RARE = 7, 8, 9  # keys


def make_page(number: int) -> KeyedPage:
    """Make a page: two paragraphs, a notice that the network takes for article text, and a block with a rare key."""
    return KeyedPage(
        keys=np.array([[PROSE], [PROSE], [NOTICE], [RARE if number == 0 else NO_KEY]], np.uint64),
        logits=np.array([3.0, 2.0, 1.0, 1.0]),
        is_content=np.array([True, True, False, False]),
        weights=np.array([4.0, 4.0, 2.0, 0.1]),
    )


PAGES = [make_page(number) for number in range(10)]


def test_only_keys_with_errors_on_several_pages_get_a_term() -> None:
    assert find_wrong_keys(PAGES).keys.tolist() == [NOTICE]
    assert not len(find_wrong_keys(PAGES[:1]).keys)


def test_terms_correct_the_errors() -> None:
    penalty = choose_term_penalty(PAGES)
    assert np.isfinite(penalty)
    terms = fit_terms(PAGES, penalty, find_wrong_keys(PAGES))
    assert terms.terms[0] < -1


def test_a_higher_penalty_changes_less() -> None:
    start = find_wrong_keys(PAGES)
    fitted = [float(fit_terms(PAGES, penalty, start).terms[0]) for penalty in (np.inf, 100.0, 10.0, 0.1)]
    assert fitted[0] == 0
    assert sorted(fitted, reverse=True) == fitted


def test_the_fit_is_a_minimum() -> None:
    """The slope of the loss is 0: 10 notices of weight 2 against the penalty."""
    term = float(fit_terms(PAGES, 3.0, find_wrong_keys(PAGES)).terms[0])
    assert 20 / (1 + np.exp(-(1 + term))) + 3 * term == pytest.approx(0, abs=0.01)


def test_no_terms_if_the_labels_contradict_one_another() -> None:
    pages = [
        replace(page, is_content=np.array([True, True, number % 2 == 0, False])) for number, page in enumerate(PAGES)
    ]
    assert np.isinf(choose_term_penalty(pages))


def test_terms_of_two_runs_are_added() -> None:
    first = SiteTerms(np.array([1, 2], np.uint64), np.array([1.0, -1.0], np.float32))
    second = SiteTerms(np.array([2, 3], np.uint64), np.array([1.0, 0.5], np.float32))
    merged = merge_terms(first, second)
    assert merged.keys.tolist() == [1, 3]
    assert merged.terms.tolist() == [1.0, 0.5]
    assert merge_terms(None, second) is not second
