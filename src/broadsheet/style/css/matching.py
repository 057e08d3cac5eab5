"""Find the elements that match a selector, over the columns of the node table.

A selector is evaluated from left to right. Each step finds the rows that match the selector up to a compound, from the
rows of the step before: there is no backtracking, and the work is linear in the number of elements.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from itertools import chain

from broadsheet.page import TEXT, Nodes
from broadsheet.style.css.bounds import MAX_ATTRIBUTE_CHARS, MAX_CLASSES, MAX_MATCH_STEPS, MAX_NAMES
from broadsheet.style.css.selectors import AttributeTest, Compound, PositionTest, Selector, Test

_CLASS_OR_ID = re.compile("[.#][\\w\u0080-\U0010ffff-]++")
_COMPARE: dict[str, Callable[[str, str], bool]] = {
    "=": lambda value, wanted: value == wanted,
    "~=": lambda value, wanted: wanted in value.split(),
    "|=": lambda value, wanted: value == wanted or value.startswith(wanted + "-"),
    "^=": lambda value, wanted: bool(wanted) and value.startswith(wanted),
    "$=": lambda value, wanted: bool(wanted) and value.endswith(wanted),
    "*=": lambda value, wanted: bool(wanted) and wanted in value,
}

Rows = Sequence[int]  # in document order


class Matcher:
    """Matches selectors on one page. After MAX_MATCH_STEPS, nothing matches until `steps_left` is set again."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.steps_left = MAX_MATCH_STEPS
        self.is_quirky = nodes.table.is_quirky  # then classes and ids match in upper and lower case
        # Lists of rows by "type", ".class" and "#id", merged on first use: most names of a page are in no rule.
        self._row_lists: dict[str, list[list[int]]] = {}
        rows_by_tag: defaultdict[str, list[int]] = defaultdict(list)
        for row, tag in enumerate(nodes.tag):
            rows_by_tag[tag].append(row)
        rows_by_tag.pop(TEXT, None)
        self._row_lists.update((tag, [rows]) for tag, rows in rows_by_tag.items())
        self._attributes: dict[str, dict[int, str]] = {}
        self._add_names(".", "class")
        self._add_names("#", "id")
        self._sets: dict[str, frozenset[int]] = {}
        self._compounds: dict[Compound, Rows] = {}
        self._positions: dict[tuple[bool, bool], dict[int, int]] = {}

    def _add_names(self, prefix: str, attribute: str) -> None:
        rows_by_value: defaultdict[str, list[int]] = defaultdict(list)  # many elements have the same classes
        for row, value in self.read_attribute(attribute).items():
            rows_by_value[value].append(row)
        for value, rows in rows_by_value.items():
            if len(self._row_lists) > MAX_NAMES:
                break
            value = value.lower() if self.is_quirky else value
            for name in dict.fromkeys(value.split(None, MAX_CLASSES)[:MAX_CLASSES]) if prefix == "." else (value,):
                key = prefix + name
                if key in self._row_lists:  # setdefault() takes longer
                    self._row_lists[key].append(rows)
                else:
                    self._row_lists[key] = [rows]

    @cached_property
    def elements(self) -> Rows:
        """Rows of all elements."""
        return [row for row, tag in enumerate(self.nodes.tag) if tag != TEXT]

    def read_attribute(self, name: str) -> dict[int, str]:
        """Return the values of an attribute by row, in document order."""
        if name not in self._attributes:
            self.steps_left -= len(self.elements)
            values = self.nodes.attrs.get_all(self.elements, name)
            pairs = zip(self.elements, values, strict=True)
            self._attributes[name] = {row: value for row, value in pairs if value is not None}
        return self._attributes[name]

    def rows(self, name: str) -> Rows:
        """Return the rows of the elements with a ".class", "#id" or "type"."""
        row_lists = self._row_lists.get(name)
        if row_lists is None:
            return ()
        if len(row_lists) > 1:
            row_lists[:] = [sorted(chain.from_iterable(row_lists))]
        return row_lists[0]

    def may_match(self, selector: str) -> bool:
        """Return whether the classes and ids before the first bracket are on the page. Rejects most selectors."""
        if "\\" in selector:
            return True
        required = self._fold(selector.partition("(")[0].partition("[")[0])
        return all(name in self._row_lists for name in _CLASS_OR_ID.findall(required))

    def find(self, selector: Selector) -> Rows:
        """Return the rows that match a selector."""
        compounds = selector.compounds
        if not all(self._has_names(compound.names) for compound in compounds):
            return ()
        rows = self._find_compound(compounds[0])
        for combinator, compound in zip(selector.combinators, compounds[1:], strict=True):
            if not rows or self.steps_left < 0:
                return ()
            candidates = self._find_compound(compound)
            self.steps_left -= len(rows) + len(candidates)
            rows = self._follow(combinator, rows, candidates)
        return rows if self.steps_left >= 0 else ()

    def _has_names(self, names: tuple[str, ...]) -> bool:
        return all(self._fold(name) in self._row_lists for name in names)

    def _fold(self, name: str) -> str:
        return name.lower() if self.is_quirky else name

    def _find_compound(self, compound: Compound) -> Rows:
        """Return the rows that match a compound: those of its rarest name that have its other names too."""
        rows = self._compounds.get(compound)
        if rows is None:
            names = sorted(map(self._fold, compound.names), key=lambda name: len(self.rows(name)))
            rows = self.rows(names[0]) if names else self._list_all(compound)
            for name in names[1:]:
                rows = self._filter(rows, self._make_set(name))
            for test in compound.tests:
                if self.steps_left < 0:
                    return ()
                rows = self._apply(test, rows)
            self._compounds[compound] = rows
        return rows

    def _list_all(self, compound: Compound) -> Rows:
        """Return the rows that a compound without names may match."""
        if compound.tests and isinstance(compound.tests[0], AttributeTest):
            return list(self.read_attribute(compound.tests[0].name))
        return self.elements

    def _filter(self, rows: Rows, wanted: Collection[int]) -> Rows:
        self.steps_left -= len(rows)
        return [row for row in rows if row in wanted]

    def _make_set(self, name: str) -> frozenset[int]:
        if name not in self._sets:
            self._sets[name] = frozenset(self.rows(name))
        return self._sets[name]

    def _follow(self, combinator: str, rows: Rows, candidates: Rows) -> Rows:
        """Return the candidates that are descendants, children or later siblings of rows."""
        parents = self.nodes.parent
        if combinator == " ":
            return self._find_inside(rows, candidates)
        if combinator == ">":
            wanted = frozenset(rows)
            return [row for row in candidates if parents[row] in wanted]
        if combinator == "+":
            wanted = frozenset(rows)
            return [row for row in candidates if self._previous.get(row) in wanted]
        first: dict[int, int] = {}  # parent -> its first child among the rows
        for row in rows:
            first.setdefault(parents[row], row)
        return [row for row in candidates if first.get(parents[row], row) < row]

    def _find_inside(self, rows: Rows, candidates: Rows) -> Rows:
        inside: list[int] = []
        end = -1
        for row in rows:
            if row >= end:
                end = self.nodes.end[row]
                inside += candidates[bisect_left(candidates, row + 1) : bisect_left(candidates, end)]
        return inside

    def _apply(self, test: Test, rows: Rows) -> Rows:
        """Return the rows that pass a test."""
        self.steps_left -= len(rows)
        if isinstance(test, AttributeTest):
            values = self.read_attribute(test.name)
            return [row for row in rows if row in values and _passes(test, values[row])]
        if isinstance(test, PositionTest):
            positions = self._count_positions(test.is_from_end, test.is_of_type)
            return [row for row in rows if _is_step(positions[row] - test.offset, test.step)]
        matches = frozenset(chain.from_iterable(map(self.find, test.selectors)))
        return [row for row in rows if (row in matches) != test.is_negated]

    @cached_property
    def _previous(self) -> dict[int, int]:
        """Row -> the row of the element before it among its siblings."""
        last: dict[int, int] = {}
        previous: dict[int, int] = {}
        for row in self.elements:
            parent = self.nodes.parent[row]
            if parent in last:
                previous[row] = last[parent]
            last[parent] = row
        return previous

    def _count_positions(self, is_from_end: bool, is_of_type: bool) -> dict[int, int]:
        """Return row -> its number among its siblings, from 1."""
        key = (is_from_end, is_of_type)
        if key not in self._positions:
            counts: defaultdict[tuple[int, str], int] = defaultdict(int)
            positions = self._positions[key] = {}
            for row in reversed(self.elements) if is_from_end else self.elements:
                siblings = (self.nodes.parent[row], self.nodes.tag[row] if is_of_type else "")
                counts[siblings] += 1
                positions[row] = counts[siblings]
        return self._positions[key]


def _passes(test: AttributeTest, value: str) -> bool:
    if not test.operator:
        return True
    value = value[:MAX_ATTRIBUTE_CHARS]
    return _COMPARE[test.operator](value.lower() if test.ignores_case else value, test.value)


def _is_step(distance: int, step: int) -> bool:
    """Return whether a distance is a whole number of steps, none of them negative."""
    return distance == 0 if step == 0 else distance % step == 0 and distance // step >= 0
