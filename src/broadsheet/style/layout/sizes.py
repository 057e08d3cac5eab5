"""Resolve margins, padding and sizes of elements to pixels, before the layout."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from broadsheet.page import Nodes
from broadsheet.style.css.cascade import CascadedValues
from broadsheet.style.css.properties import PropertyGroup, PropertyValues, split_components
from broadsheet.style.css.values import INITIAL_SIZE_PX, Bases, Length, parse_length

MAX_SIZE_PX = 1_000_000.0  # larger sizes are clamped
_MAX_GRID_COLUMNS = 100
_MAX_AUTO_GRID_COLUMNS = 20  # of `repeat(auto-fill, ...)`
_MAX_GRID_TEMPLATE_CHARS = 500
_MAX_DIMENSION_CHARS = 100  # of an attribute such as width

# User agent styles
_VERTICAL_MARGINS_EM = {
    **dict.fromkeys(("p", "ul", "ol", "dl", "menu", "dir", "blockquote", "figure", "pre", "listing", "xmp"), 1.0),
    "h1": 0.67,
    "h2": 0.83,
    "h3": 1.0,
    "h4": 1.33,
    "h5": 1.67,
    "h6": 2.33,
    "hr": 0.5,
}
_INDENT_PX = 40.0
_BODY_MARGIN_PX = 8.0
_TAGS_WITH_LEFT_PADDING = frozenset(("ul", "ol", "menu", "dir"))
_HORIZONTAL_MARGINS_PX = {  # left and right
    "dd": (_INDENT_PX, 0.0),
    "blockquote": (_INDENT_PX, _INDENT_PX),
    "figure": (_INDENT_PX, _INDENT_PX),
    "body": (_BODY_MARGIN_PX, _BODY_MARGIN_PX),
}
_NO_MARGINS = (0.0, 0.0)
_TAGS_WITH_SIZES = _VERTICAL_MARGINS_EM.keys() | _HORIZONTAL_MARGINS_PX.keys() | _TAGS_WITH_LEFT_PADDING
_TAGS_WITH_WIDTH_ATTRIBUTE = frozenset(("table", "td", "th"))

# Replaced elements and form controls, which are laid out as one box: width and height without stated sizes.
REPLACED_SIZES_PX = {
    "img": (24.0, 24.0),
    "iframe": (300.0, 150.0),
    "video": (300.0, 150.0),
    "canvas": (300.0, 150.0),
    "svg": (300.0, 150.0),
    "object": (0.0, 0.0),
    "embed": (0.0, 0.0),
    "input": (150.0, 21.0),
    "select": (120.0, 19.0),
    "textarea": (182.0, 36.0),
    "hr": (0.0, 2.0),
}


class BoxSizes(NamedTuple):
    """The margins, padding and size of a box in pixels, and how it is positioned."""

    margin_top: float
    margin_bottom: float
    margin_left: float
    margin_right: float
    padding_top: float = 0.0
    padding_bottom: float = 0.0
    padding_left: float = 0.0
    padding_right: float = 0.0
    width: float | None = None  # None: auto, as the next two
    max_width: float | None = None
    height: float | None = None
    is_centered: bool = False
    float_side: str = ""  # "left" or "right"
    is_out_of_flow: bool = False  # `position: absolute` or `fixed`
    is_flex_row: bool = True
    is_wrapping: bool = False
    grid_columns: str = ""  # the template


_LENGTH_FIELDS = {
    "margin-top": "margin_top",
    "margin-bottom": "margin_bottom",
    "margin-left": "margin_left",
    "margin-right": "margin_right",
    "padding-top": "padding_top",
    "padding-bottom": "padding_bottom",
    "padding-left": "padding_left",
    "padding-right": "padding_right",
}
_AUTO_LENGTH_FIELDS = {"width": "width", "max-width": "max_width"}


class SizeResolver:
    """Resolves the sizes of a page's elements; equal elements once."""

    def __init__(self, nodes: Nodes, font_sizes_px: Sequence[float], cascaded: CascadedValues) -> None:
        self._nodes = nodes
        self._font_sizes_px = font_sizes_px
        self._cascaded = cascaded
        self._styled_rows = cascaded.styled_rows
        self._cache: dict[tuple[int, str, float, float], BoxSizes] = {}
        self._cached_values: list[PropertyValues] = []  # kept alive, because the cache has their id()
        # Width of all text before each row, so that the width of a subtree is one subtraction.
        widths = [estimate_text_width(text) if text else 0.0 for text in nodes.text]
        self.text_ends_em = [0.0, *accumulate(widths)]

    def estimate_max_content_width(self, row: int) -> float:
        """Return the width of all text of an element on one line."""
        ends = self.text_ends_em
        return (ends[self._nodes.end[row]] - ends[row]) * self._font_sizes_px[row]

    def resolve_box(self, row: int, containing_width: float) -> BoxSizes:
        """Return the sizes of a block in a containing block of the given width."""
        tag, font_size = self._nodes.tag[row], self._font_sizes_px[row]
        if row not in self._styled_rows:
            sizes = _get_user_agent_sizes(tag, font_size)
        else:
            sizes = self._resolve_cascaded(self._cascaded.get(row), tag, font_size, containing_width)
        if tag in _TAGS_WITH_WIDTH_ATTRIBUTE and sizes.width is None and (text := self._nodes.attr(row, "width")):
            sizes = sizes._replace(width=_parse_dimension(text, containing_width))
        return sizes

    def _resolve_cascaded(
        self, values: PropertyValues, tag: str, font_size: float, containing_width: float
    ) -> BoxSizes:
        key = (id(values), tag, font_size, containing_width)
        sizes = self._cache.get(key)
        if sizes is None:
            sizes = self._cache[key] = _resolve_values(values, tag, font_size, containing_width)
            self._cached_values.append(values)
        return sizes

    def resolve_replaced(self, row: int, containing_width: float) -> tuple[float, float]:
        """Return the width and height of a replaced element or form control."""
        nodes, values, font_size = self._nodes, self._cascaded.get(row), self._font_sizes_px[row]
        width, height = REPLACED_SIZES_PX[nodes.tag[row]]
        attribute_width = _parse_dimension(nodes.attr(row, "width"), containing_width)
        attribute_height = _parse_dimension(nodes.attr(row, "height"), 0.0)
        if attribute_width is not None:
            width = attribute_width
        if attribute_height is not None:
            height = attribute_height
        width = _resolve_or(values.get("width"), font_size, containing_width, width)
        max_width = _resolve(values.get("max-width"), font_size, containing_width)
        if max_width is not None and width > max_width > 0:
            height *= max_width / width
            width = max_width
        if not _is_percentage(values.get("height")):
            height = _resolve_or(values.get("height"), font_size, 0.0, height)
        return max(width, 0.0), max(height, 0.0)


def count_grid_columns(template: str, width: float) -> int:
    """Return the number of columns of a grid of the given width; 0 if it is unknown."""
    template = template.strip()
    if not template or template in ("none", "auto", "subgrid") or len(template) > _MAX_GRID_TEMPLATE_CHARS:
        return 0
    if template.startswith("repeat("):
        repetitions, _, tracks = template[7:].partition(",")
        if repetitions.strip().isdigit() and len(repetitions) < 5:
            return min(int(repetitions) * max(1, len(tracks.rstrip(") ").split())), _MAX_GRID_COLUMNS)
        min_track = re.search(r"([\d.]{1,8})px", tracks)
        min_px = _parse_dimension(min_track[1], 0.0) if min_track else None
        return max(1, min(int(width // min_px), _MAX_AUTO_GRID_COLUMNS)) if min_px else 0
    tracks = re.sub(r"\[[^\]]*\]|\([^()]*\)", "", template)
    return min(len(tracks.split()), _MAX_GRID_COLUMNS)


def _get_user_agent_sizes(tag: str, font_size: float) -> BoxSizes:
    # Tags of any length would keep the memory of a page in the cache.
    return _make_user_agent_sizes(tag if tag in _TAGS_WITH_SIZES else "", font_size)


@lru_cache(maxsize=4096)
def _make_user_agent_sizes(tag: str, font_size: float) -> BoxSizes:
    vertical = _VERTICAL_MARGINS_EM.get(tag, 0.0) * font_size if tag != "body" else _BODY_MARGIN_PX
    left, right = _HORIZONTAL_MARGINS_PX.get(tag, _NO_MARGINS)
    padding_left = _INDENT_PX if tag in _TAGS_WITH_LEFT_PADDING else 0.0
    return BoxSizes(vertical, vertical, left, right, padding_left=padding_left)


def _resolve_values(values: PropertyValues, tag: str, font_size: float, containing_width: float) -> BoxSizes:
    changes: dict[str, Any] = {}
    for name, value in values.items():
        if field := _LENGTH_FIELDS.get(name):
            px = 0.0 if value == "auto" else _resolve(value, font_size, containing_width)
            if px is not None:
                changes[field] = px
        elif field := _AUTO_LENGTH_FIELDS.get(name):
            changes[field] = _resolve(value, font_size, containing_width)
    height = values.get("height")
    changes["height"] = None if _is_percentage(height) else _resolve(height, font_size, 0.0)
    if values.get("margin-left") == "auto" and values.get("margin-right") == "auto":
        changes["is_centered"] = True
    if (side := values.get("float")) in ("left", "right"):
        changes["float_side"] = side
    changes["is_out_of_flow"] = values.get("position") in ("absolute", "fixed")
    changes["is_flex_row"] = values.get("flex-direction", "row") in ("row", "row-reverse")
    changes["is_wrapping"] = values.get("flex-wrap") in ("wrap", "wrap-reverse")
    changes["grid_columns"] = str(values.get("grid-template-columns", ""))
    return _get_user_agent_sizes(tag, font_size)._replace(**changes)


def _resolve_or(value: object, font_size: float, percentage_base: float, default: float) -> float:
    if value == "auto":
        return 0.0
    px = _resolve(value, font_size, percentage_base)
    return default if px is None else px


def _resolve(value: object, font_size: float, percentage_base: float) -> float | None:
    """Resolve a length to pixels; None for keywords."""
    if not isinstance(value, Length):
        return None
    px = value.resolve(Bases(font_size, INITIAL_SIZE_PX, percentage_base))
    return min(max(px, -MAX_SIZE_PX), MAX_SIZE_PX)


def _is_percentage(height: object) -> bool:
    """Return whether a height is relative to the containing block, whose height is mostly that of its content."""
    return isinstance(height, Length) and height.unit == "%"


def _parse_dimension(text: str, percentage_base: float) -> float | None:
    """Parse an attribute such as `width="50%"`; None if it is not a number or too large."""
    if len(text) > _MAX_DIMENSION_CHARS:
        return None
    text = text.strip().removesuffix("px")
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        return None
    if not 0 <= number <= MAX_SIZE_PX:
        return None
    return number / 100 * percentage_base if text.endswith("%") else number


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


# Average advance widths: of Latin text in the fonts that pages use, and of CJK text, whose characters are square.
_LATIN_CHAR_EM, _CJK_CHAR_EM = 0.5, 1.0
_CJK = re.compile("[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]+")


def estimate_text_width(text: str) -> float:
    """Return the width of a text on one line, in ems."""
    if not text:
        return 0.0
    if "  " in text or "\n" in text:
        text = " ".join(text.split())
    if text.isascii():
        return _LATIN_CHAR_EM * len(text)
    cjk_chars = sum(map(len, _CJK.findall(text)))
    return _LATIN_CHAR_EM * (len(text) - cjk_chars) + _CJK_CHAR_EM * cjk_chars
