"""Which rows a page's rules match: an index of names first, the parser's own matching where that is not enough."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from functools import cached_property
from itertools import repeat
from typing import Generic, NamedTuple, TypeVar

from broadsheet.page import TEXT, Nodes, Page
from broadsheet.style.rules import Rule
from broadsheet.style.selectors import Selector, find_names, parse_selector, split_selectors

T = TypeVar("T", bound=Sized)

# Bounds for hostile sheets. The slowest honest page among 1,000 takes a fifth of each.
MAX_SECONDS = 0.3
_MAX_MATCHES = 400_000
_SELECT_FROM = 8  # one element in so many is a candidate: from here on one look over the whole page is faster
_LOOK_EVERY = 64
_MAX_ASKED_HAS = 2_000  # candidates of a `:has()`, each of which may look at the whole page


class Matched(NamedTuple, Generic[T]):
    """A rule's selector with the rows that it matches, and what the rule says."""

    rows: Sequence[int]
    says: T
    layer: tuple[int, ...]
    specificity: int
    order: int


class NameIndex:
    """Rows of a page's elements by ".class", "#id" and "tag"."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.is_quirky = nodes.attrs.is_quirky()
        self.rows: dict[str, list[int]] = {}
        rows = defaultdict(list, self.rows)
        for row, tag in enumerate(nodes.tag):
            rows[tag].append(row)
        self.count = len(nodes) - len(rows.pop(TEXT, ()))  # elements
        fold = str.lower if self.is_quirky else str
        named = nodes.select("[class]")
        keys_of: dict[str | None, list[str]] = {}  # many elements have the same classes
        for row, classes in zip(named, nodes.attrs.get_all(named, "class"), strict=True):
            keys = keys_of.get(classes)
            if keys is None:
                keys = keys_of[classes] = ["." + name for name in dict.fromkeys(fold(classes or "").split())]
            for key in keys:
                rows[key].append(row)
        named = nodes.select("[id]")
        for row, name in zip(named, nodes.attrs.get_all(named, "id"), strict=True):
            rows["#" + fold(name or "")].append(row)
        self.rows = dict(rows)

    @cached_property
    def elements(self) -> list[int]:
        """Rows of all elements."""
        return [row for row, tag in enumerate(self.nodes.tag) if tag != TEXT]

    @cached_property
    def inline(self) -> list[tuple[int, str]]:
        """Rows that have a `style` of their own, and what it says."""
        rows = self.nodes.select("[style]")
        texts = self.nodes.attrs.get_all(rows, "style")
        return [(row, text) for row, text in zip(rows, texts, strict=True) if text]

    def may_match(self, text: str) -> bool:
        """Tell, at a glance, whether the names in a selector are all on the page: most selectors end here."""
        names = find_names(text.lower() if self.is_quirky else text)
        rows = self.rows
        for name in names:
            if name not in rows and (name[0] in ".#" or name.lower() not in rows):
                return False
        return True

    def find(self, selector: Selector) -> Sequence[int]:
        """Rows that match a selector, in document order."""
        rows, keys = self.rows, selector.keys
        if self.is_quirky:
            keys = tuple(map(str.lower, keys))
        if selector.is_single:
            return rows.get(keys[0], ())
        candidates: Sequence[int] = min((rows.get(key, ()) for key in keys), key=len) if keys else self.elements
        if ":has(" in selector.text:
            candidates = candidates[:_MAX_ASKED_HAS]
        elif len(candidates) * _SELECT_FROM > self.count:
            return self.nodes.attrs.find(selector.text)
        return self.nodes.attrs.match(candidates, selector.text)


def match_rules(
    page: Page, index: NameIndex, rules: Iterable[Rule], stems: tuple[str, ...], read: Callable[[str], T]
) -> Iterator[Matched[T]]:
    """Match the rules in whose bodies there is one of the stems and something to read; stops when it is too much."""
    ends = time.monotonic() + MAX_SECONDS
    matches_left = _MAX_MATCHES
    find, may_match = index.find, index.may_match
    for order, rule in enumerate(rules):
        if order % _LOOK_EVERY == 0:
            page.deadline.check()
            if time.monotonic() > ends or matches_left < 0:
                return
        body = rule.body
        for stem in stems:
            if stem in body:
                break
        else:
            if body.islower() or not any(map(str.__contains__, repeat(body.lower()), stems)):
                continue
        says: T | None = None
        for text in split_selectors(rule.selectors):
            if not may_match(text) or (selector := parse_selector(text)) is None:
                continue
            rows = find(selector)
            if not rows:
                continue
            if says is None:
                says = read(body)
            if not says:
                break
            yield Matched(rows, says, rule.layer, selector.specificity, order)
            matches_left -= len(rows)
