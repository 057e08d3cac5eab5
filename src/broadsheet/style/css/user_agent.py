"""The user agent style sheet: the styles of elements without any author style sheet."""

from __future__ import annotations

from collections.abc import Mapping

from broadsheet.style.css.colors import Color
from broadsheet.style.css.declarations import CssWideKeyword, PropertyValues
from broadsheet.style.css.fonts import MONOSPACE, SANS_SERIF
from broadsheet.style.css.lengths import LinearLength
from broadsheet.style.css.names import NameIndex

NOT_DISPLAYED: PropertyValues = {"display": "none"}

_TAGS_BY_DISPLAY = {
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
_BLACK, _WHITE = Color(0), Color(0xFFFFFF)
_CONTROL: PropertyValues = {
    "font-size": LinearLength(px=13.3333),
    "font-weight": 400,
    "font-family": SANS_SERIF,
    "color": _BLACK,
    "display": "inline-block",
}
_TEXT_CONTROL: PropertyValues = {**_CONTROL, "background-color": _WHITE}
_BOLD: PropertyValues = {"font-weight": 700}
_BOLDER: PropertyValues = {"font-weight": "bolder"}
_SMALLER: PropertyValues = {"font-size": "smaller"}
_MONOSPACE: PropertyValues = {"font-family": MONOSPACE}
_FONTS_AND_COLORS: dict[str, PropertyValues] = {
    "h1": {"font-size": LinearLength(em=2), **_BOLD},
    "h2": {"font-size": LinearLength(em=1.5), **_BOLD},
    "h3": {"font-size": LinearLength(em=1.17), **_BOLD},
    "h4": _BOLD,
    "h5": {"font-size": LinearLength(em=0.83), **_BOLD},
    "h6": {"font-size": LinearLength(em=0.67), **_BOLD},
    "b": _BOLDER,
    "strong": _BOLDER,
    "th": _BOLD,
    "optgroup": _BOLD,
    "option": {"font-weight": 400},
    "small": _SMALLER,
    "sub": _SMALLER,
    "sup": _SMALLER,
    "big": {"font-size": "larger"},
    "rt": {"font-size": LinearLength(em=0.5)},
    **dict.fromkeys(("code", "kbd", "samp", "tt", "pre", "listing", "xmp", "plaintext"), _MONOSPACE),
    "mark": {"background-color": Color(0xFFFF00), "color": _BLACK},
    "input": _TEXT_CONTROL,
    "select": _TEXT_CONTROL,
    "textarea": {**_TEXT_CONTROL, **_MONOSPACE},
    "button": {**_CONTROL, "background-color": Color(0xEFEFEF)},
    "dialog": {"color": _BLACK, "background-color": _WHITE},
}
_QUIRKY_TABLE: PropertyValues = {"font-size": "medium", "font-weight": 400}
_NOT_INHERITED = frozenset(("display", "background-color"))

_DISABLED_BACKGROUND = Color(0xEFEFEF, 0.3)
_DISABLED: PropertyValues = {"color": Color(0x545454), "background-color": _DISABLED_BACKGROUND}
_DISABLED_BUTTON: PropertyValues = {"color": Color(0x101010, 0.3), "background-color": _DISABLED_BACKGROUND}
_LINK: PropertyValues = {"color": Color(0x0000EE)}
_NOT_DISPLAYED_LINK: PropertyValues = {**_LINK, **NOT_DISPLAYED}


def _make_tag_styles() -> dict[str, PropertyValues]:
    styles: dict[str, PropertyValues] = {}
    for display, tags in _TAGS_BY_DISPLAY.items():
        for tag in tags.split():
            styles[tag] = {"display": display, **_FONTS_AND_COLORS.get(tag, {})}
    return {**_FONTS_AND_COLORS, **styles}


# Tag -> values, in standards mode and in quirks mode.
TAG_STYLES = _make_tag_styles()
QUIRKY_TAG_STYLES: dict[str, PropertyValues] = {**TAG_STYLES, "table": {**TAG_STYLES["table"], **_QUIRKY_TABLE}}


def affects_descendants(values: PropertyValues) -> bool:
    """Return whether values may change the style of descendants. Those of most elements do not."""
    display = values.get("display")
    return not values.keys() <= _NOT_INHERITED or display == "none" or display is CssWideKeyword.INHERIT


def _select_inheriting(styles: Mapping[str, PropertyValues]) -> dict[str, PropertyValues]:
    return {tag: values for tag, values in styles.items() if affects_descendants(values)}


# The same for the tags whose values affect descendants.
INHERITING_TAG_STYLES = _select_inheriting(TAG_STYLES)
QUIRKY_INHERITING_TAG_STYLES = _select_inheriting(QUIRKY_TAG_STYLES)


def find_attribute_styles(index: NameIndex) -> dict[int, PropertyValues]:
    """Return the user agent's styles that depend on attributes: row -> values in addition to those of the tag."""
    nodes, rows = index.nodes, index.rows
    styles: dict[int, PropertyValues] = dict.fromkeys(find_links(index), _LINK)
    hidden = nodes.select("[hidden]")
    for tag, selector in (("dialog", ":not([open])"), ("input", "[type=hidden i]"), ("audio", ":not([controls])")):
        hidden += nodes.match(rows(tag), selector)
    for row in hidden:
        styles[row] = _NOT_DISPLAYED_LINK if row in styles else NOT_DISPLAYED
    for tag in ("button", "input", "select", "textarea"):
        for row in nodes.match(rows(tag), "[disabled]"):
            styles.setdefault(row, _DISABLED_BUTTON if tag == "button" else _DISABLED)
    return styles


def find_links(index: NameIndex) -> list[int]:
    """List the rows of `<a href>`."""
    rows = index.rows("a")
    return [row for row, href in zip(rows, index.nodes.attrs.get_all(rows, "href"), strict=True) if href is not None]
