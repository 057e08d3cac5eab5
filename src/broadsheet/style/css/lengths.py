"""CSS lengths, percentages and calculations (CSS Values 4), for a viewport of 1280 by 800 pixels."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import NamedTuple

from broadsheet.style.css.bounds import MAX_CALC_TOKENS

VIEWPORT_WIDTH_PX, VIEWPORT_HEIGHT_PX = 1280.0, 800.0
MAX_LENGTH_PX = 33_554_432.0  # Chromium clamps lengths to this


class LinearLength(NamedTuple):
    """A sum of terms; relative units are resolved where the length is used."""

    px: float = 0.0
    em: float = 0.0
    rem: float = 0.0
    percentage: float = 0.0  # as a fraction: 50 % is 0.5
    number: float = 0.0  # without a unit

    def resolve(self, em: float, rem: float, percentage_base: float) -> float:
        """Return pixels, given the font size, the root's font size and the length that percentages refer to."""
        return self.px + self.em * em + self.rem * rem + self.percentage * percentage_base


class ComparisonLength(NamedTuple):
    """`min()`, `max()` or `clamp()`: compared where the length is used."""

    function: str
    arguments: tuple[Length, ...]

    def resolve(self, em: float, rem: float, percentage_base: float) -> float:
        """Return pixels, as for a LinearLength."""
        values = [argument.resolve(em, rem, percentage_base) for argument in self.arguments]
        if self.function == "clamp":
            return max(values[0], min(values[1], values[-1]))
        return min(values) if self.function == "min" else max(values)


Length = LinearLength | ComparisonLength

_PX_PER_UNIT = {
    "px": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 96 / 25.4,
    "q": 96 / 101.6,
    **dict.fromkeys(("vw", "svw", "lvw", "dvw", "vi"), VIEWPORT_WIDTH_PX / 100),
    **dict.fromkeys(("vh", "svh", "lvh", "dvh", "vb"), VIEWPORT_HEIGHT_PX / 100),
    "vmin": VIEWPORT_HEIGHT_PX / 100,
    "vmax": VIEWPORT_WIDTH_PX / 100,
    # The size of a query container is unknown here; the viewport is the upper bound.
    **dict.fromkeys(("cqw", "cqi", "cqmax"), VIEWPORT_WIDTH_PX / 100),
    **dict.fromkeys(("cqh", "cqb", "cqmin"), VIEWPORT_HEIGHT_PX / 100),
}
_EM_PER_UNIT = {"em": 1.0, "ex": 0.45, "ch": 0.5, "cap": 0.7, "ic": 1.0, "lh": 1.2}
_DIMENSION = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)?\Z")
_TOKEN = re.compile(r"\s*(?:((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)?|([a-z-]*\()|([-+*/),]))", re.IGNORECASE)
_FUNCTIONS = frozenset(("", "calc", "-webkit-calc", "min", "max", "clamp"))


@lru_cache(maxsize=4096)
def parse_length(text: str) -> Length | None:
    """Parse a length, percentage, number or calculation, in lower case; None if it is not one."""
    if match := _DIMENSION.match(text):
        return _make_length(match[1], match[2] or "")
    if "(" not in text:
        return None
    tokens = _tokenize(text)
    if not tokens:
        return None
    try:
        value, end = _parse_sum(tokens, 0)
    except (IndexError, ValueError, ZeroDivisionError, RecursionError):
        return None
    return value if end == len(tokens) else None


def _make_length(number: str, unit: str) -> LinearLength | None:
    value = float(number)
    if not math.isfinite(value):
        return None
    if unit in _PX_PER_UNIT:
        return LinearLength(px=min(max(value * _PX_PER_UNIT[unit], -MAX_LENGTH_PX), MAX_LENGTH_PX))
    if unit in _EM_PER_UNIT:
        return LinearLength(em=value * _EM_PER_UNIT[unit])
    if unit == "rem":
        return LinearLength(rem=value)
    if unit == "%":
        return LinearLength(percentage=value / 100)
    return LinearLength(number=value) if not unit else None


class _Token(NamedTuple):
    value: LinearLength | None  # of a number or dimension
    symbol: str  # otherwise: "calc(", "+", ")", ...


def _tokenize(text: str) -> list[_Token]:
    """Split a calculation into tokens; [] if it contains an unknown token or too many."""
    tokens: list[_Token] = []
    start, text = 0, text.strip()
    while start < len(text):
        match = _TOKEN.match(text, start)
        if match is None or len(tokens) > MAX_CALC_TOKENS:
            return []
        if match[1]:
            value = _make_length(match[1], (match[2] or "").lower())
            if value is None:
                return []
            tokens.append(_Token(value, ""))
        else:
            tokens.append(_Token(None, match[3] or match[4]))
        start = match.end()
    return tokens


# Recursive descent. Each function takes the index of its first token and returns the index after its last one.


def _parse_sum(tokens: list[_Token], index: int) -> tuple[Length, int]:
    left, index = _parse_product(tokens, index)
    while index < len(tokens) and tokens[index].symbol in ("+", "-"):
        sign = 1.0 if tokens[index].symbol == "+" else -1.0
        right, index = _parse_product(tokens, index + 1)
        left = _add(left, right, sign)
    return left, index


def _parse_product(tokens: list[_Token], index: int) -> tuple[Length, int]:
    left, index = _parse_operand(tokens, index)
    while index < len(tokens) and tokens[index].symbol in ("*", "/"):
        is_product = tokens[index].symbol == "*"
        right, index = _parse_operand(tokens, index + 1)
        if is_product and isinstance(left, LinearLength) and left.number and left == LinearLength(number=left.number):
            left, right = right, left
        if not isinstance(right, LinearLength):
            raise ValueError("one factor must be a number")
        left = _multiply(left, right.number if is_product else 1 / right.number)
    return left, index


def _parse_operand(tokens: list[_Token], index: int) -> tuple[Length, int]:
    token = tokens[index]
    if token.value is not None:
        return token.value, index + 1
    if token.symbol in ("-", "+"):
        value, index = _parse_operand(tokens, index + 1)
        return (_multiply(value, -1.0) if token.symbol == "-" else value), index
    function = token.symbol[:-1].lower()
    if not token.symbol.endswith("(") or function not in _FUNCTIONS:
        raise ValueError(f"unsupported token: {token.symbol}")
    arguments, index = _parse_arguments(tokens, index + 1)
    if function in ("min", "max") or (function == "clamp" and len(arguments) == 3):
        return ComparisonLength(function, tuple(arguments)), index
    if len(arguments) != 1:
        raise ValueError(f"{function}() takes one argument")
    return arguments[0], index


def _parse_arguments(tokens: list[_Token], index: int) -> tuple[list[Length], int]:
    arguments = []
    while True:
        argument, index = _parse_sum(tokens, index)
        arguments.append(argument)
        if index >= len(tokens) or tokens[index].symbol == ")":  # the end of the value closes all brackets
            return arguments, index + 1
        if tokens[index].symbol != ",":
            raise ValueError("expected a comma")
        index += 1


def _add(left: Length, right: Length, sign: float) -> Length:
    if isinstance(left, LinearLength) and isinstance(right, LinearLength):
        return LinearLength(*(one + sign * two for one, two in zip(left, right, strict=True)))
    if isinstance(right, ComparisonLength) and isinstance(left, LinearLength):
        return _add(_multiply(right, sign), left, 1.0)
    if isinstance(left, ComparisonLength) and isinstance(right, LinearLength):
        return ComparisonLength(left.function, tuple(_add(argument, right, sign) for argument in left.arguments))
    raise ValueError("sums of two comparison functions are unsupported")


def _multiply(length: Length, factor: float) -> Length:
    if not math.isfinite(factor):
        raise ValueError("the factor is not finite")
    if isinstance(length, LinearLength):
        return LinearLength(*(term * factor for term in length))
    function = length.function
    arguments = tuple(_multiply(argument, factor) for argument in length.arguments)
    if factor < 0:
        function = {"min": "max", "max": "min"}.get(function, function)
        arguments = arguments[::-1] if function == "clamp" else arguments
    return ComparisonLength(function, arguments)
