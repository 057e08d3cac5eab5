"""CSS variables: `--accent: #c00` somewhere above, `var(--accent, red)` below."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from broadsheet.page import Nodes
from broadsheet.style.css.declarations import Wide

_DEEPEST = 16
_LONGEST = 4_000  # characters of a value with everything put in
_MOST_KEPT = 10_000  # texts, for hostile pages
_VAR = re.compile(r"var\(\s*(--[^\s,()]+)\s*", re.IGNORECASE)

_SETTING = re.compile(r";\s*+(--[^\s:;]++)\s*+:([^;]*+)")

# Variables that one rule sets: name -> text and whether it is important.
Settings = Mapping[str, tuple[str, bool]]


def read_settings(body: str) -> Settings:
    """Read the variables that a rule sets."""
    found: dict[str, tuple[str, bool]] = {}
    for name, text in _SETTING.findall(";" + body):
        is_important = text.rstrip().lower().endswith("!important")
        if is_important:
            text = text.rpartition("!")[0]
        found[name] = text.strip(), is_important
    return found


class Variables:
    """What variables are at each row, looked up when asked for."""

    def __init__(self, nodes: Nodes, settings: Mapping[int, Sequence[Settings]]) -> None:
        self._nodes = nodes
        self._settings = settings  # row -> rules that set something there, the strongest last
        self._known: dict[tuple[int, str], str | None] = {}
        self._scopes: dict[int, int] = {-1: -1}
        self._filled: dict[tuple[int, str], str | None] = {}

    def fill_in(self, text: str, row: int) -> str | None:
        """Put the values of variables in; None when one has no value. Rows between two settings see the same."""
        key = (self._find_scope(row), text)
        if key in self._filled:
            return self._filled[key]
        filled = self.fill(text, key[0])
        if len(self._filled) < _MOST_KEPT:
            self._filled[key] = filled
        return filled

    def _find_scope(self, row: int) -> int:
        """Find the nearest row around that sets anything; -1 where none does."""
        passed: list[int] = []
        while row not in self._scopes and row not in self._settings:
            passed.append(row)
            row = self._nodes.parent[row]
        scope = row if row in self._settings else self._scopes[row]
        self._scopes.update(dict.fromkeys(passed, scope))
        return scope

    def fill(self, text: str, row: int, depth: int = 0) -> str | None:
        """Put the values of variables in; None when one has no value."""
        if depth > _DEEPEST:
            return None
        parts: list[str] = []
        at = size = 0
        while match := _VAR.search(text, at):
            end = _find_close(text, match.end())
            value = self._find(row, match[1], depth)
            if value is None:
                inside = text[match.end() : end]
                value = self.fill(inside[1:], row, depth + 1) if inside.startswith(",") else None
            size += len(value or "")
            if value is None or size > _LONGEST:
                return None
            parts += text[at : match.start()], value
            at = end + 1
        return "".join([*parts, text[at:]]).strip()

    def _find(self, row: int, name: str, depth: int) -> str | None:
        """Look a variable up, here and above; variables in it are those of where it was set."""
        passed: list[int] = []
        value: str | None = None
        while row >= 0:
            if (row, name) in self._known:
                value = self._known[row, name]
                break
            passed.append(row)
            if (text := _pick(self._settings.get(row, ()), name)) is not None and text.lower() not in _INHERITING:
                self._known[row, name] = None  # should it ask for itself
                value = None if text.lower() == Wide.INITIAL.value else self.fill(text, row, depth + 1)
                break
            row = self._nodes.parent[row]
        if len(self._known) < 100_000:
            self._known.update(((row, name), value) for row in passed)
        return value


_INHERITING = frozenset(("inherit", "unset", "revert", "revert-layer"))


def _pick(rules: Iterable[Settings], name: str) -> str | None:
    chosen: str | None = None
    is_chosen_important = False
    for rule in rules:
        if name in rule:
            text, is_important = rule[name]
            if is_important or not is_chosen_important:
                chosen, is_chosen_important = text, is_important
    return chosen


def _find_close(text: str, at: int) -> int:
    depth = 1
    while at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
        at += 1
    return at
