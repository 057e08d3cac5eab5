"""Custom properties (`--accent: #c00`) and the substitution of `var(--accent, red)`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from broadsheet.page import Nodes
from broadsheet.style.css.bounds import MAX_SCOPE_ENTRIES, MAX_SUBSTITUTED_CHARS, MAX_SUBSTITUTIONS, MAX_VAR_DEPTH
from broadsheet.style.css.properties import PropertyGroup
from broadsheet.style.css.text import find_closing_bracket

if TYPE_CHECKING:
    from broadsheet.style.css.cascade import CascadedValues

_VAR = re.compile(r"var\(\s*(--[^\s,()]+)\s*")
_INHERITING_KEYWORDS = frozenset(("inherit", "unset", "revert"))

CUSTOM_PROPERTIES = PropertyGroup(
    substrings=("--",),
    pattern=re.compile(r";\s*+(--[^\s:;]++)\s*+:([^;]*+)"),
    longhands={},
    parse=lambda name, text: {} if text in _INHERITING_KEYWORDS else {name: text},
)

Scope = Mapping[str, object]  # the custom properties of an element: name -> value as written


class CustomProperties:
    """The custom properties of a page's elements. Elements without declarations of their own share a scope."""

    def __init__(self, nodes: Nodes, declared: CascadedValues) -> None:
        self._nodes = nodes
        self._declared = declared
        self._scopes: dict[int, Scope] = {-1: {}}
        self._extended: dict[tuple[int, int], Scope] = {}
        self._entries_left = MAX_SCOPE_ENTRIES
        self._substitutions_left = MAX_SUBSTITUTIONS

    def find_scope(self, row: int) -> Scope:
        """Return the custom properties of an element, inherited ones included."""
        path = []
        while row not in self._scopes:
            path.append(row)
            row = self._nodes.parent[row]
        scope = self._scopes[row]
        for row in reversed(path):
            if row in self._declared.styled_rows:
                scope = self._extend(scope, self._declared.get(row))
            self._scopes[row] = scope
        return scope

    def _extend(self, outer: Scope, declared: Scope) -> Scope:
        key = (id(outer), id(declared))  # both are kept, so that an id() is never reused
        if key not in self._extended:
            if self._entries_left <= 0:
                return outer
            self._entries_left -= len(outer) + len(declared)
            scope = {**outer, **declared}
            self._extended[key] = outer if scope == outer else scope
        return self._extended[key]

    def substitute(self, text: str, scope: Scope, depth: int = 0) -> str | None:
        """Replace each `var()` in a value; None if one has no value."""
        parts: list[str] = []
        end = chars = 0
        while match := _VAR.search(text, end):
            self._substitutions_left -= 1
            if depth > MAX_VAR_DEPTH or self._substitutions_left < 0:
                return None
            close = find_closing_bracket(text, match.end())
            fallback = text[match.end() : close]
            value = str(scope.get(match[1], "initial"))
            if value == "initial":
                value = fallback[1:] if fallback.startswith(",") else ""
            inner = self.substitute(value, scope, depth + 1) if value else None
            chars += len(inner or "")
            if inner is None or chars > MAX_SUBSTITUTED_CHARS:
                return None
            parts += text[end : match.start()], inner
            end = close + 1
        return "".join([*parts, text[end:]]).strip()
