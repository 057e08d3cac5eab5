"""Values of CSS: lengths and calculations (CSS Values 4, 1280 by 800 pixels), colours, and fonts (CSS Fonts 4)."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from broadsheet.style.css.bounds import MAX_CALCULATION_CHARS, MAX_VALUE_CHARS

VIEWPORT_WIDTH_PX, VIEWPORT_HEIGHT_PX = 1280.0, 800.0
MAX_LENGTH_PX = 33_554_432.0  # Chromium clamps lengths to this


class Bases(NamedTuple):
    """What relative units refer to, in pixels: the font size, the root's font size, the length of 100 %."""

    em: float
    rem: float
    percentage: float


class Length(NamedTuple):
    """A number and its unit ("" without one), or a calculation."""

    value: float
    unit: str = "px"
    calculation: ast.expr | None = None  # of `calc()`, `min()`, `max()` or `clamp()`

    @property
    def is_relative(self) -> bool:
        """Whether the length is relative to the font size or to a percentage base."""
        return self.calculation is not None or self.unit in ("%", *_EM_PER_UNIT)

    def resolve(self, bases: Bases) -> float:
        """Return pixels; a number without a unit is returned as it is."""
        px = _evaluate(self.calculation, bases) if self.calculation else self.value * _get_unit_px(self.unit, bases)
        return min(max(px, -MAX_LENGTH_PX), MAX_LENGTH_PX) if math.isfinite(px) else 0.0


_PX_PER_UNIT = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4}
_PX_PER_UNIT |= dict.fromkeys(("vw", "svw", "lvw", "dvw", "vmax"), VIEWPORT_WIDTH_PX / 100)
_PX_PER_UNIT |= dict.fromkeys(("vh", "svh", "lvh", "dvh", "vmin"), VIEWPORT_HEIGHT_PX / 100)
_EM_PER_UNIT = {"em": 1.0, "ex": 0.45, "ch": 0.5}
_UNITS = frozenset((*_PX_PER_UNIT, *_EM_PER_UNIT, "rem", "%"))
_NUMBER = r"((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)"
_DIMENSION = re.compile(rf"([+-]?){_NUMBER}([a-z]+|%)?\Z")
_CALCULATION = re.compile(r"[a-z]+\([a-z\d.%+*/(),\s-]+\Z")
_TERM = re.compile(rf"{_NUMBER}([a-z]+|%)?")
_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "calc": lambda value: value,
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
    "clamp": lambda low, value, high: max(low, min(value, high)),
}
_TEST_BASES = Bases(16.0, 16.0, 100.0)


@lru_cache(maxsize=4096)
def parse_length(text: str) -> Length | None:
    """Parse a length, percentage, number or calculation, in lower case; None if it is not one."""
    if match := _DIMENSION.match(text):
        unit = match[3] or ""
        return Length(float(match[1] + match[2]), unit) if unit in _UNITS else None
    is_calculation = len(text) <= MAX_CALCULATION_CHARS and _CALCULATION.match(text)
    return _parse_calculation(text) if is_calculation else None


def _parse_calculation(text: str) -> Length | None:
    """Parse a calculation. It has the syntax of Python, if each dimension is written as the call of a function."""
    try:
        expression = ast.parse(_TERM.sub(r"_('\1', '\2')", text), mode="eval").body
        _evaluate(expression, _TEST_BASES)
    except (LookupError, TypeError, ValueError, ArithmeticError, SyntaxError, RecursionError, MemoryError):
        return None
    return Length(0.0, calculation=expression)


def _evaluate(node: ast.expr, bases: Bases) -> float:
    """Evaluate a calculation. Raises an error if it is invalid."""
    match node:
        case ast.Call(ast.Name("_"), [ast.Constant(str(number)), ast.Constant(str(unit))]):
            return float(number) * _get_unit_px(unit, bases)
        case ast.Call(ast.Name(function), arguments):
            return _FUNCTIONS[function](*(_evaluate(argument, bases) for argument in arguments))
        case ast.BinOp(left, sign, right):
            result: float = _OPERATORS[type(sign)](_evaluate(left, bases), _evaluate(right, bases))
            return result
        case ast.UnaryOp(ast.USub(), operand):
            return -_evaluate(operand, bases)
    raise ValueError("invalid calculation")


def _get_unit_px(unit: str, bases: Bases) -> float:
    if unit == "rem":
        return bases.rem
    if unit == "%":
        return bases.percentage / 100
    return _PX_PER_UNIT[unit] if unit in _PX_PER_UNIT else _EM_PER_UNIT[unit] * bases.em


class Color(NamedTuple):
    """An sRGB colour: 0xRRGGBB, and opacity from 0 to 1."""

    rgb: int
    alpha: float = 1.0

    def composite_over(self, backdrop: int) -> int:
        """Return the colour seen when this one is painted on an opaque backdrop, both 0xRRGGBB."""
        if self.alpha >= 1:
            return self.rgb
        if self.alpha <= 0:
            return backdrop
        composite = 0
        for shift in (16, 8, 0):
            front, back = self.rgb >> shift & 255, backdrop >> shift & 255
            composite |= round(front * self.alpha + back * (1 - self.alpha)) << shift
        return composite


TRANSPARENT = Color(0, 0.0)
CURRENT_COLOR = Color(-1)  # `currentcolor`: the computed text colour of the element

_FUNCTION = re.compile(r"(rgb|hsl)a?\((.*)\)\Z", re.DOTALL)
_COLOR_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%|turn)?")
_HEX_LENGTHS = frozenset((3, 4, 6, 8))  # digits


@lru_cache(maxsize=4096)
def parse_color(text: str) -> Color | None:
    """Parse a colour in lower case; None if it is not one."""
    text = text.strip()
    if text.startswith("#"):
        return _parse_hex(text[1:])
    if text in NAMED_COLORS:
        return Color(NAMED_COLORS[text])
    if text == "transparent":
        return TRANSPARENT
    if text == "currentcolor":
        return CURRENT_COLOR
    match = _FUNCTION.match(text) if len(text) <= MAX_VALUE_CHARS else None
    return _parse_function(match[1], match[2]) if match else None


def parse_legacy_color(text: str) -> Color | None:
    """Parse the colour of an attribute such as `bgcolor`: a name or six digits, with or without a hash."""
    text = text.strip().lower()
    return None if text == "transparent" else parse_color(text) or _parse_hex(text)


def _parse_hex(digits: str) -> Color | None:
    if len(digits) not in _HEX_LENGTHS:
        return None
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    try:
        value = int(digits, 16)
    except ValueError:
        return None
    return Color(value >> 8, (value & 255) / 255) if len(digits) == 8 else Color(value)


def _parse_function(name: str, arguments: str) -> Color | None:
    numbers = [(float(value), unit) for value, unit in _COLOR_NUMBER.findall(arguments)]
    if len(numbers) < 3 or not all(math.isfinite(value) for value, _ in numbers):
        return None
    alpha = _scale(*numbers[3], 1.0) if len(numbers) > 3 else 1.0
    channels = _convert_hsl(numbers) if name == "hsl" else [_scale(*number, 255.0) for number in numbers[:3]]
    red, green, blue = (min(max(math.floor(channel + 0.5), 0), 255) for channel in channels)
    return Color(red << 16 | green << 8 | blue, min(max(alpha, 0.0), 1.0))


def _scale(value: float, unit: str, whole: float) -> float:
    """Return the value of a number, where 100 % is `whole`."""
    return value / 100 * whole if unit == "%" else value


def _convert_hsl(numbers: list[tuple[float, str]]) -> list[float]:
    """Convert hue, saturation and lightness to red, green and blue, 0 to 255."""
    hue = numbers[0][0] * (360 if numbers[0][1] == "turn" else 1)
    saturation, light = (min(max(value / 100, 0.0), 1.0) for value, _ in numbers[1:3])
    amplitude = saturation * min(light, 1 - light)
    positions = ((offset + hue / 30) % 12 for offset in (0, 8, 4))
    return [255 * (light - amplitude * max(-1.0, min(position - 3, 9 - position, 1.0))) for position in positions]


# Named colours, each followed by its value.
_NAMES_AND_VALUES = """
aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black 000000
blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00
chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b
darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b
darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a
darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1
darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222
floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520
gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082
ivory fffff0 khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6
lightcoral f08080 lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3
lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899
lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6
magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db
mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585
midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6
olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98
paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd
powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513
salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb
slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa springgreen 00ff7f steelblue 4682b4 tan d2b48c
teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5
yellow ffff00 yellowgreen 9acd32
""".split()
NAMED_COLORS = {
    name: int(digits, 16) for name, digits in zip(_NAMES_AND_VALUES[::2], _NAMES_AND_VALUES[1::2], strict=True)
}


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
    """Parse the shorthand `font`; {} unless it has a size and a family.

    Values in the wrong order, such as `Arial 20px bold`, are repaired, as the chapter of the visual method does (3.1).
    """
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
    return _repair_font(text)


def _repair_font(text: str) -> dict[str, object]:
    """Return the size, the weight and the family of a `font` in the wrong order; {} if one size or the family lacks."""
    tokens = [match[0].partition("/")[0].strip(",") for match in _SHORTHAND_TOKEN.finditer(text)]
    sizes = [size for token in tokens if (size := parse_font_size(token)) is not None and size.value]
    weights = [weight for token in tokens if (weight := parse_font_weight(token)) is not None]
    family = [token for token in tokens if parse_font_size(token) is None and parse_font_weight(token) is None]
    if len(sizes) != 1 or not any(token not in _STYLE_OR_STRETCH and token.isalpha() for token in family):
        return {}
    weight = weights[0] if weights else INITIAL_WEIGHT
    return {"font-size": sizes[0], "font-weight": weight, "font-family": classify_family(",".join(family))}


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
