"""Estimate the work of the parser's selector engine.

A short selector can be expensive: `:is(:is(b > p p) p p > p) p` takes a minute on a deep page of 4,000 elements. The
engine tests a compound selector again for each ancestor at a descendant combinator and in `:lang()`, for each sibling
at `~` and `:nth-child()`, and for each element inside `:has()`. Nested functions multiply these numbers. One test takes
about 2.5 ns.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from broadsheet.style.css.bounds import MAX_SELECTOR_DEPTH
from broadsheet.style.css.selector_text import decode_escapes, remove_attributes

_MAX_UNCACHED_SIBLINGS = 128  # a query over the whole page caches results of siblings, unless it has two nth functions
# Functions whose arguments are single compounds, other than :has(), :dir() and :lang().
_FLAT = re.compile(r"(?:[^()\\]++|(?<!:has)(?<!:dir)(?<!:lang)\([^()\s~\\]*+\))*+\Z", re.IGNORECASE)
_SIBLING_FEATURE = re.compile(r"~|:nth-|-of-type", re.IGNORECASE)
_INSIGNIFICANT_SPACE = re.compile(r"\A\s+|\s+\Z|\s+(?=[>+~,)])|(?<=[>+~,(])\s+")
_TOKEN = re.compile(r"[^\s>+~(),]*\(|[),>+~]|\s+|[^\s>+~(),]+")


class PageShape(NamedTuple):
    """The numbers of a page that the cost of a selector depends on."""

    elements: int
    siblings: int  # largest number of children of an element
    direction_chars: int  # text that may determine the direction of elements with dir=auto


class SelectorCost(NamedTuple):
    """Number of tests for one element: a coefficient and the powers of its depth and of the page's numbers."""

    tests: int
    depth_power: int = 0
    sibling_power: int = 0
    element_power: int = 0
    direction_power: int = 0
    nth_functions: int = 0

    def add(self, other: SelectorCost) -> SelectorCost:
        """Return the cost of both."""
        return SelectorCost(
            self.tests + other.tests,
            max(self.depth_power, other.depth_power),
            max(self.sibling_power, other.sibling_power),
            max(self.element_power, other.element_power),
            max(self.direction_power, other.direction_power),
            self.nth_functions + other.nth_functions,
        )

    def count_tests(self, shape: PageShape, depth_sum: float, *, is_query: bool) -> float:
        """Return the number of tests for elements, one by one or in a query over the whole page.

        `depth_sum` is the sum of the depths of the elements to the power `depth_power`.
        """
        siblings = shape.siblings
        if is_query and self.nth_functions < 2:
            siblings = min(siblings, _MAX_UNCACHED_SIBLINGS)
        tests: float = depth_sum * self.tests
        tests *= siblings**self.sibling_power * shape.elements**self.element_power
        tests *= shape.direction_chars**self.direction_power
        return tests


_NO_COST = SelectorCost(0)
_COMPOUND = SelectorCost(1)
_SIBLING_COMPOUND = SelectorCost(1, sibling_power=1)
_TOO_DEEP = SelectorCost(10**18)


def estimate_cost(text: str) -> SelectorCost | None:
    """Estimate the cost of a selector; None if it is linear in the length of the selector and the depth."""
    if _FLAT.match(text):
        features = _SIBLING_FEATURE.findall(text)
        if not features:
            return None
        has_descendant = len(_INSIGNIFICANT_SPACE.sub("", text).split()) > 1
        nth_functions = len(features) - features.count("~")
        return SelectorCost(1 + len(features), int(has_descendant), 1, nth_functions=nth_functions)
    text = remove_attributes(decode_escapes(text)).lower()
    cost, _ = _read_list(_TOKEN.findall(_INSIGNIFICANT_SPACE.sub("", text)), 0, 0)
    return cost


def _read_list(tokens: list[str], index: int, depth: int) -> tuple[SelectorCost, int]:
    """Return the cost of a selector list up to its closing bracket, and the index after it."""
    if depth > MAX_SELECTOR_DEPTH:
        return _TOO_DEEP, len(tokens)
    total = others = compound = _NO_COST  # `others` are the compounds before the last combinator
    combinators: set[str] = set()
    while index < len(tokens):
        token = tokens[index]
        index += 1
        if token == ")":
            break
        if token == ",":
            total = total.add(_combine(others, compound, combinators))
            others, compound, combinators = _NO_COST, _NO_COST, set()
        elif token.endswith("("):
            arguments, index = _read_list(tokens, index, depth + 1)
            compound = compound.add(_apply_function(token.rpartition(":")[2], arguments))
        elif token in (">", "+", "~") or token.isspace():
            combinators.add(token[0])
            others, compound = others.add(compound), _NO_COST
        else:
            compound = compound.add(_SIBLING_COMPOUND if "-of-type" in token else _COMPOUND)
    return total.add(_combine(others, compound, combinators)), index


def _combine(others: SelectorCost, subject: SelectorCost, combinators: set[str]) -> SelectorCost:
    """Return the cost of a complex selector: the compounds before the subject are tested for ancestors and siblings."""
    return subject.add(
        others._replace(
            depth_power=others.depth_power + any(map(str.isspace, combinators)),
            sibling_power=others.sibling_power + ("~" in combinators),
        )
    )


def _apply_function(name: str, arguments: SelectorCost) -> SelectorCost:
    """Return the cost of a compound with a function such as `is(`, given that of its arguments."""
    cost = arguments.add(_COMPOUND)
    if name == "has(":
        return cost._replace(element_power=cost.element_power + 1)
    if name.startswith("nth-"):
        return cost._replace(sibling_power=cost.sibling_power + 1, nth_functions=cost.nth_functions + 1)
    if name in ("dir(", "lang("):  # inherited from ancestors
        return cost._replace(depth_power=cost.depth_power + 1, direction_power=int(name == "dir("))
    return cost
