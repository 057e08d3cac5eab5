"""Read the declarations (`color: red !important`) of a rule that belong to a group of properties."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from broadsheet.style.css.bounds import MAX_VALUE_CHARS

PropertyValues = Mapping[str, object]  # longhand property -> value


class CssWideKeyword(Enum):
    """Keywords that every property accepts (CSS Cascade 5, section 7.3)."""

    INHERIT = "inherit"
    INITIAL = "initial"
    UNSET = "unset"
    REVERT = "revert"


class PendingSubstitution(NamedTuple):
    """A value that contains `var()`. It is parsed when the custom properties of the element are known."""

    name: str  # of the longhand or shorthand, as declared
    text: str


class Declaration(NamedTuple):
    """The value of one longhand property."""

    name: str
    value: object
    is_important: bool


@dataclass(frozen=True, slots=True, eq=False)
class PropertyGroup:
    """Properties that are read together: how to find them in a rule and how to parse their values."""

    substrings: tuple[str, ...]  # every declaration of the group contains one: a fast test before the pattern
    pattern: re.Pattern[str]  # name and value; begins with a literal semicolon, which the regex engine finds fast
    longhands: Mapping[str, tuple[str, ...]]  # longhand or shorthand -> the longhands that it sets
    parse: Callable[[str, str, bool], PropertyValues]  # name, value, is_quirky -> values; {} for an invalid value


_MAX_UNMERGED_DECLARATIONS = 50  # of a rule; in longer lists repeated properties are merged
_KEYWORDS = {keyword.value: keyword for keyword in CssWideKeyword} | {"revert-layer": CssWideKeyword.REVERT}
_IMPORTANT = re.compile(r"\s*!\s*important\s*\Z", re.IGNORECASE)
_COMPONENT = re.compile(r"[^\s(),/]+(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?|,")


def read_declarations(body: str, group: PropertyGroup, *, is_quirky: bool = False) -> tuple[Declaration, ...]:
    """Read the declarations of a rule that are in the group; invalid ones are ignored."""
    declarations: list[Declaration] = []
    for name, text in group.pattern.findall(";" + body):
        if len(text) <= MAX_VALUE_CHARS:
            declarations += _read_declaration(name, text, group, is_quirky)
    if len(declarations) > _MAX_UNMERGED_DECLARATIONS:
        return tuple({(item.name, item.is_important): item for item in declarations}.values())
    return tuple(declarations)


@lru_cache(maxsize=4096)  # declarations such as `display: none` are frequent
def _read_declaration(name: str, text: str, group: PropertyGroup, is_quirky: bool) -> tuple[Declaration, ...]:
    is_important = "!" in text
    if is_important:
        text = _IMPORTANT.sub("", text)
    values = parse_value(name.lower(), text.strip(), group, is_quirky=is_quirky)
    return tuple(Declaration(longhand, value, is_important) for longhand, value in values.items())


def parse_value(name: str, text: str, group: PropertyGroup, *, is_quirky: bool = False) -> PropertyValues:
    """Parse the value of a property into the longhands that it sets; {} for an invalid value."""
    if "var(" in text or "VAR(" in text:
        return dict.fromkeys(group.longhands[name], PendingSubstitution(name, text))
    text = text.lower()
    if text in _KEYWORDS:
        return dict.fromkeys(group.longhands[name], _KEYWORDS[text])
    return group.parse(name, text, is_quirky)


def split_components(text: str) -> list[str]:
    """Split a value into words, functions and commas."""
    return _COMPONENT.findall(text)
