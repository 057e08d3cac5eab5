"""CSS lengths, percentages and the arithmetic on them, for a screen of 1280 by 800 pixels."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import NamedTuple

SCREEN_WIDTH, SCREEN_HEIGHT = 1280.0, 800.0
_MOST_PX = 33_554_432.0  # what Chromium clamps lengths to


class Linear(NamedTuple):
    """A sum of parts that are known only where the length is used."""

    px: float = 0.0
    em: float = 0.0
    rem: float = 0.0
    percent: float = 0.0  # as a share: 50 % is 0.5
    number: float = 0.0  # without a unit

    def resolve(self, em: float, rem: float, whole: float) -> float:
        """Compute pixels: `em` is the font size, `rem` the root's, `whole` what percentages are of."""
        return self.px + self.em * em + self.rem * rem + self.percent * whole


class Choice(NamedTuple):
    """`min()`, `max()`, `clamp()`: which part it is turns out where the length is used."""

    kind: str
    parts: tuple[Length, ...]

    def resolve(self, em: float, rem: float, whole: float) -> float:
        """Compute pixels, as of a Linear."""
        values = [part.resolve(em, rem, whole) for part in self.parts]
        if self.kind == "clamp":
            return max(values[0], min(values[1], values[-1]))
        return min(values) if self.kind == "min" else max(values)


Length = Linear | Choice

_PX = {
    "px": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 96 / 25.4,
    "q": 96 / 101.6,
    **dict.fromkeys(("vw", "svw", "lvw", "dvw", "vi"), SCREEN_WIDTH / 100),
    **dict.fromkeys(("vh", "svh", "lvh", "dvh", "vb"), SCREEN_HEIGHT / 100),
    "vmin": SCREEN_HEIGHT / 100,
    "vmax": SCREEN_WIDTH / 100,
    # A container's size is not known here; the screen's is the upper bound.
    **dict.fromkeys(("cqw", "cqi", "cqmax"), SCREEN_WIDTH / 100),
    **dict.fromkeys(("cqh", "cqb", "cqmin"), SCREEN_HEIGHT / 100),
}
_EM = {"em": 1.0, "ex": 0.45, "ch": 0.5, "cap": 0.7, "ic": 1.0, "lh": 1.2}
_PLAIN = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)?\Z")
_TOKEN = re.compile(r"\s*(?:((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)?|([a-z-]*\()|([-+*/),]))", re.IGNORECASE)
_FUNCTIONS = frozenset(("", "calc", "-webkit-calc", "min", "max", "clamp"))
_MAX_TOKENS = 200


@lru_cache(maxsize=4096)
def parse_length(text: str) -> Length | None:
    """Read a length, percentage, number or calculation; None for anything else. `text` is lower case."""
    if match := _PLAIN.match(text):
        return _make(match[1], match[2] or "")
    if "(" not in text:
        return None
    tokens = _tokenize(text)
    if not tokens:
        return None
    try:
        value, rest = _read_sum(tokens, 0)
    except (IndexError, ValueError, ZeroDivisionError, RecursionError):
        return None
    return value if rest == len(tokens) else None


def _make(number: str, unit: str) -> Linear | None:
    value = float(number)
    if not math.isfinite(value):
        return None
    if unit in _PX:
        return Linear(px=min(max(value * _PX[unit], -_MOST_PX), _MOST_PX))
    if unit in _EM:
        return Linear(em=value * _EM[unit])
    if unit == "rem":
        return Linear(rem=value)
    if unit == "%":
        return Linear(percent=value / 100)
    return Linear(number=value) if not unit else None


class _Token(NamedTuple):
    value: Linear | None  # of a number
    sign: str  # "calc(", "+", ")", ...


def _tokenize(text: str) -> list[_Token]:
    """Cut a calculation into tokens; [] when something in it is not understood."""
    tokens: list[_Token] = []
    at, text = 0, text.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or len(tokens) > _MAX_TOKENS:
            return []
        if match[1]:
            value = _make(match[1], (match[2] or "").lower())
            if value is None:
                return []
            tokens.append(_Token(value, ""))
        else:
            tokens.append(_Token(None, match[3] or match[4]))
        at = match.end()
    return tokens


def _read_sum(tokens: list[_Token], at: int) -> tuple[Length, int]:
    left, at = _read_product(tokens, at)
    while at < len(tokens) and tokens[at].sign in ("+", "-"):
        sign = 1.0 if tokens[at].sign == "+" else -1.0
        right, at = _read_product(tokens, at + 1)
        left = _add(left, right, sign)
    return left, at


def _read_product(tokens: list[_Token], at: int) -> tuple[Length, int]:
    left, at = _read_one(tokens, at)
    while at < len(tokens) and tokens[at].sign in ("*", "/"):
        is_product = tokens[at].sign == "*"
        right, at = _read_one(tokens, at + 1)
        if is_product and isinstance(left, Linear) and left.number and left == Linear(number=left.number):
            left, right = right, left
        if not isinstance(right, Linear):
            raise ValueError("only numbers multiply")
        left = _times(left, right.number if is_product else 1 / right.number)
    return left, at


def _read_one(tokens: list[_Token], at: int) -> tuple[Length, int]:
    token = tokens[at]
    if token.value is not None:
        return token.value, at + 1
    if token.sign in ("-", "+"):
        value, at = _read_one(tokens, at + 1)
        return (_times(value, -1.0) if token.sign == "-" else value), at
    name = token.sign[:-1].lower()
    if not token.sign.endswith("(") or name not in _FUNCTIONS:
        raise ValueError(f"not understood: {token.sign}")
    parts = []
    at += 1
    while True:
        part, at = _read_sum(tokens, at)
        parts.append(part)
        if at >= len(tokens) or tokens[at].sign == ")":  # an open bracket ends with the value, as everywhere in CSS
            break
        if tokens[at].sign != ",":
            raise ValueError("a comma is missing")
        at += 1
    if name in ("min", "max") or (name == "clamp" and len(parts) == 3):
        return Choice(name, tuple(parts)), at + 1
    if len(parts) != 1:
        raise ValueError("one value is expected")
    return parts[0], at + 1


def _add(left: Length, right: Length, sign: float) -> Length:
    if isinstance(left, Linear) and isinstance(right, Linear):
        return Linear(*(one + sign * two for one, two in zip(left, right, strict=True)))
    if isinstance(right, Choice) and isinstance(left, Linear):
        return _add(_times(right, sign), left, 1.0)
    if isinstance(left, Choice) and isinstance(right, Linear):
        return Choice(left.kind, tuple(_add(part, right, sign) for part in left.parts))
    raise ValueError("a sum of two choices is not worked out")


def _times(length: Length, factor: float) -> Length:
    if not math.isfinite(factor):
        raise ValueError("not a number")
    if isinstance(length, Linear):
        return Linear(*(part * factor for part in length))
    kind = {"min": "max", "max": "min"}.get(length.kind, length.kind) if factor < 0 else length.kind
    parts = tuple(_times(part, factor) for part in length.parts)
    return Choice(kind, parts[::-1] if factor < 0 and kind == "clamp" else parts)
