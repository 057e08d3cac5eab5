"""CSS lengths, percentages and calculations (CSS Values 4), for a viewport of 1280 by 800 pixels."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from broadsheet.style.css.bounds import MAX_CALCULATION_CHARS

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
