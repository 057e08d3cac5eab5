"""The properties that describe the layout of boxes: sizes, margins, padding, floats, positioning, flex and grid."""

from __future__ import annotations

import re

from broadsheet.style.css.lengths import parse_length
from broadsheet.style.css.properties import PropertyGroup, PropertyValues, split_components

_SIDES = ("top", "right", "bottom", "left")
_KEYWORD_PROPERTIES = ("float", "position", "flex-direction", "flex-wrap")
_SIZE_KEYWORDS = ("auto", "none", "min-content", "max-content", "fit-content")


def _parse_property(name: str, text: str) -> PropertyValues:
    if name in _KEYWORD_PROPERTIES:
        return {name: text} if text.isascii() and "\\" not in text else {}
    if name in ("margin", "padding"):
        return _parse_sides(name, text)
    if name == "grid-template-columns":
        return {name: text}
    value = _parse_size(text)
    return {} if value is None else {name: value}


def _parse_sides(name: str, text: str) -> PropertyValues:
    """Parse `margin` or `padding`, with one to four sizes."""
    sizes = [_parse_size(component) for component in split_components(text)]
    if not 1 <= len(sizes) <= 4 or None in sizes:
        return {}
    top, right = sizes[0], sizes[1 % len(sizes)]
    bottom, left = sizes[2] if len(sizes) > 2 else top, sizes[3] if len(sizes) > 3 else right
    return {f"{name}-top": top, f"{name}-right": right, f"{name}-bottom": bottom, f"{name}-left": left}


def _parse_size(text: str) -> object:
    """Parse a length or a keyword such as `auto`; None if it is neither."""
    if text in _SIZE_KEYWORDS:
        return text
    length = parse_length(text)
    return None if length and length.value and not length.unit else length


_LONGHANDS = (
    *"width max-width min-width height float position flex-direction flex-wrap grid-template-columns".split(),
    *(f"{shorthand}-{side}" for shorthand in ("margin", "padding") for side in _SIDES),
)
LAYOUT_PROPERTIES = PropertyGroup(
    substrings=("width", "height", "float", "position", "flex", "grid", "margin", "padding"),
    pattern=re.compile(
        r";\s*+((?:max-|min-)?width|height|float|position|flex-direction|flex-wrap|grid-template-columns"
        r"|(?:margin|padding)(?:-(?:top|right|bottom|left))?)\s*+:([^;]*+)",
        re.IGNORECASE,
    ),
    longhands={
        **{name: (name,) for name in _LONGHANDS},
        **{shorthand: tuple(f"{shorthand}-{side}" for side in _SIDES) for shorthand in ("margin", "padding")},
    },
    parse=_parse_property,
)
