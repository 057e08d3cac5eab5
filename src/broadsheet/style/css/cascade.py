"""The cascade: of all that is declared for an element, what holds (CSS Cascade 5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Sized
from typing import TypeVar

from broadsheet.page import Page
from broadsheet.style.css.declarations import Declaration, Pending, Vocabulary, Wide, parse_declared, read_declarations
from broadsheet.style.css.defaults import (
    BY_TAG,
    CHANGING_BY_TAG,
    QUIRKY_BY_TAG,
    QUIRKY_CHANGING_BY_TAG,
    Values,
    find_hints,
    find_row_defaults,
)
from broadsheet.style.css.matching import Matched, NameIndex, match_rules
from broadsheet.style.css.rules import read_rules
from broadsheet.style.css.variables import Settings, Variables, read_settings

T = TypeVar("T", bound=Sized)

_NOTHING: Values = {}
_MOST_KEPT = 10_000  # values with variables put in, for hostile pages


class Cascade:
    """A page's rules, matched once; what they come to is worked out for the rows that are asked for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.index = NameIndex(page.nodes)
        self.rules = read_rules(page)
        self._variables: Variables | None = None

    def apply(self, words: Vocabulary, *, with_defaults: bool) -> Declared:
        """Match the rules that say something in the vocabulary."""
        return Declared(self, words, with_defaults=with_defaults)

    @property
    def variables(self) -> Variables:
        """The page's CSS variables; most pages never come here."""
        if self._variables is None:
            self._variables = Variables(self.page.nodes, self._match_variables())
        return self._variables

    def _match_variables(self) -> Mapping[int, Sequence[Settings]]:
        settings: dict[int, list[Settings]] = defaultdict(list)
        for match in sorted(match_rules(self.page, self.index, self.rules, ("--",), read_settings), key=_rank):
            for row in match.rows:
                settings[row].append(match.says)
        for row, style in self.index.inline:
            if "--" in style:
                settings[row].append(read_settings(style))
        return settings


def _rank(match: Matched[T]) -> tuple[tuple[int, ...], int, int]:
    return match.layer, match.specificity, match.order


class Declared:
    """What is declared for each row, of one vocabulary."""

    def __init__(self, cascade: Cascade, words: Vocabulary, *, with_defaults: bool) -> None:
        page, index = cascade.page, cascade.index
        self._cascade = cascade
        self._words = words
        self._tags = page.nodes.tag
        self._is_quirky = index.is_quirky

        def read(body: str) -> tuple[Declaration, ...]:
            return read_declarations(body, words, is_quirky=self._is_quirky)

        matched = sorted(match_rules(page, index, cascade.rules, words.stems, read), key=_rank)
        self.matched = matched
        self._set_of = [0] * len(page.nodes)  # row -> number of the set of rules that match it
        self._sets = [(0, 0)]  # of each: the set that it adds a rule to, and the rule's rank; the first has none
        self._sort_rows()
        known = {text: read(text) for text in {text for _, text in index.inline}}
        self._inline = {row: known[text] for row, text in index.inline}
        self.by_tag: Mapping[str, Values] = {}
        self.changing_by_tag: Mapping[str, Values] = {}
        if with_defaults:
            self.by_tag = QUIRKY_BY_TAG if self._is_quirky else BY_TAG
            self.changing_by_tag = QUIRKY_CHANGING_BY_TAG if self._is_quirky else CHANGING_BY_TAG
        self._row_defaults = find_row_defaults(index) if with_defaults else {}
        self._hints = find_hints(index) if with_defaults else {}
        matching = (row for match in matched for row in match.rows)
        self.special = {*matching, *self._inline, *self._row_defaults, *self._hints}  # rows with more than their tag's
        self._has_layers = len({match.layer for match in matched}) > 1
        self._known: dict[tuple[str, int, int, int, int], Values] = {}
        self._settled: dict[tuple[int, tuple[str | None, ...]], Values] = {}
        self._pending: set[int] = set()  # identities of the known values that have variables in them

    def _sort_rows(self) -> None:
        """Put rows that the same rules match into one set: what holds for them is worked out once."""
        set_of, sets = self._set_of, self._sets
        for rank, match in enumerate(self.matched):
            with_rule: dict[int, int] = {}  # set -> the same with this rule
            for row in match.rows:
                old = set_of[row]
                if old not in with_rule:
                    with_rule[old] = len(sets)
                    sets.append((old, rank))
                set_of[row] = with_rule[old]

    def _list_ranks(self, number: int) -> list[int]:
        """Ranks of the rules in a set, the strongest last."""
        ranks = []
        while number:
            number, rank = self._sets[number]
            ranks.append(rank)
        return ranks[::-1]

    def find(self, row: int) -> Values:
        """What holds for an element row: property -> value. Equal rows mostly get the same object."""
        number, tag = self._set_of[row], self._tags[row]
        extra, hints = self._row_defaults.get(row, _NOTHING), self._hints.get(row, _NOTHING)
        inline = self._inline.get(row, ())
        if not (number or extra or hints or inline):
            return self.by_tag.get(tag, _NOTHING)
        key = (tag, number, id(extra), id(hints), id(inline))  # all are kept here: no two at one address
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._merge(row, tag, self._list_ranks(number), inline)
            if _has_variables(known):
                self._pending.add(id(known))
        return self._settle(row, known) if id(known) in self._pending else known

    def _merge(self, row: int, tag: str, ranks: Sequence[int], inline: tuple[Declaration, ...]) -> Values:
        default = {**self.by_tag.get(tag, _NOTHING), **self._row_defaults.get(row, _NOTHING)}
        values: dict[str, object] = {**default, **self._hints.get(row, _NOTHING)}
        important: list[tuple[tuple[tuple[int, ...], int], Declaration]] = []
        for rank in ranks:
            match = self.matched[rank]
            for declaration in match.says:
                if declaration.is_important:
                    layer = tuple(-place for place in match.layer)  # among important ones the first layer is strongest
                    important.append(((layer, rank), declaration))
                else:
                    values[declaration.name] = declaration.value
        for declaration in inline:
            if not declaration.is_important:
                values[declaration.name] = declaration.value
        if important and self._has_layers:
            important.sort(key=lambda item: item[0])
        for _, declaration in important:
            values[declaration.name] = declaration.value
        for declaration in inline:
            if declaration.is_important:
                values[declaration.name] = declaration.value
        for name, value in values.items():
            if value is Wide.REVERT:
                values[name] = default.get(name, Wide.UNSET)
        return values

    def _settle(self, row: int, values: Values) -> Values:
        """Put variables in; rows for which they say the same get the same object."""
        fill = self._cascade.variables.fill_in
        texts = {name: fill(value.text, row) for name, value in values.items() if isinstance(value, Pending)}
        key = (id(values), tuple(texts.values()))
        known = self._settled.get(key)
        if known is None:
            known = {
                name: self._parse(row, name, value, texts[name]) if isinstance(value, Pending) else value
                for name, value in values.items()
            }
            if len(self._settled) < _MOST_KEPT:
                self._settled[key] = known
        return known

    def _parse(self, row: int, name: str, pending: Pending, text: str | None) -> object:
        if text is None or "var(" in text:
            return Wide.UNSET
        value = parse_declared(pending.name, text, self._words, is_quirky=self._is_quirky).get(name, Wide.UNSET)
        if value is Wide.REVERT:
            return self.by_tag.get(self._tags[row], _NOTHING).get(name, Wide.UNSET)
        return value


def _has_variables(values: Values) -> bool:
    return any(type(value) is Pending for value in values.values())
