"""Evaluate media queries and `@supports` conditions for a screen with a viewport of 1280 by 800 pixels."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import islice

from broadsheet.style.css.bounds import MAX_CONDITION_CHARS, MAX_CONDITION_TOKENS
from broadsheet.style.css.brackets import split_at_commas
from broadsheet.style.css.lengths import VIEWPORT_HEIGHT_PX, VIEWPORT_WIDTH_PX, LinearLength, parse_length

Evaluate = Callable[[str], bool | None]  # a feature -> its value; None if it is unknown

_TOKEN = re.compile(r"\(|\)|,|[^\s(),]+")
_OPERATORS = frozenset(("only", "and", "or", "not"))
_NOT = re.compile(r"not\b")
_QUERY = re.compile(r"\s*(not\s+|only\s+)?([a-z-]+)(?:\s+and\s+(.*))?\s*\Z", re.DOTALL)

# Media features with keyword values. A condition on a feature that is not listed is false.
_KEYWORD_FEATURES: dict[str, str] = {
    "orientation": "landscape",
    "prefers-color-scheme": "light",
    "prefers-reduced-motion": "no-preference",
    "prefers-reduced-transparency": "no-preference",
    "prefers-reduced-data": "no-preference",
    "prefers-contrast": "no-preference",
    "forced-colors": "none",
    "inverted-colors": "none",
    "hover": "hover",
    "any-hover": "hover",
    "pointer": "fine",
    "any-pointer": "fine",
    "scripting": "none",
    "display-mode": "browser",
    "update": "fast",
    "overflow-block": "scroll",
    "overflow-inline": "scroll",
    "color-gamut": "srgb",
    "dynamic-range": "standard",
    "scan": "progressive",
}
# False when they are tested without a value.
_FALSE_FEATURES = frozenset(
    ("prefers-reduced-motion", "prefers-reduced-data", "prefers-contrast", "forced-colors", "scripting")
)
_NUMERIC_FEATURES = {
    "width": VIEWPORT_WIDTH_PX,
    "device-width": VIEWPORT_WIDTH_PX,
    "height": VIEWPORT_HEIGHT_PX,
    "device-height": VIEWPORT_HEIGHT_PX,
    "aspect-ratio": VIEWPORT_WIDTH_PX / VIEWPORT_HEIGHT_PX,
    "device-aspect-ratio": VIEWPORT_WIDTH_PX / VIEWPORT_HEIGHT_PX,
    "resolution": 1.0,
    "-webkit-device-pixel-ratio": 1.0,
    "color": 8.0,
    "monochrome": 0.0,
    "color-index": 0.0,
    "grid": 0.0,
}
_RANGE_PREFIXES = {"min-": ">=", "max-": "<=", "-webkit-min-": ">=", "-webkit-max-": "<="}
_COMPARISON = re.compile(r"(<=|>=|<|>|=)")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": lambda one, two: one < two,
    "<=": lambda one, two: one <= two,
    ">": lambda one, two: one > two,
    ">=": lambda one, two: one >= two,
    "=": lambda one, two: one == two,
}
_REVERSED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
_RESOLUTION = re.compile(r"([\d.]+)(dppx|dpi|dpcm|x)\Z")
_RATIO = re.compile(r"([\d.]+)\s*/\s*([\d.]+)\Z")
_OTHER_BROWSERS = ("-moz-", "-ms-", "-o-", "-khtml-", "overflow: -moz", "behavior", "font: -apple-")


def matches_media(queries: str) -> bool:
    """Evaluate a media query list. An empty list matches."""
    return len(queries) <= MAX_CONDITION_CHARS and _matches_media(queries)


def is_supported(condition: str) -> bool:
    """Evaluate a `@supports` condition: true except for features of other browsers, which sheets use to detect them."""
    return len(condition) <= MAX_CONDITION_CHARS and _is_supported(condition)


@lru_cache(maxsize=1024)
def _matches_media(queries: str) -> bool:
    queries = queries.strip().lower()
    return not queries or any(map(_matches_query, split_at_commas(queries)))


@lru_cache(maxsize=1024)
def _is_supported(condition: str) -> bool:
    return _evaluate(condition.strip().lower(), _supports_feature) is not False


def _matches_query(query: str) -> bool:
    match = _QUERY.match(query)
    if match is None:
        return _evaluate(query, _has_media_feature) is True
    prefix, media_type, condition = match.groups()
    result: bool | None = media_type in ("all", "screen")
    if result and condition:
        result = _evaluate(condition, _has_media_feature)
    return result is False if (prefix or "").startswith("not") else result is True


def _evaluate(condition: str, evaluate_feature: Evaluate) -> bool | None:
    """Evaluate `and`, `or`, `not` and brackets in three-valued logic; None if the result is unknown."""
    tokens = list(islice(_TOKEN.finditer(condition), MAX_CONDITION_TOKENS + 1))
    if len(tokens) > MAX_CONDITION_TOKENS:
        return None
    return _evaluate_tokens(condition, tokens, 0, evaluate_feature, is_nested=False)[0]


def _evaluate_tokens(
    text: str, tokens: list[re.Match[str]], index: int, evaluate_feature: Evaluate, *, is_nested: bool
) -> tuple[bool | None, int]:
    """Evaluate the tokens up to the closing bracket; return the result and the index after it."""
    result: bool | None = None
    is_negated, operator, is_first = False, "", True
    while index < len(tokens):
        token = tokens[index][0]
        if token == ")" and is_nested:
            return result, index + 1
        if token in _OPERATORS or token == ")":
            is_negated = is_negated or token == "not"
            operator = token if token in ("and", "or") else operator
            index += 1
            continue
        if token == "(" and _is_condition(tokens, index + 1):
            value, index = _evaluate_tokens(text, tokens, index + 1, evaluate_feature, is_nested=True)
        else:
            feature, index = _read_feature(text, tokens, index)
            value = evaluate_feature(feature)
        if is_negated:
            value, is_negated = (None if value is None else not value), False
        result = value if is_first else _combine(operator, result, value)
        is_first = False
    return result, index


def _combine(operator: str, left: bool | None, right: bool | None) -> bool | None:
    decisive = operator == "or"  # the value that decides whatever the other one is
    if decisive in (left, right):
        return decisive
    return None if None in (left, right) else not decisive


def _is_condition(tokens: list[re.Match[str]], index: int) -> bool:
    """Return whether the content of a bracket is a condition, not a feature."""
    return index < len(tokens) and (tokens[index][0] == "(" or _NOT.match(tokens[index][0]) is not None)


def _read_feature(text: str, tokens: list[re.Match[str]], index: int) -> tuple[str, int]:
    """Read a word, a function such as `selector(...)` or the content of a bracket; return the index after it."""
    first = tokens[index]
    if first[0] != "(":
        index += 1
        is_function = index < len(tokens) and tokens[index][0] == "(" and tokens[index].start() == first.end()
        if not is_function:
            return first[0], index
    depth = 0
    while index < len(tokens):
        depth += {"(": 1, ")": -1}.get(tokens[index][0], 0)
        index += 1
        if depth == 0:
            break
    last = tokens[index - 1]
    if first[0] != "(":
        return text[first.start() : last.end()], index
    return text[first.end() : last.start() if depth == 0 else len(text)].strip(), index


def _supports_feature(text: str) -> bool | None:
    """Evaluate `property: value` or a function such as `selector(...)` in a `@supports` condition."""
    if text.startswith(("selector(", "font-tech(", "font-format(", "at-rule(")):
        return "-moz-" not in text and "-ms-" not in text
    return not text.startswith(_OTHER_BROWSERS)


def _has_media_feature(text: str) -> bool | None:
    if _COMPARISON.search(text):
        return _evaluate_range(text)
    name, _, value = (part.strip() for part in text.partition(":"))
    if name in _KEYWORD_FEATURES:
        return value == _KEYWORD_FEATURES[name] if value else name not in _FALSE_FEATURES
    operator = ""
    for prefix, prefix_operator in _RANGE_PREFIXES.items():
        if name.startswith(prefix):
            name = ("-webkit-" if prefix.startswith("-webkit") else "") + name.removeprefix(prefix)
            operator = prefix_operator
            break
    if value:
        return _compare(name, operator or "=", value)
    if name not in _NUMERIC_FEATURES or operator:
        return None
    return _NUMERIC_FEATURES[name] != 0


def _evaluate_range(text: str) -> bool | None:
    """Evaluate `width >= 900px` or `400px <= width < 900px`."""
    parts = [part.strip() for part in _COMPARISON.split(text)]
    if len(parts) == 3:
        if parts[0] in _NUMERIC_FEATURES:
            return _compare(parts[0], parts[1], parts[2])
        return _compare(parts[2], _REVERSED[parts[1]], parts[0])
    if len(parts) == 5:
        results = _compare(parts[2], _REVERSED[parts[1]], parts[0]), _compare(parts[2], parts[3], parts[4])
        return None if None in results else all(results)
    return None


def _compare(name: str, operator: str, value: str) -> bool | None:
    number = _parse_number(value)
    if name not in _NUMERIC_FEATURES or number is None:
        return None
    return _COMPARE[operator](_NUMERIC_FEATURES[name], number)


def _parse_number(text: str) -> float | None:
    """Parse a resolution, ratio, length or number."""
    if match := _RESOLUTION.match(text):
        return _to_float(match[1]) / {"dpi": 96.0, "dpcm": 96 / 2.54}.get(match[2], 1.0)
    if match := _RATIO.match(text):
        return _to_float(match[1]) / (_to_float(match[2]) or 1.0)
    length = parse_length(text)
    if length is None:
        return None
    return length.number if isinstance(length, LinearLength) and length.number else length.resolve(16.0, 16.0, 0.0)


def _to_float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
