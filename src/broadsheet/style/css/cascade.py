"""The cascade: find the winning declaration of each property for each element (CSS Cascade 5, without layers)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from broadsheet.page import Nodes, Page
from broadsheet.style.css.bounds import (
    MAX_CSS_CHARS,
    MAX_MATCH_STEPS,
    MAX_SCOPE_ENTRIES,
    MAX_STYLE_ATTRIBUTES,
    MAX_SUBSTITUTED_CHARS,
    MAX_SUBSTITUTIONS,
    MAX_VAR_DEPTH,
)
from broadsheet.style.css.matching import Matcher, Rows
from broadsheet.style.css.properties import (
    CssWideKeyword,
    DeclarationBlock,
    PendingSubstitution,
    PropertyGroup,
    PropertyValues,
    parse_value,
    read_declarations,
)
from broadsheet.style.css.selectors import parse_selector, split_selectors
from broadsheet.style.css.sheets import find_closing_bracket, mask_tokens, read_rules
from broadsheet.style.css.user_agent import ATTRIBUTE_RULES, QUIRKY_TAG_STYLES, TAG_STYLES, find_presentational_hints

NO_VALUES: PropertyValues = {}
_STEPS_PER_SELECTOR = 10  # to split a list, and to reject a selector
_STEPS_PER_MATCH = 50  # to parse a selector and the body of its rule
_RULES_PER_DEADLINE_CHECK = 64


class _Source(NamedTuple):
    """Rows, and the declarations of a rule or attribute for them."""

    rows: Rows
    block: DeclarationBlock


class Cascade:
    """The rules of a page, matched to its elements."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.matcher = Matcher(page.nodes)
        self.rules = read_rules(page)

    def match(self, group: PropertyGroup, *, with_user_agent: bool = False) -> CascadedValues:
        """Match the rules with declarations in the group, with or without the user agent's rules."""
        return CascadedValues(self, group, with_user_agent=with_user_agent)

    @cached_property
    def custom_properties(self) -> CustomProperties:
        """The custom properties of the page, which most pages do not need."""
        return CustomProperties(self.page.nodes, self.match(CUSTOM_PROPERTIES))

    @cached_property
    def style_attributes(self) -> dict[str, list[int]]:
        """Distinct values of the `style` attribute without comments and the like, and their rows."""
        rows_by_value: defaultdict[str, list[int]] = defaultdict(list)
        for row, value in self.matcher.read_attribute("style").items():
            rows_by_value[value].append(row)
        masked: dict[str, list[int]] = {}
        chars_left = MAX_CSS_CHARS
        for value, rows in list(rows_by_value.items())[:MAX_STYLE_ATTRIBUTES]:
            chars_left -= len(value)
            if chars_left < 0:
                break
            masked.setdefault(mask_tokens(value), []).extend(rows)
        return masked


class CascadedValues:
    """The cascaded values of a page's elements, for one group of properties."""

    def __init__(self, cascade: Cascade, group: PropertyGroup, *, with_user_agent: bool) -> None:
        self._cascade, self._group = cascade, group
        self._tags = cascade.page.nodes.tag
        self._is_quirky = cascade.matcher.is_quirky
        self.tag_styles = (QUIRKY_TAG_STYLES if self._is_quirky else TAG_STYLES) if with_user_agent else {}
        sources = [*self._list_user_agent()] if with_user_agent else []
        sources += [*self._match_rules(), *self._list_inline()]
        self._blocks = [source.block for source in sources]
        self._numbers: defaultdict[int, list[int]] = defaultdict(list)  # row -> numbers of blocks, the strongest last
        for number, source in enumerate(sources):
            for row in source.rows:
                self._numbers[row].append(number)
        self.styled_rows = self._numbers.keys()  # rows whose values are not just those of their tag
        self._cache: dict[tuple[str, tuple[int, ...]], PropertyValues] = {}
        self._pending_ids: set[int] = set()  # id() of the cached values that contain var()
        self._substituted: dict[tuple[int, int], PropertyValues] = {}

    def _read(self, body: str) -> DeclarationBlock:
        return read_declarations(body, self._group, is_quirky=self._is_quirky)

    def _list_user_agent(self) -> Iterator[_Source]:
        """List the user agent's rules that depend on attributes, then the hints of attributes such as `bgcolor`."""
        matcher = self._cascade.matcher
        matcher.steps_left = MAX_MATCH_STEPS
        for selector, block in ATTRIBUTE_RULES:
            yield _Source(matcher.find(selector), block)
        rows_by_hint: defaultdict[tuple[tuple[str, object], ...], list[int]] = defaultdict(list)
        for row, values in find_presentational_hints(matcher).items():
            rows_by_hint[tuple(values.items())].append(row)
        for hint, rows in rows_by_hint.items():
            yield _Source(rows, DeclarationBlock(dict(hint), {}))

    def _match_rules(self) -> list[_Source]:
        """Return the rules that match, the strongest last. Rules beyond MAX_MATCH_STEPS are ignored."""
        matcher, substrings = self._cascade.matcher, self._group.substrings
        matcher.steps_left = MAX_MATCH_STEPS
        matches: list[tuple[int, int, _Source]] = []
        for order, (selectors, body) in enumerate(self._cascade.rules):
            if order % _RULES_PER_DEADLINE_CHECK == 0:
                self._cascade.page.deadline.check()
            if not _contains_any(body, substrings):
                continue
            block: DeclarationBlock | None = None
            for text in split_selectors(selectors):
                matcher.steps_left -= _STEPS_PER_SELECTOR
                if not matcher.may_match(text):
                    continue
                matcher.steps_left -= _STEPS_PER_MATCH
                if (selector := parse_selector(text)) is None:
                    continue
                if rows := matcher.find(selector):
                    matcher.steps_left -= len(rows)
                    block = self._read(body) if block is None else block
                    matches.append((selector.specificity, order, _Source(rows, block)))
            if matcher.steps_left < 0:
                break
        matches.sort(key=lambda match: match[:2])
        return [source for _, _, source in matches if source.block.normal or source.block.important]

    def _list_inline(self) -> Iterator[_Source]:
        for text, rows in self._cascade.style_attributes.items():
            if _contains_any(text, self._group.substrings):
                yield _Source(rows, self._read(text))

    def get(self, row: int) -> PropertyValues:
        """Return the cascaded values of an element. Equal elements share one object."""
        tag, numbers = self._tags[row], self._numbers.get(row)
        if not numbers:
            return self.tag_styles.get(tag, NO_VALUES)
        key = (tag, tuple(numbers))
        values = self._cache.get(key)
        if values is None:
            values = self._cache[key] = self._merge(tag, numbers)
            if any(type(value) is PendingSubstitution for value in values.values()):
                self._pending_ids.add(id(values))
        return self._substitute(row, values) if id(values) in self._pending_ids else values

    def _merge(self, tag: str, numbers: list[int]) -> PropertyValues:
        values = dict(self.tag_styles.get(tag, NO_VALUES))
        for number in numbers:
            values.update(self._blocks[number].normal)
        for number in numbers:
            values.update(self._blocks[number].important)
        return values

    def _substitute(self, row: int, values: PropertyValues) -> PropertyValues:
        """Substitute `var()`. Rows with the same custom properties share one object."""
        scope = self._cascade.custom_properties.find_scope(row)
        key = (id(values), id(scope))
        if key not in self._substituted:
            self._substituted[key] = {name: self._parse(name, value, scope) for name, value in values.items()}
        return self._substituted[key]

    def _parse(self, name: str, value: object, scope: Scope) -> object:
        """Parse a value that contained `var()`; an invalid one is `unset`."""
        if not isinstance(value, PendingSubstitution):
            return value
        text = self._cascade.custom_properties.substitute(value.text, scope)
        if text is None or "var(" in text:
            return CssWideKeyword.UNSET
        values = parse_value(value.name, text, self._group, is_quirky=self._is_quirky)
        return values.get(name, CssWideKeyword.UNSET)


def _contains_any(body: str, substrings: tuple[str, ...]) -> bool:
    """Return whether a body contains one of the lower-case substrings, in upper or lower case."""
    for substring in substrings:  # a generator takes twice as long
        if substring in body:
            return True
    return not body.islower() and any(substring in body.lower() for substring in substrings)


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
