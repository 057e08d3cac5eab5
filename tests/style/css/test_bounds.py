"""CSS up to the bounds is used, and CSS beyond them is ignored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from broadsheet.errors import LimitReached
from broadsheet.page import read_page
from broadsheet.page.limits import Deadline
from broadsheet.style import compute_styles, find_boxes
from broadsheet.style.css import bounds
from broadsheet.style.css.selector_cost import PageShape, estimate_cost

RED, BLACK = 0xFF0000, 0


def read_color(html: str, selector: str = "#x") -> int:
    page = read_page(f"<!doctype html>{html}")
    (row,) = page.nodes.select(selector)
    return compute_styles(page).color(row)


# Pages with red text if N is within the bound.
PAGES: dict[str, Callable[[int], str]] = {
    "MAX_LAYER_DEPTH": lambda n: f"<style>@layer {'.'.join('a' * n)}{{p{{color:red}}}}</style><p id=x>a",
    "MAX_BLOCK_DEPTH": lambda n: f"<style>{'@media all{' * (n - 1)}p{{color:red}}</style><p id=x>a",
    "MAX_SELECTOR_CHARS": lambda n: f"<style>p{'[id]' * ((n - 1) // 4)}{{color:red}}</style><p id=x>a",
    "MAX_SELECTORS_PER_RULE": lambda n: f"<style>{'b,' * (n - 1)}p{{color:red}}</style><b></b><p id=x>a",
    "MAX_SELECTOR_DEPTH": lambda n: f"<style>{':is(' * n}p a{')' * n}{{color:red}}</style><p><a id=x>a",
    "MAX_CLASSES": lambda n: f"<style>.z{{color:red}}</style><p id=x class='{'a ' * (n - 1)} z'>a",
    "MAX_SHEETS": lambda n: f"{'<style></style>' * (n - 1)}<style>p{{color:red}}</style><p id=x>a",
    "MAX_AT_RULE_BLOCKS": lambda n: f"<style>{'@a{}' * (n - 1)}@media all{{p{{color:red}}}}</style><p id=x>a",
    "MAX_CONDITION_CHARS": lambda n: f"<style>@media print,{' ' * (n - 12)}screen{{p{{color:red}}}}</style><p id=x>a",
    "MAX_CONDITION_TOKENS": lambda n: f"<style>@media {'(' * (n // 2)}color{')' * (n // 2 - 1)}{{p{{color:red}}}}</style><p id=x>a",
    "MAX_VALUE_CHARS": lambda n: f"<style>p{{color:{'red'.rjust(n)}}}</style><p id=x>a",
    "MAX_COLOR_CHARS": lambda n: f"<style>p{{color:rgb({'255'.rjust(n - 9)},0,0)}}</style><p id=x>a",
    "MAX_STYLE_ATTRIBUTES": lambda n: "".join(f"<p style='margin:{i}'>a" for i in range(n - 1)) + "<p id=x style=color:red>a",
    "MAX_PRESENTATIONAL_HINTS": lambda n: "<font></font>" * (n - 1) + "<font id=x color=red>a",
    "MAX_SUBSTITUTED_CHARS": lambda n: f"<style>p{{--a:{'255'.rjust(n)};color:rgb(var(--a),0,0)}}</style><p id=x>a",
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_bound(name: str) -> None:
    bound, make_page = getattr(bounds, name), PAGES[name]
    assert read_color(make_page(bound)) == RED
    assert read_color(make_page(bound + bound // 4)) == BLACK


def test_expensive_selector_is_ignored_and_others_are_used() -> None:
    expensive = ":is(:is(b > div div) div div > div) div{color:red}"
    body = "<b>x</b>" + "<div>" * 400 + "<p id=x>a"
    assert read_color(f"<style>{expensive}p{{color:red}}</style>{body}") == RED


@pytest.mark.parametrize("selector", [":has", ":HAS", ":h\\61s"])
def test_has_is_matched_in_any_spelling(selector: str) -> None:
    assert read_color(f"<style>div{selector}(> p){{color:red}}</style><div id=x><p>a") == RED


SHAPE = PageShape(elements=1000, siblings=100, direction_chars=1)
COSTS = [
    # selector, tests for an element at depth 10; None: linear
    ("p", None),
    (".a > .b .c", None),
    ("p:not(.a)", None),
    (":is(.a,.b) .c", None),
    ("p:nth-child(2n+1)", 2 * 100),
    (".a ~ .b", 2 * 100),
    (":is(a b)", 3 * 10),
    (":is(a b) c", 4 * 10**2),
    (":is(:is(a b) c) d", 6 * 10**3),
    (":not(a ~ b)", 3 * 100),
    (":lang(en) p", 3 * 10**2),
    (":has(a)", 2 * 1000),
    ("a:has(b) c", 3 * 1000 * 10),
    (":has(~ a ~ b)", 3 * 1000 * 100),
    (":\\68 as(a)", 2 * 1000),
]


@pytest.mark.parametrize(("selector", "tests"), COSTS)
def test_cost_of_selectors(selector: str, tests: int | None) -> None:
    cost = estimate_cost(selector)
    if cost is None:
        assert tests is None
    else:
        assert cost.count_tests(SHAPE, 10**cost.depth_power, is_query=False) == tests


@pytest.mark.parametrize("value", ["color-mix(in srgb, red 1.2.3%, blue)", "color-mix(in srgb, red .%, blue)"])
def test_invalid_percentage_in_color_mix(value: str) -> None:
    assert read_color(f"<style>p{{color:red;color:{value}}}</style><p id=x>a") == RED


def test_deadline_is_checked() -> None:
    page = replace(read_page("<style>p{color:red}</style><p>a"), deadline=Deadline.after(-1))
    with pytest.raises(LimitReached):
        compute_styles(page).color(0)
    with pytest.raises(LimitReached):
        find_boxes(page, compute_styles(page))
