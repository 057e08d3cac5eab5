"""JSON-LD: the structured data in `<script type="application/ld+json">`.

Many pages write it wrongly: comments around it, trailing commas, bare newlines, several objects in a row, a list in
place of a string. The reader repairs the common mistakes and skips the rest; it never raises, and its work is bounded.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

_MAX_CHARS = 1_000_000  # of all scripts together; the longest valid script on 1,000 pages had 840,000
_MAX_VALUES = 20_000  # visited in search of items
_MAX_ITEMS = 500
_MAX_TEXTS = 200  # of one property
_MAX_OBJECTS = 20  # in a row in one script
_MAX_NUMBER = 1e20  # larger numbers are not facts

_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_ESCAPE = re.compile(r'\\(u[0-9a-fA-F]{4}|["\\/bfnrt])|\\')
_DECODER = json.JSONDecoder(strict=False)  # strict=False: allow control characters in strings


class Item(NamedTuple):
    """A JSON object that has a type or an id."""

    types: tuple[str, ...]  # without the address of the vocabulary: "NewsArticle"
    parent_property: str  # the property whose value it is, "" at the top level
    values: Mapping[str, object]

    def texts(self, name: str) -> list[str]:
        """Return all strings and numbers of a property as strings, out of lists and `@value`; [] if there are none."""
        return [value for value in _flatten(self.values.get(name)) if isinstance(value, str)]


class JsonLd(NamedTuple):
    """The items of a page in document order, outer items before inner ones."""

    items: tuple[Item, ...]
    by_id: Mapping[str, Item]

    def things(self, item: Item, name: str) -> list[str | Item]:
        """Return all values of a property as strings and items. References by `@id` are resolved."""
        things: list[str | Item] = []
        for value in _flatten(item.values.get(name)):
            if isinstance(value, str):
                things.append(value)
            else:
                target = value.get("@id")
                is_reference = isinstance(target, str) and len(value) <= 2 and target in self.by_id
                things.append(self.by_id[str(target)] if is_reference else _make_item(value, name))
        return things


def read_json_ld(scripts: Iterable[str]) -> JsonLd:
    """Read the texts of a page's scripts. Repeated scripts are read once."""
    items: list[Item] = []
    by_id: dict[str, Item] = {}
    budget = _MAX_CHARS
    for text in dict.fromkeys(scripts):
        if len(text) > budget:
            continue
        budget -= len(text)
        for value in _parse(text):
            items += _find_items(value)
    for item in items[:_MAX_ITEMS]:
        name = item.values.get("@id")
        # Some graphs refer to an item by its id before they describe it: keep the one with the most properties.
        if isinstance(name, str) and (name not in by_id or len(item.values) > len(by_id[name].values)):
            by_id[name] = item
    return JsonLd(tuple(items[:_MAX_ITEMS]), by_id)


def _parse(text: str) -> list[object]:
    try:
        return [json.loads(text, strict=False)]
    except (ValueError, RecursionError):
        pass
    return _parse_repaired(text) or (_parse_repaired(html.unescape(text)) if "&quot;" in text else [])


def _parse_repaired(text: str) -> list[object]:
    """Repair the common mistakes, then parse the objects between the first and the last bracket."""
    starts = [at for at in (text.find("{"), text.find("[{")) if at >= 0]
    if not starts:
        return []
    text = text[min(starts) : max(text.rfind("}"), text.rfind("]")) + 1]
    text = _ESCAPE.sub(_repair_escape, _TRAILING_COMMA.sub("", text))
    values: list[object] = []
    at = 0
    try:
        while at >= 0 and len(values) < _MAX_OBJECTS:
            value, end = _DECODER.raw_decode(text, at)
            values.append(value)
            at = text.find("{", end)
    except (ValueError, RecursionError):
        pass
    return values


def _repair_escape(match: re.Match[str]) -> str:
    return match[0] if match[1] else "\\\\"


def _find_items(root: object) -> Iterator[Item]:
    """Walk a value without recursion and yield the objects that have a type or an id."""
    stack: list[tuple[str, object]] = [("", root)]
    visits = _MAX_VALUES
    while stack and visits:
        visits -= 1
        parent_property, value = stack.pop()
        if isinstance(value, dict):
            if "@type" in value or "@id" in value:
                yield _make_item(value, parent_property)
            inner = [("" if key == "@graph" else key, part) for key, part in value.items()]
        elif isinstance(value, list):
            inner = [(parent_property, part) for part in value]
        else:
            continue
        stack += [pair for pair in reversed(inner) if isinstance(pair[1], dict | list)]


def _make_item(value: Mapping[str, object], parent_property: str) -> Item:
    types = tuple(part.rstrip("/").rpartition("/")[2] for part in _flatten(value.get("@type")) if isinstance(part, str))
    return Item(types, parent_property, value)


def _flatten(value: object) -> list[str | Mapping[str, object]]:
    """Return the strings, numbers (as strings) and objects of a value, out of lists and `@value`."""
    parts: list[str | Mapping[str, object]] = []
    stack, visits = [value], _MAX_TEXTS
    while stack and visits:
        visits -= 1
        part = stack.pop()
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, list):
            stack += reversed(part[:_MAX_TEXTS])
        elif isinstance(part, dict):
            if "@value" in part or "@list" in part:
                stack.append(part.get("@value") or part.get("@list"))
            else:
                parts.append(part)
        elif isinstance(part, int | float) and not isinstance(part, bool):
            parts.append(str(part) if abs(part) < _MAX_NUMBER else "")
    return parts
