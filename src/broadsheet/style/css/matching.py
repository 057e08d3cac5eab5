"""Match the rules of a page to its elements.

An index of names rejects most selectors; the parser's selector engine decides the rest.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from functools import cached_property
from itertools import chain
from typing import Generic, NamedTuple, TypeVar

from broadsheet.page import TEXT, Nodes, Page
from broadsheet.style.css.bounds import (
    MAX_CLASSES,
    MAX_CSS_CHARS,
    MAX_MATCH_STEPS,
    MAX_NAMES,
    MAX_STYLE_ATTRIBUTES,
    MAX_TREE_DEPTH,
)
from broadsheet.style.css.masking import mask_tokens
from broadsheet.style.css.rules import LayerOrder, Rule
from broadsheet.style.css.selector_cost import PageShape
from broadsheet.style.css.selector_text import decode_escapes, remove_attributes
from broadsheet.style.css.selectors import FIRST_NAME, Selector, list_required_names, parse_selector, split_selectors

T = TypeVar("T", bound=Sized)

# A step takes about 0.5 microseconds: the test of one element against a selector of up to this many characters, or
# this many tests inside the selector engine, or the comparison with an attribute of up to this many characters.
_SELECTOR_CHARS_PER_STEP = 40
_TESTS_PER_STEP = 200
_VALUE_CHARS_PER_STEP = 512
_STEPS_PER_SELECTOR = 2  # to see whether its names are on the page
_STEPS_PER_MATCH = 40  # to parse the selector and the body of the rule
_STEPS_PER_ESTIMATE = 150  # to parse a selector that is not linear
_MAX_UNMEASURED_TESTS = 40_000  # of a selector, before the siblings and depths of the page are counted
# If at least one element in so many is a candidate, one query over the whole page is faster than a test of each.
_ELEMENTS_PER_CANDIDATE = 8
_MAX_UNFILTERED_CANDIDATES = 8  # testing these is faster than filtering them by ancestors
_RULES_PER_DEADLINE_CHECK = 64

_MATCHES_ANY = re.compile(r":(?:is|where)\(([^()]*)\)")
_SUBSTRING_ATTRIBUTE = re.compile(r"\[([^\]\"'=]*?)[*~]=")  # these operators compare the whole value


class MatchedRule(NamedTuple, Generic[T]):
    """A selector of a rule with the rows that it matches, and the content of the rule's body."""

    rows: Sequence[int]
    content: T
    layer: LayerOrder
    specificity: int
    order: int  # of appearance


class NameIndex:
    """Rows of a page's elements by ".class", "#id" and "type"."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.steps_left = MAX_MATCH_STEPS
        self.is_quirky = nodes.attrs.is_quirky()
        rows_by_tag: defaultdict[str, list[int]] = defaultdict(list)
        for row, tag in enumerate(nodes.tag):
            rows_by_tag[tag].append(row)
        self._element_count = len(nodes) - len(rows_by_tag.pop(TEXT, ()))
        # Lists of rows by name, merged on first use: most names of a page are in no rule.
        self._row_lists: dict[str, list[list[int]]] = {tag: [rows] for tag, rows in rows_by_tag.items()}
        self._value_chars: dict[str, int] = {}  # attribute -> length of its longest value
        self._depth_sums: dict[int, int] = {}  # power -> sum over all elements
        self._add_attribute("class", ".")
        self._add_attribute("id", "#")

    def _add_attribute(self, attribute: str, prefix: str) -> None:
        rows_with_attribute = self.nodes.select(f"[{attribute}]")
        values = self.nodes.attrs.get_all(rows_with_attribute, attribute)
        rows_by_value: defaultdict[str | None, list[int]] = defaultdict(list)  # many elements have the same classes
        for row, value in zip(rows_with_attribute, values, strict=True):
            rows_by_value[value].append(row)
        self._value_chars[attribute] = max((len(value) for value in rows_by_value if value), default=0)
        row_lists = self._row_lists
        for value, rows in rows_by_value.items():
            if len(row_lists) > MAX_NAMES:
                break
            text = (value or "").lower() if self.is_quirky else value or ""
            names = dict.fromkeys(text.split(None, MAX_CLASSES)[:MAX_CLASSES]) if prefix == "." else (text,)
            for name in names:
                key = prefix + name
                if key in row_lists:
                    row_lists[key].append(rows)
                else:
                    row_lists[key] = [rows]

    def rows(self, name: str) -> Sequence[int]:
        """Return the rows of the elements with a name, in document order."""
        row_lists = self._row_lists.get(name)
        if row_lists is None:
            return ()
        if len(row_lists) > 1:
            row_lists[:] = [sorted(chain.from_iterable(row_lists))]
        return row_lists[0]

    @cached_property
    def elements(self) -> Sequence[int]:
        """Rows of all elements."""
        return [row for row, tag in enumerate(self.nodes.tag) if tag != TEXT]

    @cached_property
    def style_attributes(self) -> list[tuple[int, str]]:
        """Rows with a `style` attribute, and its value without comments and the like."""
        rows = self.nodes.select("[style]")
        values = self.nodes.attrs.get_all(rows, "style")
        masked: dict[str, str] = {}
        chars_left = MAX_CSS_CHARS
        for value in dict.fromkeys(filter(None, values)):
            chars_left -= len(value)
            if chars_left < 0 or len(masked) >= MAX_STYLE_ATTRIBUTES:
                break
            masked[value] = mask_tokens(value)
        return [(row, masked[value]) for row, value in zip(rows, values, strict=True) if value in masked]

    def may_match(self, selector: str) -> bool:
        """Return whether all names in a selector are on the page. Most selectors are rejected here."""
        names = self._row_lists
        first = FIRST_NAME.match(selector)  # decides most cases without reading the other names
        if first is not None and first[1] not in names and not self.is_quirky:
            return False
        return self._has_names(selector) and ("(" not in selector or self._may_match_functions(selector))

    def _has_names(self, selector: str) -> bool:
        names = self._row_lists
        for name in list_required_names(selector.lower() if self.is_quirky else selector):
            if name not in names and (name[0] in ".#" or name.lower() not in names):
                return False
        return True

    def _may_match_functions(self, selector: str) -> bool:
        """Return whether the names of one argument of each `:is()` and `:where()` are on the page.

        Only for selectors without other functions: inside `:not()`, an argument need not match.
        """
        selector = remove_attributes(selector)
        argument_lists = _MATCHES_ANY.findall(selector)
        if len(argument_lists) != selector.count("("):
            return True
        return all(any(map(self._has_names, arguments.split(","))) for arguments in argument_lists)

    def find_matches(self, selector: Selector) -> Sequence[int]:
        """Return the rows that match a selector, in document order."""
        names = selector.subject_names
        if self.is_quirky:
            names = tuple(map(str.lower, names))
        if selector.is_simple:
            return self.rows(names[0])
        candidates = min(map(self.rows, names), key=len) if names else self.elements
        if selector.ancestor_names and len(candidates) > _MAX_UNFILTERED_CANDIDATES:
            candidates = self._filter_by_ancestors(candidates, selector.ancestor_names)
        is_query = len(candidates) * _ELEMENTS_PER_CANDIDATE > self._element_count
        steps = self._count_steps(selector, candidates, is_query=is_query)
        if selector.cost is not None:
            self.steps_left -= _STEPS_PER_ESTIMATE
            query_steps = self._count_steps(selector, candidates, is_query=True)
            is_query, steps = is_query or query_steps < steps, min(query_steps, steps)
        if steps > self.steps_left:
            return ()
        self.steps_left -= steps
        attributes = self.nodes.attrs
        return attributes.find(selector.text) if is_query else attributes.match(candidates, selector.text)

    def _count_steps(self, selector: Selector, candidates: Sequence[int], *, is_query: bool) -> int:
        """Estimate the steps to find the matches among candidates, by a test of each or by a query over the page."""
        count, cost = len(candidates), selector.cost
        steps = self._element_count // _ELEMENTS_PER_CANDIDATE if is_query else count
        steps += count * (len(selector.text) // _SELECTOR_CHARS_PER_STEP + self._count_value_steps(selector.text))
        if cost is not None:
            tests = cost.count_tests(self._max_shape, count * MAX_TREE_DEPTH**cost.depth_power, is_query=is_query)
            if tests > _MAX_UNMEASURED_TESTS:
                depth_sum = self._sum_depths(candidates, cost.depth_power)
                tests = cost.count_tests(self._shape, depth_sum, is_query=is_query)
            steps += int(tests / _TESTS_PER_STEP)
        return steps

    def _sum_depths(self, rows: Sequence[int], power: int) -> int:
        """Return the sum of the depths of rows to a power."""
        if rows is not self.elements:
            return sum(self._depths[row] ** power for row in rows)
        if power not in self._depth_sums:
            self._depth_sums[power] = sum(self._depths[row] ** power for row in rows)
        return self._depth_sums[power]

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
            self.steps_left -= self._element_count // _ELEMENTS_PER_CANDIDATE
            values = self.nodes.attrs.get_all(self.nodes.attrs.find(f"[{attribute}]"), attribute)
            self._value_chars[attribute] = max((len(value) for value in values if value), default=0)
        return self._value_chars[attribute]

    @cached_property
    def _max_shape(self) -> PageShape:
        """Upper bounds of the shape, which need no counting."""
        return PageShape(self._element_count, self._element_count, sum(map(len, self.nodes.text)))

    @cached_property
    def _shape(self) -> PageShape:
        nodes = self.nodes
        siblings = max(Counter(nodes.parent).values(), default=1)  # with text nodes: fast, and at most twice as many
        direction_chars = sum(map(len, nodes.text)) if nodes.attrs.find("[dir=auto i]") else 1
        return PageShape(self._element_count, siblings, direction_chars)

    @cached_property
    def _depths(self) -> Sequence[int]:
        return self.nodes.depths()

    def _filter_by_ancestors(self, candidates: Sequence[int], ancestor_names: tuple[str, ...]) -> Sequence[int]:
        """Keep the candidates inside elements with the rarest of the names."""
        if self.is_quirky:
            ancestor_names = tuple(map(str.lower, ancestor_names))
        ancestors = min(map(self.rows, ancestor_names), key=len)
        if len(ancestors) * 2 > len(candidates):
            return candidates
        inside: list[int] = []
        end = -1
        for row in ancestors:
            if row >= end:
                end = self.nodes.end[row]
                inside += candidates[bisect_left(candidates, row + 1) : bisect_left(candidates, end)]
        return inside


def match_rules(
    page: Page, index: NameIndex, rules: Iterable[Rule], substrings: tuple[str, ...], read: Callable[[str], T]
) -> Iterator[MatchedRule[T]]:
    """Match the rules whose body contains one of the substrings and is not empty once read.

    Stops when the steps are used up.
    """
    index.steps_left = MAX_MATCH_STEPS
    may_match, find_matches = index.may_match, index.find_matches
    for order, (selectors, body, layer) in enumerate(rules):
        if order % _RULES_PER_DEADLINE_CHECK == 0:
            page.deadline.check()
        if not _contains_any(body, substrings):
            continue
        content: T | None = None
        texts = split_selectors(selectors)
        index.steps_left -= _STEPS_PER_SELECTOR * len(texts)
        for text in texts:
            if not may_match(text) or (selector := parse_selector(text)) is None:
                continue
            index.steps_left -= _STEPS_PER_MATCH
            rows = find_matches(selector)
            if not rows:
                continue
            if content is None:
                content = read(body)
            if not content:
                break
            yield MatchedRule(rows, content, layer, selector.specificity, order)
            index.steps_left -= len(rows)
        if index.steps_left < 0:
            return


def _contains_any(body: str, substrings: tuple[str, ...]) -> bool:
    """Return whether a body contains one of the lower-case substrings, in upper or lower case."""
    for substring in substrings:
        if substring in body:
            return True
    if body.islower():
        return False
    body = body.lower()
    return any(substring in body for substring in substrings)
