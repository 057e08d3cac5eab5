"""CSS up to the bounds is used, and CSS beyond them is ignored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from broadsheet.errors import LimitReached
from broadsheet.page import read_page
from broadsheet.page.limits import Deadline, Limits
from broadsheet.style import compute_styles, find_boxes
from broadsheet.style.css import bounds

RED, BLUE, BLACK = 0xFF0000, 0x0000FF, 0


def read_color(html: str, selector: str = "#x") -> int:
    page = read_page(f"<!doctype html>{html}", limits=Limits(max_seconds=300))  # plain Python on a busy machine is slow
    (row,) = page.nodes.select(selector)
    return compute_styles(page).color(row)


# Pages with red text if N is within the bound.
PAGES: dict[str, Callable[[int], str]] = {
    "MAX_BLOCK_DEPTH": lambda n: f"<style>{'@media all{' * (n - 1)}p{{color:red}}</style><p id=x>a",
    "MAX_SELECTOR_CHARS": lambda n: f"<style>p{'[id]' * ((n - 1) // 4)}{{color:red}}</style><p id=x>a",
    "MAX_SELECTORS_PER_RULE": lambda n: f"<style>{'b,' * (n - 1)}p{{color:red}}</style><b></b><p id=x>a",
    "MAX_SELECTOR_DEPTH": lambda n: f"<style>{':is(' * n}p a{')' * n}{{color:red}}</style><p><a id=x>a",
    "MAX_CLASSES": lambda n: f"<style>.z{{color:red}}</style><p id=x class='{'a ' * (n - 1)} z'>a",
    "MAX_SHEETS": lambda n: f"{'<style></style>' * (n - 1)}<style>p{{color:red}}</style><p id=x>a",
    "MAX_CONDITION_CHARS": lambda n: f"<style>@media print,{' ' * (n - 12)}screen{{p{{color:red}}}}</style><p id=x>a",
    "MAX_VALUE_CHARS": lambda n: f"<style>p{{color:{'red'.rjust(n)}}}</style><p id=x>a",
    "MAX_STYLE_ATTRIBUTES": lambda n: "".join(f"<p style='margin:{i}'>a" for i in range(n - 1)) + "<p id=x style=color:red>a",
    "MAX_PRESENTATIONAL_HINTS": lambda n: "<font></font>" * (n - 1) + "<font id=x color=red>a",
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_bound(name: str) -> None:
    bound, make_page = getattr(bounds, name), PAGES[name]
    assert read_color(make_page(bound)) == RED
    assert read_color(make_page(bound + bound // 4)) == BLACK


def test_rules_after_the_last_step_are_ignored() -> None:
    expensive = "div div p" + "{margin:0;color:blue}"
    body = "<div>" * 100 + "<p id=x>a" * 2_000
    rules = bounds.MAX_MATCH_STEPS // 2_000
    page = read_page(f"<!doctype html><style>{expensive * rules}p{{color:red}}</style>{body}")
    assert compute_styles(page).color(page.nodes.select("p")[0]) == BLUE
    page = read_page(f"<!doctype html><style>p{{color:red}}{expensive * rules}</style>{body}")
    assert compute_styles(page).color(page.nodes.select("p")[0]) == BLUE


def test_deadline_is_checked() -> None:
    page = replace(read_page("<style>p{color:red}</style><p>a"), deadline=Deadline.after(-1))
    with pytest.raises(LimitReached):
        compute_styles(page).color(0)
    with pytest.raises(LimitReached):
        find_boxes(page, compute_styles(page))
