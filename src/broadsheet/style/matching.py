"""Which rows a page's rules match: an index of names first, the parser's own matching where that is not enough."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from functools import cached_property
from itertools import repeat
from typing import Generic, NamedTuple, TypeVar

from broadsheet.page import TEXT, Nodes, Page
from broadsheet.style.rules import Rule
from broadsheet.style.selectors import Selector, parse_selectors

T = TypeVar("T", bound=Sized)

# Bounds for hostile sheets. The slowest honest page among 1,000 takes a fifth of each.
MAX_SECONDS = 0.3
_MAX_MATCHES = 400_000
_SELECT_FROM = 200  # candidates; from here on one look over the whole page is faster than asking each
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
        self.elements = [row for row, tag in enumerate(nodes.tag) if tag != TEXT]
        self.rows: dict[str, list[int]] = {}
        rows = self.rows
        for row in self.elements:
            tag = nodes.tag[row]
            if tag in rows:
                rows[tag].append(row)
            else:
                rows[tag] = [row]
        fold = str.lower if self.is_quirky else str
        for row, classes in zip(self.elements, nodes.attrs.get_all(self.elements, "class"), strict=True):
            if classes:
                for name in fold(classes).split():
                    key = "." + name
                    if key in rows:
                        rows[key].append(row)
                    else:
                        rows[key] = [row]
        for row in nodes.select("[id]"):
            rows.setdefault("#" + fold(nodes.attr(row, "id").strip()), []).append(row)

    @cached_property
    def inline(self) -> list[tuple[int, str]]:
        """Rows that have a `style` of their own, and what it says."""
        rows = self.nodes.select("[style]")
        texts = self.nodes.attrs.get_all(rows, "style")
        return [(row, text) for row, text in zip(rows, texts, strict=True) if text]

    def find(self, selector: Selector) -> Sequence[int]:
        """Rows that match a selector, in document order (some twice, where a class is named twice)."""
        rows, names, keys = self.rows, selector.names, selector.keys
        if self.is_quirky:
            names, keys = tuple(map(str.lower, names)), tuple(map(str.lower, keys))
        for name in names:
            if name not in rows:
                return ()
        if selector.is_single:
            return rows[keys[0]]
        candidates: Sequence[int] = min((rows[key] for key in keys), key=len) if keys else self.elements
        if ":has(" in selector.text:
            candidates = candidates[:_MAX_ASKED_HAS]
        elif len(candidates) >= _SELECT_FROM:
            return self.nodes.attrs.find(selector.text)
        return self.nodes.attrs.match(candidates, selector.text)


def match_rules(
    page: Page, index: NameIndex, rules: Iterable[Rule], stems: tuple[str, ...], read: Callable[[str], T]
) -> Iterator[Matched[T]]:
    """Match the rules in whose bodies there is one of the stems and something to read; stops when it is too much."""
    ends = time.monotonic() + MAX_SECONDS
    matches_left = _MAX_MATCHES
    find = index.find
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
        for selector in parse_selectors(rule.selectors):
            rows = find(selector)
            if not rows:
                continue
            if says is None:
                says = read(body)
            if not says:
                break
            yield Matched(rows, says, rule.layer, selector.specificity, order)
            matches_left -= len(rows)
