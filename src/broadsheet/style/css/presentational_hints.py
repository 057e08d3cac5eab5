"""Presentational hints: the styles that attributes such as `bgcolor` set (HTML standard, section 15.2)."""

from __future__ import annotations

from broadsheet.page import Nodes
from broadsheet.style.css.bounds import MAX_PRESENTATIONAL_HINTS, MAX_VALUE_CHARS
from broadsheet.style.css.colors import parse_legacy_color
from broadsheet.style.css.declarations import PropertyValues
from broadsheet.style.css.fonts import SIZE_KEYWORDS, classify_family
from broadsheet.style.css.names import NameIndex
from broadsheet.style.css.user_agent import find_links

_TAGS_WITH_BGCOLOR = frozenset(("body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"))
_DEFAULT_FONT_SIZE = 3  # of <font size>, which is 1 to 7
_MAX_FONT_SIZE_DIGITS = 5


def find_presentational_hints(index: NameIndex) -> dict[int, PropertyValues]:
    """Return row -> values. Any rule of the page overrides them."""
    nodes = index.nodes
    hints: dict[int, PropertyValues] = {}
    for row in nodes.select("[bgcolor]")[:MAX_PRESENTATIONAL_HINTS]:
        if nodes.tag[row] in _TAGS_WITH_BGCOLOR and (color := parse_legacy_color(nodes.attr(row, "bgcolor"))):
            hints[row] = {"background-color": color}
    for row in index.rows("font")[:MAX_PRESENTATIONAL_HINTS]:
        hints[row] = _read_font(nodes, row)
    for row in index.rows("body")[:1]:
        if color := parse_legacy_color(nodes.attr(row, "text")):
            hints[row] = {**hints.get(row, {}), "color": color}
        if color := parse_legacy_color(nodes.attr(row, "link")):
            link_color = {"color": color}
            for link in find_links(index):
                hints.setdefault(link, link_color)
    return hints


def _read_font(nodes: Nodes, row: int) -> dict[str, object]:
    values: dict[str, object] = {}
    if (color := parse_legacy_color(nodes.attr(row, "color"))) is not None:
        values["color"] = color
    if face := nodes.attr(row, "face")[:MAX_VALUE_CHARS].strip():
        values["font-family"] = classify_family(face.lower())
    if (size := _read_font_size(nodes.attr(row, "size"))) is not None:
        values["font-size"] = size
    return values


def _read_font_size(text: str) -> str | None:
    """Read `<font size>`: 1 to 7, or relative to 3 with a sign."""
    text = text.strip()
    sign = text[:1] if text[:1] in ("+", "-") else ""
    digits = ""
    for char in text[len(sign) :]:
        if char not in "0123456789" or len(digits) >= _MAX_FONT_SIZE_DIGITS:
            break
        digits += char
    if not digits:
        return None
    size = int(sign + digits) + (_DEFAULT_FONT_SIZE if sign else 0)
    return SIZE_KEYWORDS[min(max(size, 1), 7)]
