"""Font sizes, weights and families, as CSS writes them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from broadsheet.style.css.lengths import Length, Linear, parse_length

DEFAULT_SIZE = 16.0
DEFAULT_MONO_SIZE = 13.0  # text in `monospace` and nothing else starts from here, in every browser
SMALLEST_SIZE = 6.0  # below which relative sizes do not go


class Family(NamedTuple):
    """What kind of letters, and whether the page asked for `monospace` and nothing else."""

    kind: str
    is_plain_mono: bool = False


SERIF = Family("serif")
SANS = Family("sans-serif")
MONO = Family("monospace", True)

# Steps of `xx-small` to `xxx-large`, and of <font size="1"> to "7", for text of 16 and of 13 pixels.
KEYWORDS = ("xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large")
STEPS = (9.0, 10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0)
_MONO_STEPS = (9.0, 10.0, 12.0, 13.0, 16.0, 20.0, 26.0, 39.0)

FontSize = Length | str  # a length, or one of KEYWORDS, "larger", "smaller"
Weight = int | str  # 1 to 1000, "bolder", "lighter"

_SIZE_WORDS = frozenset((*KEYWORDS, "larger", "smaller"))
_WEIGHT_WORDS: dict[str, Weight] = {"normal": 400, "bold": 700, "bolder": "bolder", "lighter": "lighter"}
_SYSTEM_FONTS = frozenset("caption icon menu message-box small-caption status-bar".split())
_FONT_TOKEN = re.compile(r"[^\s(/]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?|/")
_BEFORE_SIZE = frozenset(
    "normal italic oblique small-caps ultra-condensed extra-condensed condensed semi-condensed semi-expanded expanded "
    "extra-expanded ultra-expanded".split()
)
_ANGLE = re.compile(r"-?[\d.]+deg\Z")


class Font(NamedTuple):
    """The parts of the shorthand `font` that matter here."""

    size: FontSize
    weight: Weight
    family: Family


def step_size(keyword: str, is_mono: bool) -> float:
    """Pixels of `small`, `large`, ..."""
    return (_MONO_STEPS if is_mono else STEPS)[KEYWORDS.index(keyword)]


@lru_cache(maxsize=2048)
def parse_font_size(text: str, *, is_quirky: bool = False) -> FontSize | None:
    """Read a font size; None for what is none. Without a doctype a bare number is in pixels."""
    if text in _SIZE_WORDS:
        return text
    if text == "-webkit-xxx-large":
        return "xxx-large"
    length = parse_length(text)
    if isinstance(length, Linear):
        if min(length) < 0 and "(" not in text:
            return None
        if length.number:
            return Linear(px=length.number) if is_quirky and "(" not in text else None
        if text.strip("+-.0") == "":  # nought needs no unit
            return Linear()
    return length


@lru_cache(maxsize=256)
def parse_weight(text: str) -> Weight | None:
    """Read a font weight; None for what is none."""
    if text in _WEIGHT_WORDS:
        return _WEIGHT_WORDS[text]
    length = parse_length(text)
    if isinstance(length, Linear) and length == Linear(number=length.number) and 1 <= length.number <= 1000:
        return round(length.number)
    return None


def change_weight(weight: Weight, inherited: int) -> int:
    """Work out `bolder` and `lighter` (CSS Fonts 4, section 2.2)."""
    if isinstance(weight, int):
        return weight
    if weight == "bolder":
        return 400 if inherited < 350 else 700 if inherited < 550 else max(inherited, 900)
    return min(inherited, 100) if inherited < 550 else 400 if inherited < 750 else 700


@lru_cache(maxsize=2048)
def parse_font(text: str) -> Font | None:
    """Read the shorthand `font`; None unless it has a size and a family."""
    if text in _SYSTEM_FONTS:
        return Font(Linear(px=DEFAULT_SIZE), 400, SANS)
    weight: Weight = 400
    for match in _FONT_TOKEN.finditer(text):
        token = match[0]
        if token in _BEFORE_SIZE or _ANGLE.match(token):
            continue
        if (bold := parse_weight(token)) is not None and token != "normal":
            weight = bold
            continue
        size = parse_font_size(token)
        family = re.sub(r"\A\s*/\s*[^\s(,]+(?:\((?:[^()]|\([^()]*\))*\))?", "", text[match.end() :]).strip()
        return Font(size, weight, classify_family(family)) if size is not None and family else None
    return None


@lru_cache(maxsize=2048)
def classify_family(text: str) -> Family:
    """Tell what kind of letters a list of fonts gives: that of the first font that is known. `text` is lower case."""
    names = [name.strip().strip("\"'").strip() for name in text.split(",")]
    if names == ["monospace"]:
        return MONO
    for name in names:
        if kind := _find_kind(name):
            return Family(kind)
    return SERIF  # what a browser falls back on


def _find_kind(name: str) -> str | None:
    if name in _KINDS:
        return _KINDS[name]
    return next((kind for part, kind in _NAME_PARTS if part in name), None)


# In this order: "sans serif" holds "serif", "pt mono" is no sans.
_NAME_PARTS = (
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
_LISTS = {
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
_KINDS = {name.strip(): kind for kind, names in _LISTS.items() for name in names.split(",")}
