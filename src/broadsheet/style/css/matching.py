"""Match the rules of a page to its elements.

An index of names rejects most selectors; the parser's selector engine decides the rest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence, Sized
from typing import Generic, NamedTuple, TypeVar

from broadsheet.page import Page
from broadsheet.style.css.bounds import MAX_MATCH_STEPS
from broadsheet.style.css.match_planning import MatchPlanner
from broadsheet.style.css.names import NameIndex
from broadsheet.style.css.rules import LayerOrder, read_rules
from broadsheet.style.css.selectors import Selector, parse_selector, split_selectors

T = TypeVar("T", bound=Sized)

_STEPS_PER_SELECTOR = 2  # to test whether its names are on the page
_STEPS_PER_MATCH = 40  # to parse a selector and the body of its rule
_CHARS_PER_STEP = 4  # of a selector that is parsed
_STEPS_PER_ANCESTOR = 2  # to find the candidates inside it
_MAX_UNFILTERED_CANDIDATES = 8  # testing these is faster than filtering them by ancestors
_RULES_PER_DEADLINE_CHECK = 64


class MatchedRule(NamedTuple, Generic[T]):
    """A selector of a rule with the rows that it matches, and the content of the rule's body."""

    rows: Sequence[int]
    content: T
    layer: LayerOrder
    specificity: int
    order: int  # of appearance


class RuleMatcher:
    """Matches the rules of a page to its elements."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._nodes = page.nodes
        self.index = NameIndex(page.nodes)
        self.rules = read_rules(page)
        self._planner = MatchPlanner(self.index)
        self._steps_left = 0

    def match(self, substrings: tuple[str, ...], read: Callable[[str], T]) -> list[MatchedRule[T]]:
        """Return the matching rules whose body contains one of the substrings, in cascade order, the strongest last.

        `read` returns the content of a body; rules without content are left out. Rules beyond MAX_MATCH_STEPS are
        ignored.
        """
        return sorted(self._match(substrings, read), key=_get_precedence)

    def _match(self, substrings: tuple[str, ...], read: Callable[[str], T]) -> Iterator[MatchedRule[T]]:
        self._steps_left = MAX_MATCH_STEPS
        may_match = self.index.may_match
        for order, (selectors, body, layer) in enumerate(self.rules):
            if order % _RULES_PER_DEADLINE_CHECK == 0:
                self._page.deadline.check()
            if not _contains_any(body, substrings):
                continue
            content: T | None = None
            texts = split_selectors(selectors)
            self._steps_left -= _STEPS_PER_SELECTOR * len(texts)
            for text in texts:
                if not may_match(text) or (selector := parse_selector(text)) is None:
                    continue
                rows = self._find_rows(selector)
                if not rows:
                    continue
                content = read(body) if content is None else content
                if not content:
                    break
                yield MatchedRule(rows, content, layer, selector.specificity, order)
            if self._steps_left < 0:
                return

    def _find_rows(self, selector: Selector) -> Sequence[int]:
        """Return the rows that match a selector, in document order; () if that takes more steps than are left."""
        candidates = self._find_candidates(selector)
        self._steps_left -= _STEPS_PER_MATCH + len(selector.text) // _CHARS_PER_STEP + len(candidates)
        if selector.is_simple or not candidates:
            return candidates
        plan = self._planner.plan(selector, candidates)
        self._steps_left -= plan.planning_steps
        if plan.steps > self._steps_left:
            return ()
        self._steps_left -= plan.steps
        if plan.is_query:
            return self._nodes.find(selector.text)
        return self._nodes.match(candidates, selector.text)

    def _find_candidates(self, selector: Selector) -> Sequence[int]:
        """Return rows with the names of the subject, inside elements with the names of the ancestors."""
        if not selector.subject_names:
            candidates = self.index.elements
        else:
            candidates = self.index.find_rarest(selector.subject_names)
        if not selector.ancestor_names or len(candidates) <= _MAX_UNFILTERED_CANDIDATES:
            return candidates
        ancestors = self.index.find_rarest(selector.ancestor_names)
        if len(ancestors) * 2 > len(candidates):
            return candidates
        self._steps_left -= _STEPS_PER_ANCESTOR * len(ancestors)
        ends = self._page.nodes.end
        inside: list[int] = []
        end = -1
        for row in ancestors:
            if row >= end:
                end = ends[row]
                inside += candidates[bisect_left(candidates, row + 1) : bisect_left(candidates, end)]
        return inside


def _get_precedence(match: MatchedRule[T]) -> tuple[LayerOrder, int, int]:
    return match.layer, match.specificity, match.order


def _contains_any(body: str, substrings: tuple[str, ...]) -> bool:
    """Return whether a body contains one of the lower-case substrings, in upper or lower case."""
    for substring in substrings:
        if substring in body:
            return True
    if body.islower():
        return False
    body = body.lower()
    return any(substring in body for substring in substrings)
