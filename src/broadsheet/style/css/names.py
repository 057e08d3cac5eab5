"""An index of a page's elements by class, id and type, which rejects most selectors without matching them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import chain

from broadsheet.page import TEXT, Nodes
from broadsheet.style.css.bounds import MAX_CLASSES, MAX_CSS_CHARS, MAX_NAMES, MAX_STYLE_ATTRIBUTES
from broadsheet.style.css.masking import mask_tokens
from broadsheet.style.css.selector_text import remove_attributes
from broadsheet.style.css.selectors import FIRST_NAME, list_required_names

_MATCHES_ANY = re.compile(r":(?:is|where)\(([^()]*)\)")


class NameIndex:
    """Rows of a page's elements by ".class", "#id" and "type"."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.is_quirky = nodes.table.is_quirky
        rows_by_tag: defaultdict[str, list[int]] = defaultdict(list)
        for row, tag in enumerate(nodes.tag):
            rows_by_tag[tag].append(row)
        self.element_count = len(nodes) - len(rows_by_tag.pop(TEXT, ()))
        self.max_class_chars = 0  # length of the longest class attribute
        # Lists of rows by name, merged on first use: most names of a page are in no rule.
        self._row_lists: dict[str, list[list[int]]] = {tag: [rows] for tag, rows in rows_by_tag.items()}
        self._add_attribute("class", ".")
        self._add_attribute("id", "#")

    def _add_attribute(self, attribute: str, prefix: str) -> None:
        rows_with_attribute = self.nodes.select(f"[{attribute}]")
        values = self.nodes.attrs.get_all(rows_with_attribute, attribute)
        rows_by_value: defaultdict[str, list[int]] = defaultdict(list)  # many elements have the same classes
        for row, value in zip(rows_with_attribute, values, strict=True):
            rows_by_value[value or ""].append(row)
        if prefix == ".":
            self.max_class_chars = max(map(len, rows_by_value), default=0)
        row_lists = self._row_lists
        for value, rows in rows_by_value.items():
            if len(row_lists) > MAX_NAMES:
                break
            value = value.lower() if self.is_quirky else value
            names = dict.fromkeys(value.split(None, MAX_CLASSES)[:MAX_CLASSES]) if prefix == "." else (value,)
            for name in names:
                key = prefix + name
                if key in row_lists:
                    row_lists[key].append(rows)
                else:
                    row_lists[key] = [rows]

    def find_rarest(self, names: Sequence[str]) -> Sequence[int]:
        """Return the rows of the elements with the rarest of some names, in document order."""
        if self.is_quirky:
            names = list(map(str.lower, names))
        return min(map(self.rows, names), key=len)

    def rows(self, name: str) -> Sequence[int]:
        """Return the rows of the elements with a name, in document order."""
        row_lists = self._row_lists.get(name)
        if row_lists is None:
            return ()
        if len(row_lists) > 1:
            row_lists[:] = [sorted(chain.from_iterable(row_lists))]
        return row_lists[0]

    @cached_property
    def elements(self) -> Sequence[int]:
        """Rows of all elements."""
        return [row for row, tag in enumerate(self.nodes.tag) if tag != TEXT]

    @cached_property
    def style_attributes(self) -> list[tuple[int, str]]:
        """Rows with a `style` attribute, and its value without comments and the like."""
        rows = self.nodes.select("[style]")
        values = self.nodes.attrs.get_all(rows, "style")
        masked: dict[str | None, str] = {}
        chars_left = MAX_CSS_CHARS
        for value in dict.fromkeys(filter(None, values)):
            chars_left -= len(value)
            if chars_left < 0 or len(masked) >= MAX_STYLE_ATTRIBUTES:
                break
            masked[value] = mask_tokens(value)
        return [(row, masked[value]) for row, value in zip(rows, values, strict=True) if value in masked]

    def may_match(self, selector: str) -> bool:
        """Return whether the names in a selector are on the page. Most selectors are rejected here."""
        first = FIRST_NAME.match(selector)  # decides most cases without reading the other names
        if first is not None and first[1] not in self._row_lists and not self.is_quirky:
            return False
        return self._has_names(selector) and ("(" not in selector or self._may_match_functions(selector))

    def _has_names(self, selector: str) -> bool:
        names = self._row_lists
        for name in list_required_names(selector.lower() if self.is_quirky else selector):
            if name not in names and (name[0] in ".#" or name.lower() not in names):
                return False
        return True

    def _may_match_functions(self, selector: str) -> bool:
        """Return whether the names of one argument of each `:is()` and `:where()` are on the page.

        Only for selectors without other functions: inside `:not()`, an argument need not match.
        """
        selector = remove_attributes(selector)
        argument_lists = _MATCHES_ANY.findall(selector)
        if len(argument_lists) != selector.count("("):
            return True
        return all(any(map(self._has_names, arguments.split(","))) for arguments in argument_lists)
