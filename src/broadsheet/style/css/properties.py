"""Read declarations (`color: red !important`), and the properties that describe the style of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from broadsheet.style.css.bounds import MAX_VALUE_CHARS
from broadsheet.style.css.values import (
    TRANSPARENT,
    Color,
    classify_family,
    parse_color,
    parse_font,
    parse_font_size,
    parse_font_weight,
)

PropertyValues = Mapping[str, object]  # longhand property -> value


class CssWideKeyword(Enum):
    """Keywords that every property accepts. `revert` is taken for `unset`."""

    INHERIT = "inherit"
    INITIAL = "initial"
    UNSET = "unset"


class PendingSubstitution(NamedTuple):
    """A value that contains `var()`. It is parsed when the custom properties of the element are known."""

    name: str  # of the longhand or shorthand, as declared
    text: str


class DeclarationBlock(NamedTuple):
    """The values that a rule or style attribute declares: the last one of each property."""

    normal: dict[str, object]
    important: dict[str, object]


@dataclass(frozen=True, slots=True, eq=False)
class PropertyGroup:
    """Properties that are read together: how to find them in a rule and how to parse their values."""

    substrings: tuple[str, ...]  # every declaration of the group contains one: a fast test before the pattern
    pattern: re.Pattern[str]  # name and value; begins with a literal semicolon, which the regex engine finds fast
    longhands: Mapping[str, tuple[str, ...]]  # longhand or shorthand -> the longhands that it sets
    parse: Callable[[str, str], PropertyValues]  # name, value in lower case -> values; {} for an invalid value


_KEYWORDS = {keyword.value: keyword for keyword in CssWideKeyword}
_KEYWORDS |= {"revert": CssWideKeyword.UNSET, "revert-layer": CssWideKeyword.UNSET}
_IMPORTANT = re.compile(r"\s*!\s*important\s*\Z", re.IGNORECASE)
_COMPONENT = re.compile(r"[^\s(),/]+(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?|,")
_QUIRKY_LENGTH = re.compile(r"\d+\.?\d*\Z")
_QUIRKY_COLOR = re.compile(r"(?:[0-9a-f]{3}){1,2}\Z")


def read_declarations(body: str, group: PropertyGroup, *, is_quirky: bool = False) -> DeclarationBlock:
    """Read the declarations of a rule that are in the group; invalid ones are ignored."""
    block = DeclarationBlock({}, {})
    for name, text in group.pattern.findall(";" + body):
        if len(text) <= MAX_VALUE_CHARS:
            values, is_important = _read_declaration(name, text, group, is_quirky)
            (block.important if is_important else block.normal).update(values)
    return block


@lru_cache(maxsize=4096)  # declarations such as `display: none` are frequent
def _read_declaration(name: str, text: str, group: PropertyGroup, is_quirky: bool) -> tuple[PropertyValues, bool]:
    is_important = "!" in text
    if is_important:
        text = _IMPORTANT.sub("", text)
    if name.startswith("--"):
        return group.parse(name, text.strip()), is_important
    return parse_value(name.lower(), text.strip(), group, is_quirky=is_quirky), is_important


def parse_value(name: str, text: str, group: PropertyGroup, *, is_quirky: bool = False) -> PropertyValues:
    """Parse the value of a property into the longhands that it sets; {} for an invalid value."""
    if "var(" in text:
        return dict.fromkeys(group.longhands[name], PendingSubstitution(name, text))
    text = text.lower()
    if text in _KEYWORDS:
        return dict.fromkeys(group.longhands[name], _KEYWORDS[text])
    return group.parse(name, _complete_quirk(name, text) if is_quirky else text)


def _complete_quirk(name: str, text: str) -> str:
    """Add what may be missing in quirks mode: the unit of pixels, and the hash of a colour."""
    if name.endswith("color"):
        return "#" + text if _QUIRKY_COLOR.match(text) else text
    return text + "px" if _QUIRKY_LENGTH.match(text) and name != "font-weight" else text


def split_components(text: str) -> list[str]:
    """Split a value into words, functions and commas."""
    return _COMPONENT.findall(text)


_DISPLAY_KEYWORDS = frozenset(
    "none inline block inline-block flow-root list-item table inline-table table-row-group table-header-group "
    "table-footer-group table-row table-cell table-column-group table-column table-caption flex inline-flex grid "
    "inline-grid contents ruby ruby-text -webkit-box -webkit-inline-box -webkit-flex -webkit-inline-flex".split()
)
_UNPREFIXED = {"-webkit-flex": "flex", "-webkit-inline-flex": "inline-flex"}
_VISIBILITY_KEYWORDS = frozenset(("visible", "hidden", "collapse"))


def _parse_property(name: str, text: str) -> PropertyValues:
    if name == "font":
        return parse_font(text)
    parse = _PARSERS.get(name)
    value = parse(text) if parse else None  # `all` accepts only the CSS-wide keywords
    return {} if value is None else {_LONGHANDS[name][0]: value}


def _parse_background(text: str) -> Color | None:
    """Return the colour in the last layer of the shorthand; transparent if it has none."""
    if "\\" in text or "!" in text or not text:
        return None
    background = TRANSPARENT
    for component in split_components(text):
        if component == ",":
            background = TRANSPARENT
        elif (color := parse_color(component)) is not None:
            background = color
    return background


def _parse_display(text: str) -> str | None:
    return _UNPREFIXED.get(text, text) if text in _DISPLAY_KEYWORDS else None


# Parsers of values in lower case, which return None if a value is invalid.
_PARSERS: dict[str, Callable[[str], object]] = {
    "color": parse_color,
    "background-color": parse_color,
    "background": _parse_background,
    "font-size": parse_font_size,
    "font-weight": parse_font_weight,
    "font-family": lambda text: classify_family(text) if text else None,
    "display": _parse_display,
    "visibility": lambda text: text if text in _VISIBILITY_KEYWORDS else None,
}
_NAMES = ("font-size", "font-weight", "font-family", "color", "background-color", "display", "visibility")
_LONGHANDS = {
    **{name: (name,) for name in _NAMES},
    "font": ("font-size", "font-weight", "font-family"),
    "background": ("background-color",),
    "all": _NAMES,
}
STYLE_PROPERTIES = PropertyGroup(
    substrings=("color", "font", "display", "background", "visibility", "all"),
    pattern=re.compile(
        r";\s*+(font(?:-size|-weight|-family)?|color|background(?:-color)?|display|visibility|all)\s*+:([^;]*+)",
        re.IGNORECASE,
    ),
    longhands=_LONGHANDS,
    parse=_parse_property,
)
