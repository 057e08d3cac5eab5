"""Parse selectors: types, classes, ids, attributes, combinators and the pseudo-classes of static pages."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from broadsheet.style.css.bounds import MAX_SELECTOR_CHARS, MAX_SELECTOR_DEPTH, MAX_SELECTORS_PER_RULE
from broadsheet.style.css.sheets import find_closing_bracket, split_at_commas


class AttributeTest(NamedTuple):
    """`[name]` with operator "", or `[name=value]` and the like."""

    name: str
    operator: str = ""
    value: str = ""
    ignores_case: bool = False


class PositionTest(NamedTuple):
    """`:nth-child(An+B)`, counted from the first or the last sibling, among all or those of the same type."""

    step: int  # A
    offset: int  # B
    is_from_end: bool = False
    is_of_type: bool = False


class ListTest(NamedTuple):
    """`:is(...)`, or `:not(...)` if negated. A test without selectors stands for `:hover` and the like."""

    selectors: tuple[Selector, ...]
    is_negated: bool = False


Test = AttributeTest | PositionTest | ListTest


class Compound(NamedTuple):
    """A compound selector: what one element must be."""

    names: tuple[str, ...]  # "type", ".class" and "#id"
    tests: tuple[Test, ...]


class Selector(NamedTuple):
    """A complex selector: compounds, and the combinators " ", ">", "+" and "~" between them."""

    compounds: tuple[Compound, ...]
    combinators: tuple[str, ...]
    specificity: int


# Specificity is one number. The factors leave room for 999 classes and types.
_ID, _CLASS, _TYPE = 1_000_000, 1000, 1
_TOKEN = re.compile(
    r"(?P<combinator>\s*[>+~]\s*|\s+)"
    "|(?P<name>[.#]?(?:[\\w\u0080-\U0010ffff-]|\\\\[^\n])+)"
    r"|(?P<any>\*)"
    r"|\[\s*(?P<attribute>[\w-]+)\s*(?:(?P<operator>[~|^$*]?=)\s*(?P<value>\"[^\"]*\"|'[^']*'|[^\]\s]+)"
    r"\s*(?P<flag>[iIsS])?\s*)?\]"
    r"|:(?P<pseudo>[\w-]+)(?P<bracket>\()?"
)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_AN_PLUS_B = re.compile(r"([+-]?\d{0,6})n(?:([+-])(\d{1,6}))?\Z|([+-]?\d{1,6})\Z")
_OTHER_BROWSERS = re.compile(r":-(?:moz|ms|o)-", re.IGNORECASE)
_NEVER = ListTest(())
# States that no element of a static page has; empty elements have no text, so their style is not needed.
_STATES = "hover focus active visited target focus-within focus-visible fullscreen autofill modal empty"
_PSEUDO_CLASSES: dict[str, Test] = {
    **dict.fromkeys(_STATES.split(), _NEVER),
    **dict.fromkeys(("link", "any-link"), AttributeTest("href")),
    **{name: AttributeTest(name) for name in ("checked", "disabled")},
    "first-child": PositionTest(0, 1),
    "last-child": PositionTest(0, 1, True),
    "first-of-type": PositionTest(0, 1, False, True),
    "last-of-type": PositionTest(0, 1, True, True),
}


def split_selectors(text: str) -> list[str]:
    """Split a selector list. One selector of another browser makes the list invalid."""
    if _OTHER_BROWSERS.search(text):
        return []
    return split_at_commas(text)[:MAX_SELECTORS_PER_RULE]


@lru_cache(maxsize=4096)
def parse_selector(text: str, depth: int = 0) -> Selector | None:
    """Parse a selector; None if it is invalid, unsupported, too long or too deep."""
    text = text.strip()
    if not text or len(text) > MAX_SELECTOR_CHARS or depth > MAX_SELECTOR_DEPTH:
        return None
    try:
        return _SelectorParser(text, depth).parse()
    except ValueError:
        return None


class _SelectorParser:
    """Reads one selector, token by token. Raises ValueError where it is invalid or unsupported."""

    def __init__(self, text: str, depth: int) -> None:
        self._text = text
        self._depth = depth
        self._specificity = 0
        self._names: list[str] = []  # of the current compound
        self._tests: list[Test] = []
        self._is_empty = True

    def parse(self) -> Selector:
        compounds, combinators, index = [], [], 0
        while index < len(self._text):
            match = _TOKEN.match(self._text, index)
            if match is None:
                raise ValueError(self._text)
            index = match.end()
            if combinator := match["combinator"]:
                compounds.append(self._end_compound())
                combinators.append(combinator.strip() or " ")
            elif match["bracket"]:
                close = find_closing_bracket(self._text, index)
                self._read_function(match["pseudo"].lower(), self._text[index:close])
                index = close + 1
            else:
                self._read_simple(match)
        compounds.append(self._end_compound())
        return Selector(tuple(compounds), tuple(combinators), self._specificity)

    def _end_compound(self) -> Compound:
        if self._is_empty:
            raise ValueError(self._text)
        compound = Compound(tuple(self._names), tuple(self._tests))
        self._names, self._tests, self._is_empty = [], [], True
        return compound

    def _read_simple(self, match: re.Match[str]) -> None:
        is_first, self._is_empty = self._is_empty, False
        if name := match["name"]:
            if not is_first and name[0] not in ".#":
                raise ValueError(self._text)
            name = decode_escapes(name) if name[0] in ".#" else name.lower()
            self._names.append(name)
            self._specificity += _ID if name[0] == "#" else _CLASS if name[0] == "." else _TYPE
        elif match["attribute"]:
            self._add_test(_make_attribute_test(match))
        elif match["pseudo"]:
            self._read_pseudo_class(match["pseudo"].lower())

    def _read_pseudo_class(self, name: str) -> None:
        if name == "root":
            self._names.append("html")
            self._specificity += _CLASS
        elif name in _PSEUDO_CLASSES:
            self._add_test(_PSEUDO_CLASSES[name])
        else:
            raise ValueError(self._text)

    def _read_function(self, name: str, arguments: str) -> None:
        self._is_empty = False
        if name.startswith("nth-"):
            step, offset = _parse_steps(arguments)
            self._add_test(PositionTest(step, offset, "last" in name, name.endswith("of-type")))
            return
        if name not in ("is", "not", "where"):
            raise ValueError(self._text)
        parsed = [parse_selector(text, self._depth + 1) for text in split_at_commas(arguments)]
        selectors = tuple(selector for selector in parsed if selector is not None)
        if len(selectors) < len(parsed) and (name == "not" or not selectors):
            raise ValueError(self._text)
        self._tests.append(ListTest(selectors, name == "not"))
        if name != "where":
            self._specificity += max(selector.specificity for selector in selectors)

    def _add_test(self, test: Test) -> None:
        self._tests.append(test)
        self._specificity += _CLASS


def _make_attribute_test(match: re.Match[str]) -> AttributeTest:
    name, value = match["attribute"].lower(), decode_escapes((match["value"] or "").strip("\"'"))
    ignores_case = (match["flag"] or "").lower() == "i" or name == "type"
    return AttributeTest(name, match["operator"] or "", value.lower() if ignores_case else value, ignores_case)


def _parse_steps(text: str) -> tuple[int, int]:
    """Parse `2n+1`, `even` or `3` into A and B."""
    text = {"odd": "2n+1", "even": "2n"}.get(text.strip().lower(), "".join(text.lower().split()))
    match = _AN_PLUS_B.match(text)
    if match is None:
        raise ValueError(text)
    if match[4]:
        return 0, int(match[4])
    step = int(match[1]) if match[1].strip("+-") else int(match[1] + "1")
    return step, int((match[2] or "") + (match[3] or "0"))


def decode_escapes(text: str) -> str:
    """Replace escaped characters by the characters."""
    return _ESCAPE.sub(_decode_escape, text) if "\\" in text else text


def _decode_escape(match: re.Match[str]) -> str:
    code = int(match[1], 16) if match[1] else ord(match[2])
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
