"""Parse font sizes, weights and families (CSS Fonts 4)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from broadsheet.style.css.lengths import Length, LinearLength, parse_length

INITIAL_SIZE_PX = 16.0  # of `medium`
INITIAL_MONOSPACE_SIZE_PX = 13.0  # of `medium` where the font family is `monospace` alone, in all browsers
MIN_RELATIVE_SIZE_PX = 6.0  # sizes in relative units are not computed smaller than this
INITIAL_WEIGHT = 400


class FontFamily(NamedTuple):
    """The generic family of a list of font families."""

    generic: str  # "serif", "sans-serif", "monospace", "cursive", "fantasy"
    is_monospace_alone: bool = False  # the list is `monospace` and nothing else


SERIF = FontFamily("serif")
SANS_SERIF = FontFamily("sans-serif")
MONOSPACE = FontFamily("monospace", True)

# Absolute sizes, also of <font size="1"> to "7"; in pixels for an initial size of 16 and of 13 pixels.
SIZE_KEYWORDS = ("xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large")
_SIZES_PX = (9.0, 10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0)
_MONOSPACE_SIZES_PX = (9.0, 10.0, 12.0, 13.0, 16.0, 20.0, 26.0, 39.0)

FontSize = Length | str  # a length, or one of SIZE_KEYWORDS, "larger", "smaller"
FontWeight = int | str  # 1 to 1000, "bolder", "lighter"

_ALL_SIZE_KEYWORDS = frozenset((*SIZE_KEYWORDS, "larger", "smaller"))
_WEIGHT_KEYWORDS: dict[str, FontWeight] = {"normal": 400, "bold": 700, "bolder": "bolder", "lighter": "lighter"}
_SYSTEM_FONTS = frozenset("caption icon menu message-box small-caption status-bar".split())
_SHORTHAND_TOKEN = re.compile(r"[^\s(/]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?|/")
_LINE_HEIGHT = re.compile(r"\A\s*/\s*[^\s(,]+(?:\((?:[^()]|\([^()]*\))*\))?")
_STYLE_OR_STRETCH = frozenset(
    "normal italic oblique small-caps ultra-condensed extra-condensed condensed semi-condensed semi-expanded expanded "
    "extra-expanded ultra-expanded".split()
)
_ANGLE = re.compile(r"-?[\d.]+deg\Z")


class FontShorthand(NamedTuple):
    """The parts of the shorthand `font` that are used."""

    size: FontSize
    weight: FontWeight
    family: FontFamily


def resolve_size_keyword(keyword: str, is_monospace_alone: bool) -> float:
    """Return the pixels of `small`, `large`, ..."""
    return (_MONOSPACE_SIZES_PX if is_monospace_alone else _SIZES_PX)[SIZE_KEYWORDS.index(keyword)]


@lru_cache(maxsize=2048)
def parse_font_size(text: str, *, is_quirky: bool = False) -> FontSize | None:
    """Parse a font size; None if it is not one. In quirks mode a number without a unit is in pixels."""
    if text in _ALL_SIZE_KEYWORDS:
        return text
    if text == "-webkit-xxx-large":
        return "xxx-large"
    length = parse_length(text)
    if isinstance(length, LinearLength):
        if min(length) < 0 and "(" not in text:
            return None
        if length.number:
            return LinearLength(px=length.number) if is_quirky and "(" not in text else None
        if text.strip("+-.0") == "":  # zero needs no unit
            return LinearLength()
    return length


@lru_cache(maxsize=256)
def parse_font_weight(text: str) -> FontWeight | None:
    """Parse a font weight; None if it is not one."""
    if text in _WEIGHT_KEYWORDS:
        return _WEIGHT_KEYWORDS[text]
    length = parse_length(text)
    if isinstance(length, LinearLength) and length == LinearLength(number=length.number) and 1 <= length.number <= 1000:
        return round(length.number)
    return None


def resolve_font_weight(weight: FontWeight, inherited: int) -> int:
    """Compute a weight, which may be relative to the inherited one (CSS Fonts 4, section 2.2)."""
    if isinstance(weight, int):
        return weight
    if weight == "bolder":
        return 400 if inherited < 350 else 700 if inherited < 550 else max(inherited, 900)
    return min(inherited, 100) if inherited < 550 else 400 if inherited < 750 else 700


@lru_cache(maxsize=2048)
def parse_font(text: str) -> FontShorthand | None:
    """Parse the shorthand `font`; None unless it has a size and a family."""
    if text in _SYSTEM_FONTS:
        return FontShorthand(LinearLength(px=INITIAL_SIZE_PX), INITIAL_WEIGHT, SANS_SERIF)
    weight: FontWeight = INITIAL_WEIGHT
    for match in _SHORTHAND_TOKEN.finditer(text):
        token = match[0]
        if token in _STYLE_OR_STRETCH or _ANGLE.match(token):
            continue
        if (token_weight := parse_font_weight(token)) is not None and token != "normal":
            weight = token_weight
            continue
        size = parse_font_size(token)
        family = _LINE_HEIGHT.sub("", text[match.end() :]).strip()
        return FontShorthand(size, weight, classify_family(family)) if size is not None and family else None
    return None


@lru_cache(maxsize=2048)
def classify_family(text: str) -> FontFamily:
    """Return the generic family of the first font in the list, in lower case, that is in the tables below."""
    names = [name.strip().strip("\"'").strip() for name in text.split(",")]
    if names == ["monospace"]:
        return MONOSPACE
    for name in names:
        if generic := _find_generic(name):
            return FontFamily(generic)
    return SERIF  # the fallback of browsers


def _find_generic(name: str) -> str | None:
    if name in _GENERIC_BY_NAME:
        return _GENERIC_BY_NAME[name]
    return next((generic for part, generic in _GENERIC_BY_NAME_PART if part in name), None)


# The order matters: "sans serif" contains "serif".
_GENERIC_BY_NAME_PART = (
    ("mono", "monospace"),
    ("code", "monospace"),
    ("courier", "monospace"),
    ("typewriter", "monospace"),
    ("sans", "sans-serif"),
    ("grotes", "sans-serif"),
    ("gothic", "sans-serif"),
    ("helvetica", "sans-serif"),
    ("arial", "sans-serif"),
    ("slab", "serif"),
    ("serif", "serif"),
    ("garamond", "serif"),
    ("times", "serif"),
    ("georgia", "serif"),
    ("caslon", "serif"),
    ("bodoni", "serif"),
    ("didot", "serif"),
    ("mincho", "serif"),
    ("script", "cursive"),
    ("handwrit", "cursive"),
    ("brush", "cursive"),
)
_NAMES_BY_GENERIC = {
    "sans-serif": (
        "sans-serif, arial, arial black, helvetica, helvetica neue, verdana, tahoma, trebuchet ms, trebuchet, "
        "geneva, segoe ui, calibri, candara, corbel, lucida grande, lucida sans unicode, lucida sans, futura, "
        "gill sans, optima, avenir, avenir next, franklin gothic medium, century gothic, impact, roboto, "
        "roboto condensed, open sans, lato, montserrat, raleway, oswald, poppins, nunito, ubuntu, cantarell, "
        "oxygen, inter, work sans, source sans pro, noto sans, fira sans, droid sans, barlow, rubik, karla, "
        "mulish, quicksand, dm sans, ibm plex sans, pt sans, exo, dosis, cabin, hind, heebo, titillium web, "
        "josefin sans, proxima nova, proxima-nova, din, univers, frutiger, myriad pro, system-ui, -apple- "
        "system, blinkmacsystemfont, ui-sans-serif, ui-rounded, microsoft yahei, microsoft jhenghei, pingfang "
        "sc, pingfang tc, heiti sc, hiragino sans, hiragino sans gb, simhei, meiryo, malgun gothic, dotum, "
        "gulim, apple sd gothic neo, nanum gothic, emoji, math, bitstream vera sans, dejavu sans, liberation "
        "sans"
    ),
    "serif": (
        "serif, times, times new roman, georgia, cambria, constantia, palatino, palatino linotype, book "
        "antiqua, bookman, garamond, baskerville, century schoolbook, hoefler text, merriweather, playfair "
        "display, lora, noto serif, droid serif, pt serif, source serif pro, libre baskerville, crimson text, "
        "eb garamond, bitter, domine, vollkorn, arvo, rockwell, roboto slab, cardo, charter, tinos, spectral, "
        "frank ruhl libre, simsun, songti sc, nsimsun, batang, mingliu, pmingliu, hiragino mincho pron, ui- "
        "serif, fangsong, stsong, kaiti, chronicle display, tiempos, freight text pro, miller, minion pro"
    ),
    "monospace": (
        "monospace, courier, courier new, consolas, monaco, menlo, andale mono, lucida console, inconsolata, "
        "source code pro, fira code, ubuntu mono, dejavu sans mono, liberation mono, sf mono, ui-monospace, "
        "sfmono-regular, operator mono, terminal, fixed"
    ),
    "cursive": (
        "cursive, comic sans ms, comic sans, brush script mt, lucida handwriting, dancing script, pacifico, caveat"
    ),
    "fantasy": "fantasy, papyrus, lobster, bangers, jokerman",
}
_GENERIC_BY_NAME = {name.strip(): generic for generic, names in _NAMES_BY_GENERIC.items() for name in names.split(",")}
