"""Custom properties (`--accent: #c00`) and the substitution of `var(--accent, red)` (CSS Variables 1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from broadsheet.page import Nodes
from broadsheet.style.css.bounds import (
    MAX_CACHED_CUSTOM_PROPERTIES,
    MAX_CACHED_VALUES,
    MAX_SUBSTITUTED_CHARS,
    MAX_VAR_DEPTH,
)
from broadsheet.style.css.brackets import find_closing_bracket

_VAR = re.compile(r"var\(\s*(--[^\s,()]+)\s*", re.IGNORECASE)
_DECLARATION = re.compile(r";\s*+(--[^\s:;]++)\s*+:([^;]*+)")
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
        declarations[name] = text.strip(), is_important
    return declarations


class CustomProperties:
    """The custom properties of a page's elements, computed on first use."""

    def __init__(self, nodes: Nodes, declarations: Mapping[int, Sequence[CustomDeclarations]]) -> None:
        self._nodes = nodes
        self._declarations = declarations  # row -> matching rules in cascade order, the strongest last
        self._values: dict[tuple[int, str], str | None] = {}
        self._scopes: dict[int, int] = {-1: -1}
        self._substituted: dict[tuple[int, str], str | None] = {}

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
        """Return the nearest row from `row` up that declares custom properties; -1 if none does."""
        path: list[int] = []
        while row not in self._scopes and row not in self._declarations:
            path.append(row)
            row = self._nodes.parent[row]
        scope = row if row in self._declarations else self._scopes[row]
        self._scopes.update(dict.fromkeys(path, scope))
        return scope

    def _substitute(self, text: str, row: int, depth: int) -> str | None:
        if depth > MAX_VAR_DEPTH:
            return None
        parts: list[str] = []
        end = chars = 0
        while match := _VAR.search(text, end):
            close = find_closing_bracket(text, match.end())
            value = self._get_value(row, match[1], depth)
            if value is None:
                fallback = text[match.end() : close]
                value = self._substitute(fallback[1:], row, depth + 1) if fallback.startswith(",") else None
            chars += len(value or "")
            if value is None or chars > MAX_SUBSTITUTED_CHARS:
                return None
            parts += text[end : match.start()], value
            end = close + 1
        return "".join([*parts, text[end:]]).strip()

    def _get_value(self, row: int, name: str, depth: int) -> str | None:
        """Return the value of a custom property, inherited if need be; its own `var()` refer to the declaring row."""
        path: list[int] = []
        value: str | None = None
        while row >= 0:
            if (row, name) in self._values:
                value = self._values[row, name]
                break
            path.append(row)
            text = _cascade(self._declarations.get(row, ()), name)
            if text is not None and text.lower() not in _INHERITING_KEYWORDS:
                self._values[row, name] = None  # ends cycles
                value = None if text.lower() == "initial" else self._substitute(text, row, depth + 1)
                break
            row = self._nodes.parent[row]
        if len(self._values) < MAX_CACHED_CUSTOM_PROPERTIES:
            self._values.update(((row, name), value) for row in path)
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
