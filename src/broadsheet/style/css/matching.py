"""Which rows a page's rules match: an index of names first, the parser's own matching where that is not enough."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from functools import cached_property
from itertools import chain, repeat
from typing import Generic, NamedTuple, TypeVar

from broadsheet.page import TEXT, Nodes, Page
from broadsheet.style.css.rules import Layer, Rule, shield
from broadsheet.style.css.selectors import FIRST_NAME, Selector, find_names, parse_selector, split_selectors

T = TypeVar("T", bound=Sized)

# A bound for hostile sheets: about half a second. Counted, not timed, so that a page always comes out the same. One
# step is one element asked about a short selector; the most that a page among 1,000 took is a fifth of it.
MAX_WORK = 600_000
_CHARS_PER_STEP = 40
_SELECT_FROM = 8  # one element in so many is a candidate: from here on one look over the whole page is faster
_FEW = 8  # candidates that are asked without more ado
_LOOK_EVERY = 64


class Matched(NamedTuple, Generic[T]):
    """A rule's selector with the rows that it matches, and what the rule says."""

    rows: Sequence[int]
    says: T
    layer: Layer
    specificity: int
    order: int


class NameIndex:
    """Rows of a page's elements by ".class", "#id" and "tag"."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.work_left = MAX_WORK
        self.is_quirky = nodes.attrs.is_quirky()
        by_tag: defaultdict[str, list[int]] = defaultdict(list)
        for row, tag in enumerate(nodes.tag):
            by_tag[tag].append(row)
        self.count = len(nodes) - len(by_tag.pop(TEXT, ()))  # elements
        # A name's rows, in lists that are put together when somebody asks: most names on a page are in no rule.
        self._parts: dict[str, list[list[int]]] = {tag: [rows] for tag, rows in by_tag.items()}
        self._add_attribute("class", ".")
        self._add_attribute("id", "#")

    def _add_attribute(self, attribute: str, mark: str) -> None:
        named = self.nodes.select(f"[{attribute}]")
        alike: defaultdict[str | None, list[int]] = defaultdict(list)  # many elements have the same classes
        for row, text in zip(named, self.nodes.attrs.get_all(named, attribute), strict=True):
            alike[text].append(row)
        parts = self._parts
        for text, rows in alike.items():
            text = (text or "").lower() if self.is_quirky else text or ""
            for name in dict.fromkeys(text.split()) if mark == "." else (text,):
                key = mark + name
                if key in parts:
                    parts[key].append(rows)
                else:
                    parts[key] = [rows]

    def rows(self, name: str) -> Sequence[int]:
        """Rows that have a name, in document order."""
        parts = self._parts.get(name)
        if parts is None:
            return ()
        if len(parts) > 1:
            parts[:] = [sorted(chain.from_iterable(parts))]
        return parts[0]

    @cached_property
    def elements(self) -> Sequence[int]:
        """Rows of all elements."""
        return [row for row, tag in enumerate(self.nodes.tag) if tag != TEXT]

    @cached_property
    def inline(self) -> list[tuple[int, str]]:
        """Rows that have a `style` of their own, and what it says."""
        rows = self.nodes.select("[style]")
        texts = self.nodes.attrs.get_all(rows, "style")
        return [(row, shield(text)) for row, text in zip(rows, texts, strict=True) if text]

    def may_match(self, text: str) -> bool:
        """Tell, at a glance, whether the names in a selector are all on the page: most selectors end here."""
        names = self._parts
        first = FIRST_NAME.match(text)  # of a class or an id: that one is not on the page decides most cases
        if first is not None and first[1] not in names and not self.is_quirky:
            return False
        for name in find_names(text.lower() if self.is_quirky else text):
            if name not in names and (name[0] in ".#" or name.lower() not in names):
                return False
        return True

    def find(self, selector: Selector) -> Sequence[int]:
        """Rows that match a selector, in document order."""
        keys = selector.keys
        if self.is_quirky:
            keys = tuple(map(str.lower, keys))
        if selector.is_single:
            return self.rows(keys[0])
        candidates = min(map(self.rows, keys), key=len) if keys else self.elements
        if selector.around and len(candidates) > _FEW:
            candidates = self._keep_inside(candidates, selector.around)
        if len(candidates) * _SELECT_FROM > self.count and ":has(" not in selector.text:
            self.work_left -= self.count // _SELECT_FROM
            return self.nodes.attrs.find(selector.text)
        cost = 1 + len(selector.text) // _CHARS_PER_STEP
        if ":has(" in selector.text:
            cost = max(self.count, 1)
            candidates = candidates[: self.work_left // cost]
        self.work_left -= len(candidates) * cost
        return self.nodes.attrs.match(candidates, selector.text)

    def _keep_inside(self, candidates: Sequence[int], around: tuple[str, ...]) -> Sequence[int]:
        """Keep the candidates that stand in elements with the rarest of the names around them."""
        if self.is_quirky:
            around = tuple(map(str.lower, around))
        outer = min(map(self.rows, around), key=len)
        if len(outer) * 2 > len(candidates):
            return candidates
        kept: list[int] = []
        done = -1
        for row in outer:
            if row >= done:
                done = self.nodes.end[row]
                kept += candidates[bisect_left(candidates, row + 1) : bisect_left(candidates, done)]
        return kept


def match_rules(
    page: Page, index: NameIndex, rules: Iterable[Rule], stems: tuple[str, ...], read: Callable[[str], T]
) -> Iterator[Matched[T]]:
    """Match the rules in whose bodies there is one of the stems and something to read; stops when it is too much."""
    index.work_left = MAX_WORK
    find, may_match = index.find, index.may_match
    for order, (selectors, body, layer) in enumerate(rules):
        if order % _LOOK_EVERY == 0:
            page.deadline.check()
        for stem in stems:
            if stem in body:
                break
        else:
            if body.islower() or not any(map(str.__contains__, repeat(body.lower()), stems)):
                continue
        says: T | None = None
        for text in split_selectors(selectors):
            if not may_match(text) or (selector := parse_selector(text)) is None:
                continue
            rows = find(selector)
            if not rows:
                continue
            if says is None:
                says = read(body)
            if not says:
                break
            yield Matched(rows, says, layer, selector.specificity, order)
            index.work_left -= len(rows)
            if index.work_left < 0:
                return
