"""Parse CSS colours (CSS Color 4) into red, green, blue and opacity."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import NamedTuple

from broadsheet.style.css.bounds import MAX_COLOR_CHARS
from broadsheet.style.css.brackets import split_at_commas


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

_FUNCTION = re.compile(r"([a-z-]+)\((.*)\)\Z", re.DOTALL)
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%|deg|grad|rad|turn)?|none\b", re.IGNORECASE)
_MIX_PERCENTAGE = re.compile(r"\A(\d+\.?\d*|\.\d+)%|(?<![\w.,(])(\d+\.?\d*|\.\d+)%\Z")  # before or after a colour
_DEGREES_PER_UNIT = {"deg": 1.0, "grad": 0.9, "rad": 180 / math.pi, "turn": 360.0}
_HEX_LENGTHS = frozenset((3, 4, 6, 8))  # digits

Number = tuple[float, str]  # value and unit


def parse_color(text: str) -> Color | None:
    """Parse a colour in lower case; None if it is not one."""
    return _parse_color(text.strip()) if len(text) <= MAX_COLOR_CHARS else None


@lru_cache(maxsize=4096)
def _parse_color(text: str) -> Color | None:
    if text.startswith("#"):
        return _parse_hex(text[1:])
    if text in NAMED_COLORS:
        return Color(NAMED_COLORS[text])
    if text == "transparent":
        return TRANSPARENT
    if text == "currentcolor":
        return CURRENT_COLOR
    match = _FUNCTION.match(text)
    return _parse_function(match[1], match[2]) if match else None


def parse_legacy_color(text: str) -> Color | None:
    """Parse the colour of an attribute such as `bgcolor` (HTML standard, 2.3.6, simplified)."""
    text = text.strip().lower()
    if not text or text == "transparent":
        return None
    if (color := parse_color(text)) is not None:
        return color
    digits = "".join(char if char in "0123456789abcdef" else "0" for char in text.removeprefix("#")[:128])
    digits += "0" * (-len(digits) % 3) if digits else "000"
    length = len(digits) // 3
    channels = [digits[start : start + length][-8:] for start in (0, length, 2 * length)]
    while len(channels[0]) > 2 and all(channel[0] == "0" for channel in channels):
        channels = [channel[1:] for channel in channels]
    red, green, blue = (int(channel[:2], 16) for channel in channels)
    return Color(red << 16 | green << 8 | blue)


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
    if name == "light-dark":
        return parse_color(arguments.split(",")[0])
    if name == "color-mix":
        return _parse_color_mix(arguments)
    convert = _CONVERTERS.get(name)
    if convert is None and name != "color":
        return None
    numbers = [(float(match[1]) if match[1] else 0.0, match[2] or "") for match in _NUMBER.finditer(arguments)]
    if len(numbers) < 3:
        return None
    alpha = _scale(numbers[3], 1.0) if len(numbers) > 3 else 1.0
    red, green, blue = (convert or _convert_unit_rgb)(numbers[:3])
    return Color(_to_byte(red) << 16 | _to_byte(green) << 8 | _to_byte(blue), min(max(alpha, 0.0), 1.0))


def _parse_color_mix(arguments: str) -> Color | None:
    """Mix two colours in sRGB, an approximation for other interpolation spaces."""
    parts = split_at_commas(arguments)
    if len(parts) != 3:
        return None
    fractions: list[float | None] = []
    colors: list[Color] = []
    for part in parts[1:]:
        percentage = _MIX_PERCENTAGE.search(part.strip())
        color = parse_color(part.replace(percentage[0], "") if percentage else part)
        if color is None or color is CURRENT_COLOR:
            return None
        fractions.append(float(percentage[1] or percentage[2]) / 100 if percentage else None)
        colors.append(color)
    first, second = fractions
    fraction = first if first is not None else 1 - second if second is not None else 0.5
    fraction = min(max(fraction, 0.0), 1.0)
    alpha = colors[0].alpha * fraction + colors[1].alpha * (1 - fraction)
    weight = colors[0].alpha * fraction / alpha if alpha else 0.0
    return Color(Color(colors[0].rgb, weight).composite_over(colors[1].rgb), alpha)


def _scale(number: Number, full: float) -> float:
    """Return the value of a number, where 100 % is `full`."""
    return number[0] / 100 * full if number[1] == "%" else number[0]


def _to_byte(value: float) -> int:
    return min(max(math.floor(value + 0.5), 0), 255) if math.isfinite(value) else 0


def _convert_rgb(numbers: list[Number]) -> tuple[float, ...]:
    return tuple(_scale(number, 255.0) for number in numbers)


def _convert_unit_rgb(numbers: list[Number]) -> tuple[float, ...]:
    return tuple(_scale(number, 1.0) * 255 for number in numbers)


def _convert_hsl(numbers: list[Number]) -> tuple[float, ...]:
    hue = numbers[0][0] * _DEGREES_PER_UNIT.get(numbers[0][1], 1.0) % 360 if math.isfinite(numbers[0][0]) else 0.0
    saturation, light = (min(max(number[0] / 100, 0.0), 1.0) for number in numbers[1:])
    amplitude = saturation * min(light, 1 - light)

    def compute_channel(offset: int) -> float:
        position = (offset + hue / 30) % 12
        return 255 * (light - amplitude * max(-1.0, min(position - 3, 9 - position, 1.0)))

    return compute_channel(0), compute_channel(8), compute_channel(4)


def _convert_hwb(numbers: list[Number]) -> tuple[float, ...]:
    white, black = (min(max(number[0] / 100, 0.0), 1.0) for number in numbers[1:])
    if white + black >= 1:
        return (255 * white / (white + black),) * 3
    pure_hue = _convert_hsl([numbers[0], (100.0, "%"), (50.0, "%")])
    return tuple(value * (1 - white - black) + 255 * white for value in pure_hue)


def _convert_oklab(numbers: list[Number]) -> tuple[float, ...]:
    lightness, a, b = (_scale(number, full) for number, full in zip(numbers, (1.0, 0.4, 0.4), strict=True))
    return _oklab_to_rgb(lightness, a, b)


def _convert_oklch(numbers: list[Number]) -> tuple[float, ...]:
    lightness, chroma = _scale(numbers[0], 1.0), _scale(numbers[1], 0.4)
    hue = math.radians(numbers[2][0] * _DEGREES_PER_UNIT.get(numbers[2][1], 1.0))
    if not math.isfinite(hue):
        hue = 0.0
    return _oklab_to_rgb(lightness, chroma * math.cos(hue), chroma * math.sin(hue))


def _oklab_to_rgb(lightness: float, a: float, b: float) -> tuple[float, ...]:
    lightness, a, b = (min(max(value, -4.0), 4.0) for value in (lightness, a, b))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return tuple(_encode_gamma(value) for value in linear)


def _encode_gamma(value: float) -> float:
    """Apply the sRGB transfer function to linear light."""
    return 255 * (12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055)


_CONVERTERS = {
    "rgb": _convert_rgb,
    "rgba": _convert_rgb,
    "hsl": _convert_hsl,
    "hsla": _convert_hsl,
    "hwb": _convert_hwb,
    "oklab": _convert_oklab,
    "oklch": _convert_oklch,
}

# Named colours and system colours, each followed by its value.
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
canvas ffffff canvastext 000000 linktext 0000ee visitedtext 551a8b activetext ff0000 buttonface f0f0f0
buttontext 000000 buttonborder 000000 field ffffff fieldtext 000000 highlight 3297fd highlighttext ffffff
graytext 808080 mark ffff00 marktext 000000 window ffffff windowtext 000000 menu ffffff menutext 000000
captiontext 000000 infobackground ffffff infotext 000000 threedface f0f0f0 -webkit-link 0000ee
-webkit-activelink ff0000
""".split()
NAMED_COLORS = {
    name: int(digits, 16) for name, digits in zip(_NAMES_AND_VALUES[::2], _NAMES_AND_VALUES[1::2], strict=True)
}
