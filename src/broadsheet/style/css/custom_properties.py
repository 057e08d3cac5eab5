"""Custom properties (`--accent: #c00`) and the substitution of `var(--accent, red)` (CSS Variables 1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from broadsheet.page import Nodes
from broadsheet.style.css.bounds import (
    MAX_CACHED_VALUES,
    MAX_CUSTOM_PROPERTY_LOOKUPS,
    MAX_SUBSTITUTED_CHARS,
    MAX_VAR_DEPTH,
)
from broadsheet.style.css.brackets import find_closing_bracket

_VAR = re.compile(r"var\(\s*(--[^\s,()]+)\s*", re.IGNORECASE)
_DECLARATION = re.compile(r";\s*+(--[^\s:;]++)\s*+:([^;]*+)")
_NO_SCOPE = -1
_INHERITING_KEYWORDS = frozenset(("inherit", "unset", "revert", "revert-layer"))

# The custom properties that a rule declares: name -> value and whether it is important.
CustomDeclarations = Mapping[str, tuple[str, bool]]


def read_custom_declarations(body: str) -> CustomDeclarations:
    """Read the custom properties that a rule declares."""
    declarations: dict[str, tuple[str, bool]] = {}
    for name, text in _DECLARATION.findall(";" + body):
        is_important = text.rstrip().lower().endswith("!important")
        if is_important:
            text = text.rpartition("!")[0]
        declarations[name] = text.strip() if len(text) <= MAX_SUBSTITUTED_CHARS else "initial", is_important
    return declarations


class CustomProperties:
    """The custom properties of a page's elements, computed on first use.

    A scope is a set of elements with the same custom properties: the same rules declare them, in the same outer scope.
    """

    def __init__(self, nodes: Nodes, declarations: Mapping[int, Sequence[CustomDeclarations]]) -> None:
        self._nodes = nodes
        self._declarations = declarations  # row -> matching rules in cascade order, the strongest last
        self._scope_of_row: dict[int, int] = {-1: _NO_SCOPE}
        self._scope_numbers: dict[tuple[int, tuple[int, ...]], int] = {}  # outer scope, id() of the rules -> scope
        self._rules: list[Sequence[CustomDeclarations]] = []  # by scope
        self._outer_scopes: list[int] = []  # by scope
        self._values: dict[tuple[int, str], str | None] = {}
        self._substituted: dict[tuple[int, str], str | None] = {}
        self._lookups_left = MAX_CUSTOM_PROPERTY_LOOKUPS

    def substitute(self, text: str, row: int) -> str | None:
        """Replace each `var()` in a value by the custom property of the row; None if one has no value."""
        key = (self._find_scope(row), text)
        if key in self._substituted:
            return self._substituted[key]
        substituted = self._substitute(text, key[0], 0)
        if len(self._substituted) < MAX_CACHED_VALUES:
            self._substituted[key] = substituted
        return substituted

    def _find_scope(self, row: int) -> int:
        path: list[int] = []
        while row not in self._scope_of_row:
            path.append(row)
            row = self._nodes.parent[row]
        scope = self._scope_of_row[row]
        for row in reversed(path):
            if rules := self._declarations.get(row):
                scope = self._get_scope(scope, rules)
            self._scope_of_row[row] = scope
        return scope

    def _get_scope(self, outer: int, rules: Sequence[CustomDeclarations]) -> int:
        """Return the number of the scope of elements that rules match inside an outer scope."""
        key = (outer, tuple(map(id, rules)))
        scope = self._scope_numbers.setdefault(key, len(self._rules))
        if scope == len(self._rules):
            self._rules.append(rules)
            self._outer_scopes.append(outer)
        return scope

    def _substitute(self, text: str, scope: int, depth: int) -> str | None:
        if depth > MAX_VAR_DEPTH or self._lookups_left <= 0:
            return None
        parts: list[str] = []
        end = chars = 0
        while match := _VAR.search(text, end):
            self._lookups_left -= 1
            close = find_closing_bracket(text, match.end())
            value = self._get_value(scope, match[1], depth)
            if value is None:
                fallback = text[match.end() : close]
                value = self._substitute(fallback[1:], scope, depth + 1) if fallback.startswith(",") else None
            chars += len(value or "")
            if value is None or chars > MAX_SUBSTITUTED_CHARS:
                return None
            parts += text[end : match.start()], value
            end = close + 1
        return "".join([*parts, text[end:]]).strip()

    def _get_value(self, scope: int, name: str, depth: int) -> str | None:
        """Return the value of a custom property, inherited if need be; its own `var()` refer to the declaring scope."""
        path: list[int] = []
        value: str | None = None
        while scope != _NO_SCOPE:
            if (scope, name) in self._values:
                value = self._values[scope, name]
                break
            path.append(scope)
            self._lookups_left -= len(self._rules[scope])
            text = _cascade(self._rules[scope], name)
            if text is not None and text.lower() not in _INHERITING_KEYWORDS:
                self._values[scope, name] = None  # ends cycles
                value = None if text.lower() == "initial" else self._substitute(text, scope, depth + 1)
                del self._values[scope, name]
                break
            scope = self._outer_scopes[scope]
        if len(self._values) < MAX_CACHED_VALUES:
            self._values.update(((scope, name), value) for scope in path)
        return value


def _cascade(rules: Iterable[CustomDeclarations], name: str) -> str | None:
    """Return the declared value of a custom property that wins; None without one."""
    winner: str | None = None
    is_winner_important = False
    for rule in rules:
        if name in rule:
            text, is_important = rule[name]
            if is_important or not is_winner_important:
                winner, is_winner_important = text, is_important
    return winner
