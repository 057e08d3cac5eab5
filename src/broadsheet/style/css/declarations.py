"""Declarations (`color: red !important`) to values, for the few properties that matter here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from broadsheet.style.css.colors import TRANSPARENT, parse_color
from broadsheet.style.css.fonts import classify_family, parse_font, parse_font_size, parse_weight
from broadsheet.style.css.lengths import Linear, parse_length


class Wide(Enum):
    """Values that any property may have."""

    INHERIT = "inherit"
    INITIAL = "initial"
    UNSET = "unset"
    REVERT = "revert"


class Pending(NamedTuple):
    """A value with `var()` in it: what it says depends on the element."""

    name: str  # of the property or shorthand as written
    text: str


class Declaration(NamedTuple):
    """One value of one property that is no shorthand."""

    name: str
    value: object
    is_important: bool


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The properties somebody asks for: how to find them in a rule, and what each is made of."""

    stems: tuple[str, ...]  # one of them is in every declaration that matters: a quick look before the slow one
    pattern: re.Pattern[str]  # of a declaration with the semicolon before it: a fixed first letter is found fast
    longhands: Mapping[str, tuple[str, ...]]  # property or shorthand -> the properties it sets
    parse: Callable[[str, str, bool], Mapping[str, object]]  # name, value, is_quirky -> values; {} for a bad value


_WIDE = {wide.value: wide for wide in Wide} | {"revert-layer": Wide.REVERT}
_LONGEST_VALUE = 2_000  # characters; a list of gradients may be long, what is longer is data
_IMPORTANT = re.compile(r"\s*!\s*important\s*\Z", re.IGNORECASE)
_DISPLAYS = frozenset(
    "none inline block inline-block flow-root list-item table inline-table table-row-group table-header-group "
    "table-footer-group table-row table-cell table-column-group table-column table-caption flex inline-flex grid "
    "inline-grid contents ruby ruby-text math -webkit-box -webkit-inline-box -webkit-flex -webkit-inline-flex".split()
)
_PREFIXED = {"-webkit-flex": "flex", "-webkit-inline-flex": "inline-flex"}
_INNER = {"flow": "", "flow-root": "flow-root", "table": "table", "flex": "flex", "grid": "grid", "ruby": "ruby"}
_PART = re.compile(r"[^\s(),/]+(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?|,")


def read_declarations(body: str, words: Vocabulary, *, is_quirky: bool = False) -> tuple[Declaration, ...]:
    """Read the declarations of a rule that are in the vocabulary; bad ones are left out, as a browser does."""
    found: list[Declaration] = []
    for name, text in words.pattern.findall(";" + body):
        if len(text) <= _LONGEST_VALUE:
            found += _read_one(name, text, words, is_quirky)
    return tuple(found)


@lru_cache(maxsize=4096)  # `display: none` and its like come again and again
def _read_one(name: str, text: str, words: Vocabulary, is_quirky: bool) -> tuple[Declaration, ...]:
    is_important = "!" in text
    if is_important:
        text = _IMPORTANT.sub("", text)
    values = parse_declared(name.lower(), text.strip(), words, is_quirky=is_quirky)
    return tuple(Declaration(longhand, value, is_important) for longhand, value in values.items())


def parse_declared(name: str, text: str, words: Vocabulary, *, is_quirky: bool = False) -> Mapping[str, object]:
    """Read one property's value as what it sets: {} for a bad value."""
    if "var(" in text or "VAR(" in text:
        return dict.fromkeys(words.longhands[name], Pending(name, text))
    text = text.lower()
    if text in _WIDE:
        return dict.fromkeys(words.longhands[name], _WIDE[text])
    return words.parse(name, text, is_quirky)


def _parse_look(name: str, text: str, is_quirky: bool) -> Mapping[str, object]:
    value: object
    if name == "font":
        font = parse_font(text)
        return {"font-size": font.size, "font-weight": font.weight, "font-family": font.family} if font else {}
    if name == "background":
        value, name = _find_background(text), "background-color"
    elif name in ("color", "background-color"):
        value = parse_color(text)
        if value is None and is_quirky and len(text) in (3, 6):
            value = parse_color("#" + text)  # without a doctype the hash may be missing
    elif name == "font-size":
        value = parse_font_size(text, is_quirky=is_quirky)
    elif name == "font-weight":
        value = parse_weight(text)
    elif name == "font-family":
        value = classify_family(text) if text else None
    elif name == "display":
        value = _parse_display(text)
    elif name == "visibility":
        value = text if text in ("visible", "hidden", "collapse") else None
    else:
        value = None  # `all` takes nothing but the wide values
    return {} if value is None else {name: value}


def _find_background(text: str) -> object:
    """Find the colour in the shorthand: it stands in the last layer; without one the background is transparent."""
    if "\\" in text or "!" in text or not text:
        return None
    color = TRANSPARENT
    for part in _PART.findall(text):
        if part == ",":
            color = TRANSPARENT
        elif (named := parse_color(part)) is not None:
            color = named
    return color


def _parse_display(text: str) -> str | None:
    if text in _DISPLAYS:
        return _PREFIXED.get(text, text)
    words = text.split()
    if not 1 < len(words) <= 3 or not all(word in _INNER or word in ("block", "inline", "list-item") for word in words):
        return None
    if "list-item" in words:
        return "list-item"
    inner = next((_INNER[word] for word in words if word in _INNER), "")
    if "inline" in words:
        return {"": "inline", "flow-root": "inline-block", "ruby": "ruby"}.get(inner, f"inline-{inner}")
    return inner or "block"


_LOOKS = ("font-size", "font-weight", "font-family", "color", "background-color", "display", "visibility")
LOOKS = Vocabulary(
    stems=("color", "font", "display", "background", "visibility", "all"),
    pattern=re.compile(
        r";\s*+(font(?:-size|-weight|-family)?|color|background(?:-color)?|display|visibility|all)\s*+:([^;]*+)",
        re.IGNORECASE,
    ),
    longhands={
        **{name: (name,) for name in _LOOKS},
        "font": ("font-size", "font-weight", "font-family"),
        "background": ("background-color",),
        "all": _LOOKS,
    },
    parse=_parse_look,
)


def _parse_layout(name: str, text: str, is_quirky: bool) -> Mapping[str, object]:
    if name in ("float", "position", "flex-direction", "flex-wrap"):
        return {name: text} if text.isascii() and "\\" not in text else {}
    if name in ("margin", "padding"):
        sides = [_parse_side(part, is_quirky) for part in _PART.findall(text)]
        if not 1 <= len(sides) <= 4 or None in sides:
            return {}
        top, right = sides[0], sides[1 % len(sides)]
        bottom, left = sides[2] if len(sides) > 2 else top, sides[3] if len(sides) > 3 else right
        return {f"{name}-top": top, f"{name}-right": right, f"{name}-bottom": bottom, f"{name}-left": left}
    if name == "grid-template-columns":
        return {name: text}
    value = _parse_side(text, is_quirky)
    return {} if value is None else {name: value}


def _parse_side(text: str, is_quirky: bool) -> object:
    """Read the size of a side: a length, or a word such as `auto`."""
    if text in ("auto", "none", "min-content", "max-content", "fit-content"):
        return text
    length = parse_length(text)
    if isinstance(length, Linear) and length.number:
        return parse_length(text + "px") if is_quirky else None
    return length


_SIDES = ("top", "right", "bottom", "left")
_LAYOUT = (
    *"width max-width min-width height float position flex-direction flex-wrap grid-template-columns".split(),
    *(f"{box}-{side}" for box in ("margin", "padding") for side in _SIDES),
)
LAYOUT = Vocabulary(
    stems=("width", "height", "float", "position", "flex", "grid", "margin", "padding"),
    pattern=re.compile(
        r";\s*+((?:max-|min-)?width|height|float|position|flex-direction|flex-wrap|grid-template-columns"
        r"|(?:margin|padding)(?:-(?:top|right|bottom|left))?)\s*+:([^;]*+)",
        re.IGNORECASE,
    ),
    longhands={
        **{name: (name,) for name in _LAYOUT},
        **{box: tuple(f"{box}-{side}" for side in _SIDES) for box in ("margin", "padding")},
    },
    parse=_parse_layout,
)
