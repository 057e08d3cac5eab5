"""What browsers do before any sheet: the looks of bare HTML, and of its old attributes."""

from __future__ import annotations

from collections.abc import Mapping

from broadsheet.page import Nodes
from broadsheet.style.css.colors import Color, parse_quirky_color
from broadsheet.style.css.declarations import Wide
from broadsheet.style.css.fonts import KEYWORDS, MONO, SANS, classify_family
from broadsheet.style.css.lengths import Linear
from broadsheet.style.css.matching import NameIndex

Values = Mapping[str, object]
HIDDEN: Values = {"display": "none"}

_DISPLAYS = {
    "none": (
        "area base basefont datalist head link meta noembed noframes param rp script style template title source track"
    ),
    "block": (
        "html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure "
        "footer form frameset frame h1 h2 h3 h4 h5 h6 header hgroup hr legend listing main menu nav ol optgroup option "
        "p plaintext pre search section summary ul xmp"
    ),
    "list-item": "li",
    "inline-block": "button input select textarea meter progress marquee",
    "table": "table",
    "table-caption": "caption",
    "table-column": "col",
    "table-column-group": "colgroup",
    "table-row": "tr",
    "table-row-group": "tbody",
    "table-header-group": "thead",
    "table-footer-group": "tfoot",
    "table-cell": "td th",
    "ruby": "ruby",
    "ruby-text": "rt",
    "contents": "slot",
}
_BLACK = Color(0)
_CONTROL: Values = {
    "font-size": Linear(px=13.3333),
    "font-weight": 400,
    "font-family": SANS,
    "color": _BLACK,
    "display": "inline-block",
}
_FIELD: Values = {**_CONTROL, "background-color": Color(0xFFFFFF)}
_BOLD: Values = {"font-weight": 700}
_BOLDER: Values = {"font-weight": "bolder"}
_SMALLER: Values = {"font-size": "smaller"}
_MONO: Values = {"font-family": MONO}
_FONTS: dict[str, Values] = {
    "h1": {"font-size": Linear(em=2), **_BOLD},
    "h2": {"font-size": Linear(em=1.5), **_BOLD},
    "h3": {"font-size": Linear(em=1.17), **_BOLD},
    "h4": _BOLD,
    "h5": {"font-size": Linear(em=0.83), **_BOLD},
    "h6": {"font-size": Linear(em=0.67), **_BOLD},
    "b": _BOLDER,
    "strong": _BOLDER,
    "th": _BOLD,
    "optgroup": _BOLD,
    "option": {"font-weight": 400},
    "small": _SMALLER,
    "sub": _SMALLER,
    "sup": _SMALLER,
    "big": {"font-size": "larger"},
    "rt": {"font-size": Linear(em=0.5)},
    **dict.fromkeys(("code", "kbd", "samp", "tt", "pre", "listing", "xmp", "plaintext"), _MONO),
    "mark": {"background-color": Color(0xFFFF00), "color": _BLACK},
    "input": _FIELD,
    "select": _FIELD,
    "textarea": {**_FIELD, **_MONO},
    "button": {**_CONTROL, "background-color": Color(0xEFEFEF)},
    "dialog": {"color": _BLACK, "background-color": Color(0xFFFFFF)},
}
_QUIRKY_TABLE: Values = {"font-size": "medium", "font-weight": 400}

BY_TAG: dict[str, Values] = {}
for _display, _tags in _DISPLAYS.items():
    for _tag in _tags.split():
        BY_TAG[_tag] = {"display": _display, **_FONTS.get(_tag, {})}
for _tag, _values in _FONTS.items():
    BY_TAG.setdefault(_tag, _values)
QUIRKY_BY_TAG: dict[str, Values] = {**BY_TAG, "table": {**BY_TAG["table"], **_QUIRKY_TABLE}}
_OWN = frozenset(("display", "background-color"))  # properties that do not pass to what is in an element

_FAINT = Color(0xEFEFEF, 0.3)
_DISABLED: Values = {"color": Color(0x545454), "background-color": _FAINT}
_DISABLED_BUTTON: Values = {"color": Color(0x101010, 0.3), "background-color": _FAINT}
_LINK: Values = {"color": Color(0x0000EE)}
_HIDDEN_LINK: Values = {**_LINK, **HIDDEN}
_COLORED = frozenset(("body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"))


def is_passed_on(values: Values) -> bool:
    """Tell whether values may change the look of what is in the element: what most elements have is for themselves."""
    display = values.get("display")
    return not values.keys() <= _OWN or display == "none" or display is Wide.INHERIT


def keep_passed_on(by_tag: Mapping[str, Values]) -> dict[str, Values]:
    """Leave out the tags whose values change nothing for what is in them."""
    return {tag: values for tag, values in by_tag.items() if is_passed_on(values)}


CHANGING_BY_TAG, QUIRKY_CHANGING_BY_TAG = keep_passed_on(BY_TAG), keep_passed_on(QUIRKY_BY_TAG)


def find_row_defaults(index: NameIndex) -> dict[int, Values]:
    """Browsers' own rules that look at attributes: row -> what they add to the rules of its tag."""
    nodes, rows = index.nodes, index.rows
    found: dict[int, Values] = dict.fromkeys(_find_links(index), _LINK)
    hidden = nodes.select("[hidden]")
    for tag, css in (("dialog", ":not([open])"), ("input", "[type=hidden i]"), ("audio", ":not([controls])")):
        hidden += nodes.attrs.match(rows(tag), css)
    for row in hidden:
        found[row] = _HIDDEN_LINK if row in found else HIDDEN
    for tag in ("button", "input", "select", "textarea"):
        for row in nodes.attrs.match(rows(tag), "[disabled]"):
            found.setdefault(row, _DISABLED_BUTTON if tag == "button" else _DISABLED)
    return found


def find_hints(index: NameIndex) -> dict[int, Values]:
    """Old attributes that say how something looks: row -> values. They give way to any rule of the page."""
    nodes = index.nodes
    found: dict[int, Values] = {}
    for row in nodes.select("[bgcolor]"):
        if nodes.tag[row] in _COLORED and (color := parse_quirky_color(nodes.attr(row, "bgcolor"))):
            found[row] = {"background-color": color}
    for row in index.rows("font"):
        found[row] = _read_font(nodes, row)
    for row in index.rows("body")[:1]:
        if color := parse_quirky_color(nodes.attr(row, "text")):
            found[row] = {**found.get(row, {}), "color": color}
        if color := parse_quirky_color(nodes.attr(row, "link")):
            for link in _find_links(index):
                found.setdefault(link, {"color": color})
    return found


def _find_links(index: NameIndex) -> list[int]:
    rows = index.rows("a")
    return [row for row, href in zip(rows, index.nodes.attrs.get_all(rows, "href"), strict=True) if href is not None]


def _read_font(nodes: Nodes, row: int) -> dict[str, object]:
    values: dict[str, object] = {}
    if (color := parse_quirky_color(nodes.attr(row, "color"))) is not None:
        values["color"] = color
    if face := nodes.attr(row, "face").strip():
        values["font-family"] = classify_family(face.lower())
    if (size := _read_font_size(nodes.attr(row, "size"))) is not None:
        values["font-size"] = size
    return values


def _read_font_size(text: str) -> str | None:
    """Read <font size>: 1 to 7, or a step up or down from 3."""
    text = text.strip()
    sign = text[:1] if text[:1] in ("+", "-") else ""
    digits = ""
    for char in text[len(sign) :]:
        if char not in "0123456789" or len(digits) > 4:
            break
        digits += char
    if not digits:
        return None
    size = int(digits) if not sign else 3 + int(digits) if sign == "+" else 3 - int(digits)
    return KEYWORDS[min(max(size, 1), 7)]
