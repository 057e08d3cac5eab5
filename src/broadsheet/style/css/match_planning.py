"""Estimate the time to match a selector on a page, and choose how to match it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from broadsheet.style.css.bounds import MAX_TREE_DEPTH
from broadsheet.style.css.names import NameIndex
from broadsheet.style.css.selector_cost import PageShape, SelectorCost
from broadsheet.style.css.selector_text import decode_escapes
from broadsheet.style.css.selectors import Selector

# A step takes about 0.5 microseconds: the test of one element against a selector of up to this many characters, or
# this many tests inside the selector engine, or the comparison with an attribute of up to this many characters.
_SELECTOR_CHARS_PER_STEP = 40
_TESTS_PER_STEP = 200
_VALUE_CHARS_PER_STEP = 512
_DEPTHS_PER_STEP = 4
_STEPS_PER_ESTIMATE = 100  # of a selector that is not linear, and the next per character of it
_STEPS_PER_ESTIMATED_CHAR = 2
_MAX_UNMEASURED_TESTS = 40_000  # of a selector, before the siblings and depths of the page are counted
# If at least one element in this many is a candidate, one query over the whole page is faster than a test of each.
_ELEMENTS_PER_CANDIDATE = 8
_SUBSTRING_ATTRIBUTE = re.compile(r"\[([^\]\"'=]*?)[*~]=")  # these operators compare the whole value


class MatchPlan(NamedTuple):
    """How to match a selector: by a query over the whole page or by a test of each candidate."""

    is_query: bool
    steps: int
    planning_steps: int  # that the plan itself took


class MatchPlanner:
    """Plans the matching of selectors on one page."""

    def __init__(self, index: NameIndex) -> None:
        self._index = index
        self._nodes = index.nodes
        self._value_chars = {"class": index.max_class_chars}  # attribute -> length of its longest value
        self._depth_sums: dict[int, int] = {}  # power -> sum over all elements
        self._planning_steps = 0

    def plan(self, selector: Selector, candidates: Sequence[int]) -> MatchPlan:
        """Choose how to find the matches among candidates, and estimate the steps."""
        self._planning_steps = 0
        count = len(candidates)
        query_steps = self._index.element_count // _ELEMENTS_PER_CANDIDATE
        is_query = count > query_steps
        steps = query_steps if is_query else count
        steps += count * (len(selector.text) // _SELECTOR_CHARS_PER_STEP + self._count_value_steps(selector.text))
        if selector.cost is None:
            return MatchPlan(is_query, steps, self._planning_steps)
        self._planning_steps += _STEPS_PER_ESTIMATE + _STEPS_PER_ESTIMATED_CHAR * len(selector.text)
        shape, depth_sum = self._max_shape, count * MAX_TREE_DEPTH**selector.cost.depth_power
        if selector.cost.count_tests(shape, depth_sum, is_query=False) > _MAX_UNMEASURED_TESTS:
            shape, depth_sum = self._shape, self._sum_depths(candidates, selector.cost)
        query_tests = selector.cost.count_tests(shape, depth_sum, is_query=True)
        tests = selector.cost.count_tests(shape, depth_sum, is_query=False)
        is_query = is_query or query_steps + query_tests / _TESTS_PER_STEP < count + tests / _TESTS_PER_STEP
        steps += int((query_tests if is_query else tests) / _TESTS_PER_STEP)
        return MatchPlan(is_query, steps, self._planning_steps)

    def _sum_depths(self, rows: Sequence[int], cost: SelectorCost) -> int:
        """Return the sum of the depths of rows to the power of a cost."""
        power = cost.depth_power
        if rows is self._index.elements and power in self._depth_sums:
            return self._depth_sums[power]
        self._planning_steps += len(rows) // _DEPTHS_PER_STEP
        depth_sum: int = sum([self._depths[row] ** power for row in rows])
        if rows is self._index.elements:
            self._depth_sums[power] = depth_sum
        return depth_sum

    def _count_value_steps(self, selector: str) -> int:
        """Return the steps to compare the longest class attribute, and the other attributes that a selector reads."""
        chars = self._value_chars["class"]
        if "=" in selector:
            for name in _SUBSTRING_ATTRIBUTE.findall(decode_escapes(selector)):
                chars += self._get_value_chars(name.rpartition("|")[2].strip().lower())
        if ":" in selector and ":lang(" in decode_escapes(selector).lower():
            chars += self._get_value_chars("lang")
        return chars // _VALUE_CHARS_PER_STEP

    def _get_value_chars(self, attribute: str) -> int:
        """Return the length of the longest value of an attribute."""
        if attribute not in self._value_chars:
            self._planning_steps += self._index.element_count // _ELEMENTS_PER_CANDIDATE
            values = self._nodes.attrs.get_all(self._nodes.find(f"[{attribute}]"), attribute)
            self._value_chars[attribute] = max((len(value) for value in values if value), default=0)
        return self._value_chars[attribute]

    @cached_property
    def _max_shape(self) -> PageShape:
        """Upper bounds of the shape, which need no counting."""
        elements = self._index.element_count
        return PageShape(elements, elements, sum(map(len, self._nodes.text)))

    @cached_property
    def _shape(self) -> PageShape:
        siblings = max(Counter(self._nodes.parent).values(), default=1)  # with text nodes: at most twice as many
        direction_chars = sum(map(len, self._nodes.text)) if self._nodes.find("[dir=auto i]") else 1
        return PageShape(self._index.element_count, siblings, direction_chars)

    @cached_property
    def _depths(self) -> Sequence[int]:
        return self._nodes.depths()
