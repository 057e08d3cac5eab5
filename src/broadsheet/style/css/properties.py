"""The properties that describe the style of text: font, colours, display and visibility."""

from __future__ import annotations

import re
from collections.abc import Callable

from broadsheet.style.css.colors import TRANSPARENT, Color, parse_color
from broadsheet.style.css.declarations import PropertyGroup, PropertyValues, split_components
from broadsheet.style.css.fonts import classify_family, parse_font, parse_font_size, parse_font_weight

_DISPLAY_KEYWORDS = frozenset(
    "none inline block inline-block flow-root list-item table inline-table table-row-group table-header-group "
    "table-footer-group table-row table-cell table-column-group table-column table-caption flex inline-flex grid "
    "inline-grid contents ruby ruby-text math -webkit-box -webkit-inline-box -webkit-flex -webkit-inline-flex".split()
)
_UNPREFIXED = {"-webkit-flex": "flex", "-webkit-inline-flex": "inline-flex"}
_OUTER_DISPLAY = frozenset(("block", "inline", "list-item"))
_INNER_DISPLAY = {
    "flow": "",
    "flow-root": "flow-root",
    "table": "table",
    "flex": "flex",
    "grid": "grid",
    "ruby": "ruby",
}
_VISIBILITY_KEYWORDS = frozenset(("visible", "hidden", "collapse"))


def _parse_property(name: str, text: str, is_quirky: bool) -> PropertyValues:
    if name == "font":
        font = parse_font(text)
        return {"font-size": font.size, "font-weight": font.weight, "font-family": font.family} if font else {}
    longhand, parse = _PARSERS.get(name, (name, None))
    value = parse(text, is_quirky) if parse else None  # `all` accepts only the CSS-wide keywords
    return {} if value is None else {longhand: value}


def _parse_color(text: str, is_quirky: bool) -> Color | None:
    color = parse_color(text)
    if color is None and is_quirky and len(text) in (3, 6):
        return parse_color("#" + text)  # in quirks mode the hash may be missing
    return color


def _parse_background(text: str, _is_quirky: bool) -> Color | None:
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


def _parse_display(text: str, _is_quirky: bool) -> str | None:
    if text in _DISPLAY_KEYWORDS:
        return _UNPREFIXED.get(text, text)
    words = text.split()
    if not 1 < len(words) <= 3 or not all(word in _INNER_DISPLAY or word in _OUTER_DISPLAY for word in words):
        return None
    if "list-item" in words:
        return "list-item"
    inner = next((_INNER_DISPLAY[word] for word in words if word in _INNER_DISPLAY), "")
    if "inline" in words:
        return {"": "inline", "flow-root": "inline-block", "ruby": "ruby"}.get(inner, f"inline-{inner}")
    return inner or "block"


# Property -> the longhand that it sets and a parser of its value in lower case, which returns None if it is invalid.
_PARSERS: dict[str, tuple[str, Callable[[str, bool], object]]] = {
    "color": ("color", _parse_color),
    "background-color": ("background-color", _parse_color),
    "background": ("background-color", _parse_background),
    "font-size": ("font-size", lambda text, is_quirky: parse_font_size(text, is_quirky=is_quirky)),
    "font-weight": ("font-weight", lambda text, _: parse_font_weight(text)),
    "font-family": ("font-family", lambda text, _: classify_family(text) if text else None),
    "display": ("display", _parse_display),
    "visibility": ("visibility", lambda text, _: text if text in _VISIBILITY_KEYWORDS else None),
}

_LONGHANDS = ("font-size", "font-weight", "font-family", "color", "background-color", "display", "visibility")
STYLE_PROPERTIES = PropertyGroup(
    substrings=("color", "font", "display", "background", "visibility", "all"),
    pattern=re.compile(
        r";\s*+(font(?:-size|-weight|-family)?|color|background(?:-color)?|display|visibility|all)\s*+:([^;]*+)",
        re.IGNORECASE,
    ),
    longhands={
        **{name: (name,) for name in _LONGHANDS},
        "font": ("font-size", "font-weight", "font-family"),
        "background": ("background-color",),
        "all": _LONGHANDS,
    },
    parse=_parse_property,
)
