"""Conditions of `@media`, `@supports` and `media=`: do they hold on a screen of 1280 by 800 pixels?"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from broadsheet.style.css.lengths import SCREEN_HEIGHT, SCREEN_WIDTH, Linear, parse_length

_LONGEST = 2_000  # characters of a condition; a longer one does not hold
_DEEPEST = 20
_TOKEN = re.compile(r"\(|\)|,|[^\s(),]+")
_KNOWN_UNKNOWN = frozenset(("only", "and", "or", "not"))

# Features that are words. What is not listed is unknown, and a condition on it does not hold.
_WORDS: dict[str, frozenset[str]] = {
    "orientation": frozenset(("landscape",)),
    "prefers-color-scheme": frozenset(("light",)),
    "prefers-reduced-motion": frozenset(("no-preference",)),
    "prefers-reduced-transparency": frozenset(("no-preference",)),
    "prefers-reduced-data": frozenset(("no-preference",)),
    "prefers-contrast": frozenset(("no-preference",)),
    "forced-colors": frozenset(("none",)),
    "inverted-colors": frozenset(("none",)),
    "hover": frozenset(("hover",)),
    "any-hover": frozenset(("hover",)),
    "pointer": frozenset(("fine",)),
    "any-pointer": frozenset(("fine",)),
    "scripting": frozenset(("none",)),
    "display-mode": frozenset(("browser",)),
    "update": frozenset(("fast",)),
    "overflow-block": frozenset(("scroll",)),
    "overflow-inline": frozenset(("scroll",)),
    "color-gamut": frozenset(("srgb",)),
    "dynamic-range": frozenset(("standard",)),
    "scan": frozenset(("progressive",)),
}
# These hold without a value as well, since there is something of them.
_ABSENT = frozenset(
    ("prefers-reduced-motion", "prefers-reduced-data", "prefers-contrast", "forced-colors", "scripting")
)
_NUMBERS = {
    "width": SCREEN_WIDTH,
    "device-width": SCREEN_WIDTH,
    "height": SCREEN_HEIGHT,
    "device-height": SCREEN_HEIGHT,
    "aspect-ratio": SCREEN_WIDTH / SCREEN_HEIGHT,
    "device-aspect-ratio": SCREEN_WIDTH / SCREEN_HEIGHT,
    "resolution": 1.0,
    "-webkit-device-pixel-ratio": 1.0,
    "color": 8.0,
    "monochrome": 0.0,
    "color-index": 0.0,
    "grid": 0.0,
}
_RANGE = re.compile(r"(<=|>=|<|>|=)")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda one, two: one < two,
    "<=": lambda one, two: one <= two,
    ">": lambda one, two: one > two,
    ">=": lambda one, two: one >= two,
    "=": lambda one, two: one == two,
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
_RESOLUTION = re.compile(r"([\d.]+)(dppx|dpi|dpcm|x)\Z")
_RATIO = re.compile(r"([\d.]+)\s*/\s*([\d.]+)\Z")


@lru_cache(maxsize=1024)
def holds_on_screen(condition: str) -> bool:
    """Tell whether a media query list holds. An empty one does."""
    condition = condition.strip().lower()
    if not condition:
        return True
    return len(condition) <= _LONGEST and any(_holds_query(query) for query in _split(condition))


@lru_cache(maxsize=1024)
def is_supported(condition: str) -> bool:
    """Tell whether a `@supports` condition holds: every browser of today knows what sheets ask for."""
    condition = condition.strip().lower()
    if len(condition) > _LONGEST:
        return False
    return _evaluate(condition, _knows_feature, 0) is not False


def _split(text: str) -> list[str]:
    """Cut at the commas outside brackets."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        elif char == "," and depth <= 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def _holds_query(query: str) -> bool:
    match = re.match(r"\s*(not\s+|only\s+)?([a-z-]+)(?:\s+and\s+(.*))?\s*\Z", query, re.DOTALL)
    if match is None:
        return _evaluate(query, _holds_feature, 0) is True
    prefix, kind, rest = match.groups()
    holds: bool | None = kind in ("all", "screen")
    if holds and rest:
        holds = _evaluate(rest, _holds_feature, 0)
    return holds is False if (prefix or "").startswith("not") else holds is True


def _evaluate(text: str, decide: Callable[[str], bool | None], depth: int) -> bool | None:
    """Work out `and`, `or`, `not` and brackets; None when it cannot be known."""
    parts = _cut_condition(text)
    if depth > _DEEPEST or not parts:
        return None
    verdict: bool | None = None
    is_negated, joiner, is_first = False, "", True
    for part in parts:
        if part in _KNOWN_UNKNOWN:
            is_negated = is_negated or part == "not"
            joiner = part if part in ("and", "or") else joiner
            continue
        value = _decide(part, decide, depth)
        if is_negated:
            value, is_negated = (None if value is None else not value), False
        if is_first:
            verdict, is_first = value, False
        elif joiner == "or":
            verdict = True if True in (verdict, value) else None if None in (verdict, value) else False
        else:
            verdict = False if False in (verdict, value) else None if None in (verdict, value) else True
    return verdict


def _decide(part: str, decide: Callable[[str], bool | None], depth: int) -> bool | None:
    if not part.startswith("("):
        return decide(part)
    inside = part[1:-1] if part.endswith(")") else part[1:]
    if re.match(r"\s*(?:\(|not\b)", inside):
        return _evaluate(inside, decide, depth + 1)
    return decide(inside.strip())


def _cut_condition(text: str) -> list[str]:
    """Cut into words and bracketed parts; a function such as `selector(...)` keeps its brackets."""
    parts: list[str] = []
    depth, start = 0, -1
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == "(":
            if depth == 0:
                is_function = (
                    match.start() > 0 and not text[match.start() - 1].isspace() and text[match.start() - 1] != ")"
                )
                if is_function and parts and parts[-1] not in _KNOWN_UNKNOWN:
                    start = match.start() - len(parts.pop())
                else:
                    start = match.start()
            depth += 1
        elif token == ")":
            depth -= 1
            if depth == 0:
                parts.append(text[start : match.end()])
        elif depth == 0:
            parts.append(token)
    if depth > 0:
        parts.append(text[start:])
    return parts


def _knows_feature(text: str) -> bool | None:
    """Tell whether a browser knows `property: value`: sheets ask for other makers' prefixes to tell them apart."""
    if text.startswith(("selector(", "font-tech(", "font-format(", "at-rule(")):
        return "-moz-" not in text and "-ms-" not in text
    return not text.startswith(("-moz-", "-ms-", "-o-", "-khtml-", "overflow: -moz", "behavior", "font: -apple-"))


def _holds_feature(text: str) -> bool | None:
    if _RANGE.search(text):
        return _holds_range(text)
    name, _, wanted = (part.strip() for part in text.partition(":"))
    if name in _WORDS:
        return wanted in _WORDS[name] if wanted else name not in _ABSENT
    bound = ""
    for prefix, sign in (("min-", ">="), ("max-", "<="), ("-webkit-min-", ">="), ("-webkit-max-", "<=")):
        if name.startswith(prefix):
            name = ("-webkit-" if prefix.startswith("-webkit") else "") + name.removeprefix(prefix)
            bound = sign
            break
    if name not in _NUMBERS:
        return None
    if not wanted:
        return _NUMBERS[name] != 0 if not bound else None
    value = _read_number(wanted)
    return None if value is None else _COMPARE[bound or "="](_NUMBERS[name], value)


def _holds_range(text: str) -> bool | None:
    """Work out `400px <= width < 900px`."""
    parts = [part.strip() for part in _RANGE.split(text)]
    if len(parts) == 3:
        if parts[0] in _NUMBERS:
            return _compare(parts[0], parts[1], parts[2])
        return _compare(parts[2], _TURNED[parts[1]], parts[0])
    if len(parts) == 5:
        sides = _compare(parts[2], _TURNED[parts[1]], parts[0]), _compare(parts[2], parts[3], parts[4])
        return None if None in sides else all(sides)
    return None


def _compare(name: str, sign: str, wanted: str) -> bool | None:
    value = _read_number(wanted)
    if name not in _NUMBERS or value is None:
        return None
    return _COMPARE[sign](_NUMBERS[name], value)


def _read_number(text: str) -> float | None:
    if match := _RESOLUTION.match(text):
        return _to_float(match[1]) / {"dpi": 96.0, "dpcm": 96 / 2.54}.get(match[2], 1.0)
    if match := _RATIO.match(text):
        return _to_float(match[1]) / (_to_float(match[2]) or 1.0)
    length = parse_length(text)
    if length is None:
        return None
    return length.number if isinstance(length, Linear) and length.number else length.resolve(16.0, 16.0, 0.0)


def _to_float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
