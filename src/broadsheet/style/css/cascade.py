"""The cascade: find the winning declaration of each property for each element (CSS Cascade 5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from broadsheet.page import Page
from broadsheet.style.css.bounds import MAX_CACHED_VALUES
from broadsheet.style.css.custom_properties import CustomDeclarations, CustomProperties, read_custom_declarations
from broadsheet.style.css.declarations import (
    CssWideKeyword,
    Declaration,
    PendingSubstitution,
    PropertyGroup,
    PropertyValues,
    parse_value,
    read_declarations,
)
from broadsheet.style.css.matching import RuleMatcher
from broadsheet.style.css.presentational_hints import find_presentational_hints
from broadsheet.style.css.rules import LayerOrder
from broadsheet.style.css.user_agent import (
    INHERITING_TAG_STYLES,
    QUIRKY_INHERITING_TAG_STYLES,
    QUIRKY_TAG_STYLES,
    TAG_STYLES,
    find_attribute_styles,
)

NO_VALUES: PropertyValues = {}


class Cascade:
    """The rules of a page, matched to its elements."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.matcher = RuleMatcher(page)

    def match(self, group: PropertyGroup, *, with_user_agent: bool) -> CascadedValues:
        """Match the rules with declarations in the group, with or without the user agent's rules."""
        return CascadedValues(self, group, with_user_agent=with_user_agent)

    @cached_property
    def custom_properties(self) -> CustomProperties:
        """The custom properties of the page, which most pages do not need."""
        declarations: dict[int, list[CustomDeclarations]] = defaultdict(list)
        for match in self.matcher.match(("--",), read_custom_declarations):
            for row in match.rows:
                declarations[row].append(match.content)
        for row, style in self.matcher.index.style_attributes:
            if "--" in style:
                declarations[row].append(read_custom_declarations(style))
        return CustomProperties(self.page.nodes, declarations)


class CascadedValues:
    """The cascaded values of a page's elements, for one group of properties."""

    def __init__(self, cascade: Cascade, group: PropertyGroup, *, with_user_agent: bool) -> None:
        page, index = cascade.page, cascade.matcher.index
        self._cascade = cascade
        self._group = group
        self._tags = page.nodes.tag
        self._is_quirky = index.is_quirky
        self._matches = cascade.matcher.match(group.substrings, self._read)
        self._has_layers = len({match.layer for match in self._matches}) > 1
        self._rule_sets: list[tuple[int, int]] = [(0, 0)]  # number of the set that is extended, rank of the new rule
        self._set_of_row = self._group_rows(len(page.nodes))
        declarations = {text: self._read(text) for text in {text for _, text in index.style_attributes}}
        self._inline = {row: declarations[text] for row, text in index.style_attributes}
        self._attribute_styles = find_attribute_styles(index) if with_user_agent else {}
        self._hints = find_presentational_hints(index) if with_user_agent else {}
        self.tag_styles: Mapping[str, PropertyValues] = {}
        self.inheriting_tag_styles: Mapping[str, PropertyValues] = {}
        if with_user_agent:
            self.tag_styles = QUIRKY_TAG_STYLES if self._is_quirky else TAG_STYLES
            self.inheriting_tag_styles = QUIRKY_INHERITING_TAG_STYLES if self._is_quirky else INHERITING_TAG_STYLES
        # Rows whose values are not just those of their tag.
        matched_rows = (row for match in self._matches for row in match.rows)
        self.styled_rows = {*matched_rows, *self._inline, *self._attribute_styles, *self._hints}
        self._cache: dict[tuple[str, int, int, int, int], PropertyValues] = {}
        self._pending_ids: set[int] = set()  # id() of the cached values that contain var()
        self._substituted: dict[tuple[int, tuple[str | None, ...]], PropertyValues] = {}

    def _read(self, body: str) -> tuple[Declaration, ...]:
        return read_declarations(body, self._group, is_quirky=self._is_quirky)

    def _group_rows(self, row_count: int) -> list[int]:
        """Give rows that the same rules match the same number, so that their values are computed once.

        A set of rules is stored as a smaller set and one more rule. Set 0 is empty.
        """
        set_of_row, rule_sets = [0] * row_count, self._rule_sets
        for rank, match in enumerate(self._matches):
            extended: dict[int, int] = {}  # set -> the same with this rule
            for row in match.rows:
                number = set_of_row[row]
                if number not in extended:
                    extended[number] = len(rule_sets)
                    rule_sets.append((number, rank))
                set_of_row[row] = extended[number]
        return set_of_row

    def _list_ranks(self, set_number: int) -> list[int]:
        """List the ranks of the rules in a set, the strongest last."""
        ranks = []
        while set_number:
            set_number, rank = self._rule_sets[set_number]
            ranks.append(rank)
        return ranks[::-1]

    def get(self, row: int) -> PropertyValues:
        """Return the cascaded values of an element. Equal elements mostly share one object."""
        set_number, tag = self._set_of_row[row], self._tags[row]
        attribute_style = self._attribute_styles.get(row, NO_VALUES)
        hints = self._hints.get(row, NO_VALUES)
        inline = self._inline.get(row, ())
        if not (set_number or attribute_style or hints or inline):
            return self.tag_styles.get(tag, NO_VALUES)
        # The objects live as long as this one, so that an id() is never reused.
        key = (tag, set_number, id(attribute_style), id(hints), id(inline))
        values = self._cache.get(key)
        if values is None:
            values = self._cache[key] = self._merge(row, tag, self._list_ranks(set_number), inline)
            if any(type(value) is PendingSubstitution for value in values.values()):
                self._pending_ids.add(id(values))
        return self._substitute(row, values) if id(values) in self._pending_ids else values

    def _merge(self, row: int, tag: str, ranks: Sequence[int], inline: tuple[Declaration, ...]) -> PropertyValues:
        user_agent = {**self.tag_styles.get(tag, NO_VALUES), **self._attribute_styles.get(row, NO_VALUES)}
        values: dict[str, object] = {**user_agent, **self._hints.get(row, NO_VALUES)}
        important = self._apply_rules(values, ranks)
        for declaration in inline:
            if not declaration.is_important:
                values[declaration.name] = declaration.value
        for declaration in important:
            values[declaration.name] = declaration.value
        for declaration in inline:
            if declaration.is_important:
                values[declaration.name] = declaration.value
        for name, value in values.items():
            if value is CssWideKeyword.REVERT:
                values[name] = user_agent.get(name, CssWideKeyword.UNSET)
        return values

    def _apply_rules(self, values: dict[str, object], ranks: Sequence[int]) -> list[Declaration]:
        """Write the normal declarations of rules into `values`; return the important ones, the strongest last."""
        important: list[tuple[tuple[LayerOrder, int], Declaration]] = []
        for rank in ranks:
            match = self._matches[rank]
            for declaration in match.content:
                if declaration.is_important:
                    reversed_layer = tuple(-order for order in match.layer)  # important: the first layer is strongest
                    important.append(((reversed_layer, rank), declaration))
                else:
                    values[declaration.name] = declaration.value
        if important and self._has_layers:
            important.sort(key=lambda item: item[0])
        return [declaration for _, declaration in important]

    def _substitute(self, row: int, values: PropertyValues) -> PropertyValues:
        """Substitute `var()`. Rows with equal custom properties share one object."""
        substitute = self._cascade.custom_properties.substitute
        texts = {
            name: substitute(value.text, row)
            for name, value in values.items()
            if isinstance(value, PendingSubstitution)
        }
        key = (id(values), tuple(texts.values()))
        substituted = self._substituted.get(key)
        if substituted is None:
            substituted = {
                name: self._parse(row, name, value.name, texts[name])
                if isinstance(value, PendingSubstitution)
                else value
                for name, value in values.items()
            }
            if len(self._substituted) < MAX_CACHED_VALUES:
                self._substituted[key] = substituted
        return substituted

    def _parse(self, row: int, longhand: str, declared_name: str, text: str | None) -> object:
        """Parse a value after substitution; an invalid one is `unset`."""
        if text is None or "var(" in text:
            return CssWideKeyword.UNSET
        values = parse_value(declared_name, text, self._group, is_quirky=self._is_quirky)
        value = values.get(longhand, CssWideKeyword.UNSET)
        if value is CssWideKeyword.REVERT:
            return self.tag_styles.get(self._tags[row], NO_VALUES).get(longhand, CssWideKeyword.UNSET)
        return value
