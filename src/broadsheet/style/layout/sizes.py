"""Sizes in pixels before anything is laid out: margins, padding and widths of blocks, pictures, and text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from broadsheet.page import Nodes
from broadsheet.style.css.cascade import Declared
from broadsheet.style.css.lengths import Choice, Linear

MOST = 1_000_000.0  # pixels; nothing is larger, whatever a sheet says
LINE = 1.2  # height of a line, of the font size
# Width of a letter, of the font size: the average of Latin text in the fonts that pages use, and of CJK (square).
_LETTER, _WIDE_LETTER = 0.5, 1.0
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]+")

_MARGINS = {  # above and below, in ems
    **dict.fromkeys(("p", "ul", "ol", "dl", "menu", "dir", "blockquote", "figure", "pre", "listing", "xmp"), 1.0),
    "h1": 0.67,
    "h2": 0.83,
    "h3": 1.0,
    "h4": 1.33,
    "h5": 1.67,
    "h6": 2.33,
    "hr": 0.5,
}
_INDENT = 40.0
_LISTS = frozenset(("ul", "ol", "menu", "dir"))  # these indent by padding, the others by margin
_INDENTED = {"dd": (_INDENT, 0.0), "blockquote": (_INDENT, _INDENT), "figure": (_INDENT, _INDENT), "body": (8.0, 8.0)}
_NONE = (0.0, 0.0)
_SIZED_BY_ATTRIBUTE = frozenset(("table", "td", "th"))

# Elements that are a picture or a field to the layout: width and height where nothing states them.
REPLACED = {
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


class Measures(NamedTuple):
    """A block's own sizes; None where the sheets leave it open."""

    above: float
    below: float
    left: float
    right: float  # margins, these four
    pad_top: float = 0.0
    pad_bottom: float = 0.0
    pad_left: float = 0.0
    pad_right: float = 0.0
    width: float | None = None
    max_width: float | None = None
    height: float | None = None
    is_centered: bool = False
    side: str = ""  # of a float: "left" or "right"
    is_out: bool = False  # out of the flow: `position: absolute` or `fixed`
    is_row: bool = True  # children of a flex box stand side by side
    is_wrapping: bool = False
    columns: str = ""  # template of a grid


_LENGTHS = {  # property -> field, of those that are a number of pixels in any case
    "margin-top": "above",
    "margin-bottom": "below",
    "margin-left": "left",
    "margin-right": "right",
    "padding-top": "pad_top",
    "padding-bottom": "pad_bottom",
    "padding-left": "pad_left",
    "padding-right": "pad_right",
}
_OPEN_LENGTHS = {"width": "width", "max-width": "max_width"}


class Measurer:
    """Measures the elements of a page; equal ones once."""

    def __init__(self, nodes: Nodes, sizes: Sequence[float], declared: Declared) -> None:
        self._nodes = nodes
        self._sizes = sizes  # of letters, by row
        self._declared = declared
        self._special = declared.special
        self._known: dict[tuple[int, str, float, float], Measures] = {}
        self._kept: list[Mapping[str, object]] = []  # alive, because they are known by their identity
        # Width of all text before each row, in ems: a subtree's is one subtraction.
        self.ems = [0.0, *accumulate([measure_text(text) if text else 0.0 for text in nodes.text])]

    def measure_inside(self, row: int) -> float:
        """Width of all text of a row if it stood in one line."""
        return (self.ems[self._nodes.end[row]] - self.ems[row]) * self._sizes[row]

    def measure_block(self, row: int, whole: float) -> Measures:
        """Work out a block's own sizes in a place that is `whole` pixels wide."""
        tag, size = self._nodes.tag[row], self._sizes[row]
        if row not in self._special:
            known = _start(tag, size)
        else:
            known = self._measure_declared(self._declared.find(row), tag, size, whole)
        if tag in _SIZED_BY_ATTRIBUTE and known.width is None and (text := self._nodes.attr(row, "width")):
            known = known._replace(width=_read_attribute(text, whole))
        return known

    def _measure_declared(self, values: Mapping[str, object], tag: str, size: float, whole: float) -> Measures:
        key = (id(values), tag, size, whole)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = _work_out(values, tag, size, whole)
            self._kept.append(values)
        return known

    def measure_replaced(self, row: int, whole: float) -> tuple[float, float]:
        """Width and height of a picture or a field."""
        nodes, values = self._nodes, self._declared.find(row)
        size = self._sizes[row]
        width, height = REPLACED[nodes.tag[row]]
        stated = _read_attribute(nodes.attr(row, "width"), whole), _read_attribute(nodes.attr(row, "height"), 0.0)
        width = _resolve(values.get("width"), size, whole, width if stated[0] is None else stated[0])
        most = _resolve_open(values.get("max-width"), size, whole)
        if stated[1] is not None:
            height = stated[1]
        if most is not None and width > most > 0:
            height *= most / width
            width = most
        if not _is_share(values.get("height")):
            height = _resolve(values.get("height"), size, 0.0, height)
        return max(width, 0.0), max(height, 0.0)


def measure_text(text: str) -> float:
    """Width of a text in ems."""
    if not text:
        return 0.0
    if "  " in text or "\n" in text:
        text = " ".join(text.split())
    if text.isascii():
        return _LETTER * len(text)
    wide = sum(map(len, _WIDE.findall(text)))
    return _LETTER * (len(text) - wide) + _WIDE_LETTER * wide


def count_columns(template: str, width: float) -> int:
    """Count the columns of a grid; 0 when it cannot be told."""
    template = template.strip()
    if not template or template in ("none", "auto", "subgrid") or len(template) > 500:
        return 0
    if template.startswith("repeat("):
        times, _, rest = template[7:].partition(",")
        if times.strip().isdigit() and len(times) < 5:
            return min(int(times) * max(1, len(rest.rstrip(") ").split())), 100)
        least = re.search(r"([\d.]{1,8})px", rest)
        pixels = _read_attribute(least[1], 0.0) if least else None
        return max(1, min(int(width // pixels), 20)) if pixels else 0
    outside = re.sub(r"\[[^\]]*\]|\([^()]*\)", "", template)
    return min(len(outside.split()), 100)


@lru_cache(maxsize=4096)
def _start(tag: str, size: float) -> Measures:
    """Sizes of an element of which no sheet says anything."""
    above = _MARGINS.get(tag, 0.0) * size if tag != "body" else 8.0
    left, right = _INDENTED.get(tag, _NONE)
    return Measures(above, above, left, right, pad_left=_INDENT if tag in _LISTS else 0.0)


def _work_out(values: Mapping[str, object], tag: str, size: float, whole: float) -> Measures:
    changes: dict[str, Any] = {}
    for name, value in values.items():
        if field := _LENGTHS.get(name):
            pixels = 0.0 if value == "auto" else _resolve_open(value, size, whole)
            if pixels is not None:
                changes[field] = pixels
        elif field := _OPEN_LENGTHS.get(name):
            changes[field] = _resolve_open(value, size, whole)
    height = values.get("height")
    changes["height"] = None if _is_share(height) else _resolve_open(height, size, 0.0)
    if values.get("margin-left") == "auto" and values.get("margin-right") == "auto":
        changes["is_centered"] = True
    if (side := values.get("float")) in ("left", "right"):
        changes["side"] = side
    changes["is_out"] = values.get("position") in ("absolute", "fixed")
    changes["is_row"] = values.get("flex-direction", "row") in ("row", "row-reverse")
    changes["is_wrapping"] = values.get("flex-wrap") in ("wrap", "wrap-reverse")
    changes["columns"] = str(values.get("grid-template-columns", ""))
    return _start(tag, size)._replace(**changes)


def _resolve(value: object, size: float, whole: float, otherwise: float) -> float:
    if value == "auto":
        return 0.0
    pixels = _resolve_open(value, size, whole)
    return otherwise if pixels is None else pixels


def _resolve_open(value: object, size: float, whole: float) -> float | None:
    if not isinstance(value, Linear | Choice):
        return None
    pixels = value.resolve(size, 16.0, whole)
    return min(max(pixels, -MOST), MOST) if math.isfinite(pixels) else None


def _is_share(value: object) -> bool:
    """Tell a height that is a share of another: it is not known, and mostly that of the content."""
    return isinstance(value, Linear) and value.percent != 0


def _read_attribute(text: str, whole: float) -> float | None:
    """Read an attribute such as `width="50%"`."""
    text = text.strip().removesuffix("px")
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        return None
    if not 0 <= number <= MOST:
        return None
    return number / 100 * whole if text.endswith("%") else number
