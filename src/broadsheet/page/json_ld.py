"""JSON-LD: what a page says of itself in `<script type="application/ld+json">`, read with forgiveness.

Pages get it wrong in every way there is: comments around it, commas too many, bare newlines, one object after another,
a list where a string should be. Whatever can be read is read; nothing here raises, and the work is bounded.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

_MAX_CHARS = 1_000_000  # of all scripts together; the longest honest one among 1,000 had 840,000
_MAX_VALUES = 20_000  # visited while looking for items
_MAX_ITEMS = 500
_MAX_TEXTS = 200  # of one property
_MAX_OBJECTS = 20  # written one after another in one script

_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_ESCAPE = re.compile(r'\\(u[0-9a-fA-F]{4}|["\\/bfnrt])|\\')
_DECODER = json.JSONDecoder(strict=False)  # strict=False: control characters in strings are let through


@dataclass(frozen=True, slots=True)
class Item:
    """A JSON object that has a type or an id, and the property it stood in ("" at the top)."""

    types: tuple[str, ...]  # without their address: "NewsArticle"
    place: str
    values: Mapping[str, object]

    def texts(self, name: str) -> list[str]:
        """All strings and numbers of a property, however they are wrapped; [] when there are none."""
        return [value for value in _flatten(self.values.get(name)) if isinstance(value, str)]


@dataclass(frozen=True, slots=True)
class JsonLd:
    """The items of a page in document order, the outer before the inner."""

    items: tuple[Item, ...] = ()
    by_id: Mapping[str, Item] = field(default_factory=dict)

    def things(self, item: Item, name: str) -> list[str | Item]:
        """All values of a property as strings and items; references by `@id` are followed."""
        found: list[str | Item] = []
        for value in _flatten(item.values.get(name)):
            if isinstance(value, str):
                found.append(value)
            else:
                target = value.get("@id")
                is_reference = isinstance(target, str) and len(value) <= 2 and target in self.by_id
                found.append(self.by_id[str(target)] if is_reference else _make_item(value, name))
        return found


def read_json_ld(scripts: Iterable[str]) -> JsonLd:
    """Read the texts of a page's scripts; the same text twice is read once."""
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
        # Some graphs mention an item by its bare id before they describe it: the fullest one counts.
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
    """Parse what is between the first and the last bracket, after mending the usual mistakes."""
    starts = [at for at in (text.find("{"), text.find("[{")) if at >= 0]
    if not starts:
        return []
    text = text[min(starts) : max(text.rfind("}"), text.rfind("]")) + 1]
    text = _ESCAPE.sub(_mend_escape, _TRAILING_COMMA.sub("", text))
    found: list[object] = []
    at = 0
    try:
        while at >= 0 and len(found) < _MAX_OBJECTS:
            value, end = _DECODER.raw_decode(text, at)
            found.append(value)
            at = text.find("{", end)
    except (ValueError, RecursionError):
        pass
    return found


def _mend_escape(match: re.Match[str]) -> str:
    return match[0] if match[1] else "\\\\"


def _find_items(root: object) -> Iterator[Item]:
    """Walk the value without recursion and give out what has a type or an id."""
    stack: list[tuple[str, object]] = [("", root)]
    visits = _MAX_VALUES
    while stack and visits:
        visits -= 1
        place, value = stack.pop()
        if isinstance(value, dict):
            if "@type" in value or "@id" in value:
                yield _make_item(value, place)
            inner = [("" if key == "@graph" else key, part) for key, part in value.items()]
        elif isinstance(value, list):
            inner = [(place, part) for part in value]
        else:
            continue
        stack += [pair for pair in reversed(inner) if isinstance(pair[1], dict | list)]


def _make_item(value: Mapping[str, object], place: str) -> Item:
    types = tuple(part.rstrip("/").rpartition("/")[2] for part in _flatten(value.get("@type")) if isinstance(part, str))
    return Item(types, place, value)


def _flatten(value: object) -> list[str | Mapping[str, object]]:
    """Strings, numbers as strings, and objects of a value that may be wrapped in lists and `@value`."""
    found: list[str | Mapping[str, object]] = []
    stack, visits = [value], _MAX_TEXTS
    while stack and visits:
        visits -= 1
        part = stack.pop()
        if isinstance(part, str):
            found.append(part)
        elif isinstance(part, list):
            stack += reversed(part[:_MAX_TEXTS])
        elif isinstance(part, dict):
            if "@value" in part or "@list" in part:
                stack.append(part.get("@value") or part.get("@list"))
            else:
                found.append(part)
        elif isinstance(part, int | float) and not isinstance(part, bool):
            found.append(_write_number(part))
    return found


def _write_number(number: float) -> str:
    """Write a number as text; one of too many digits is no fact."""
    return str(number) if abs(number) < 1e20 else ""
