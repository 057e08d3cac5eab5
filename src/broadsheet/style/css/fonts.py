"""Parse font sizes, weights and families (CSS Fonts 4)."""

from __future__ import annotations

import re
from functools import lru_cache

from broadsheet.style.css.lengths import Length, parse_length

INITIAL_SIZE_PX = 16.0  # of `medium`
INITIAL_WEIGHT = 400
INITIAL_FAMILY = "serif"

# Absolute sizes, also of <font size="1"> to "7".
SIZE_KEYWORDS = ("xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large")
_KEYWORD_SIZES = {
    **dict(zip(SIZE_KEYWORDS, map(Length, (9.0, 10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0)), strict=True)),
    "larger": Length(1.2, "em"),
    "smaller": Length(1 / 1.2, "em"),
}
FontWeight = int | str  # 1 to 1000, "bolder", "lighter"

_WEIGHT_KEYWORDS: dict[str, FontWeight] = {"normal": 400, "bold": 700, "bolder": "bolder", "lighter": "lighter"}
_SHORTHAND_TOKEN = re.compile(r"[^\s(/]+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?|/")
_LINE_HEIGHT = re.compile(r"\A\s*/\s*[^\s(,]+(?:\((?:[^()]|\([^()]*\))*\))?")
_STYLE_OR_STRETCH = frozenset("normal italic oblique small-caps condensed semi-condensed expanded".split())


def parse_font_size(text: str) -> Length | None:
    """Parse a font size; None if it is not one."""
    if text in _KEYWORD_SIZES:
        return _KEYWORD_SIZES[text]
    length = parse_length(text)
    is_valid = length is not None and length.value >= 0 and (length.unit or not length.value)
    return length if is_valid else None


def parse_font_weight(text: str) -> FontWeight | None:
    """Parse a font weight; None if it is not one."""
    if text in _WEIGHT_KEYWORDS:
        return _WEIGHT_KEYWORDS[text]
    length = parse_length(text)
    return round(length.value) if length and not length.unit and 1 <= length.value <= 1000 else None


def resolve_font_weight(weight: FontWeight, inherited: int) -> int:
    """Compute a weight, which may be relative to the inherited one (CSS Fonts 4, section 2.2)."""
    if isinstance(weight, int):
        return weight
    if weight == "bolder":
        return 400 if inherited < 350 else 700 if inherited < 550 else max(inherited, 900)
    return min(inherited, 100) if inherited < 550 else 400 if inherited < 750 else 700


def parse_font(text: str) -> dict[str, object]:
    """Parse the shorthand `font`; {} unless it has a size and a family."""
    weight: FontWeight = INITIAL_WEIGHT
    for match in _SHORTHAND_TOKEN.finditer(text):
        token = match[0]
        if token in _STYLE_OR_STRETCH:
            continue
        if (token_weight := parse_font_weight(token)) is not None:
            weight = token_weight
            continue
        size = parse_font_size(token)
        family = _LINE_HEIGHT.sub("", text[match.end() :]).strip()
        if size is None or not family:
            break
        return {"font-size": size, "font-weight": weight, "font-family": classify_family(family)}
    return {}


@lru_cache(maxsize=2048)
def classify_family(text: str) -> str:
    """Return the generic family of the first font in the list, in lower case, that contains a part of a known name."""
    names = [name.strip().strip("\"'").strip() for name in text.split(",")]
    for name in names:
        for generic, pattern in _KNOWN_NAMES.items():
            if pattern.search(name):
                return generic
    return INITIAL_FAMILY


def _compile(names: str) -> re.Pattern[str]:
    return re.compile("|".join(names.replace("_", r"\b").split()))


# Parts of the names of common fonts. The order matters: "sans-serif" contains "serif". `_` is a border of a word.
_KNOWN_NAMES = {
    "monospace": _compile("mono_ monospace code_ courier consolas _monaco _menlo inconsolata"),
    "cursive": _compile("cursive comic script handwrit"),
    "fantasy": _compile("fantasy papyrus"),
    "sans-serif": _compile(
        "sans arial helvetica grotes gothic verdana tahoma trebuchet geneva segoe calibri lucida futura avenir impact "
        "roboto\\Z _lato montserrat raleway oswald poppins nunito ubuntu oxygen _inter_ barlow rubik karla quicksand "
        "proxima _din_ univers myriad system apple yahei jhenghei pingfang heiti simhei meiryo dotum gulim"
    ),
    "serif": _compile(
        "serif times georgia cambria palatino antiqua bookman garamond baskerville schoolbook slab merriweather "
        "playfair _lora_ crimson charter caslon bodoni didot mincho simsun song batang mingliu tiempos minion"
    ),
}
