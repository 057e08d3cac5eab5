"""Evaluate media queries for a screen with a viewport of 1280 by 800 pixels."""

from __future__ import annotations

import operator
import re
from functools import lru_cache

from broadsheet.style.css.bounds import MAX_CONDITION_CHARS
from broadsheet.style.css.lengths import VIEWPORT_HEIGHT_PX, VIEWPORT_WIDTH_PX, Bases, parse_length

_QUERY = re.compile(r"(not\b|only\b)?\s*([a-z-]*)\s*(?:\band\b)?\s*(.*)\Z", re.DOTALL)
_FEATURE = re.compile(r"(?:(min|max)-)?(?:device-)?(width|height)\s*:\s*(.+)\Z")
_RANGE = re.compile(r"(?:([^<>=]+)(<=?|>=?))?\s*(width|height)\s*(?:(<=?|>=?|=)\s*([^<>=]+))?\Z")
_SIZES_PX = {"width": VIEWPORT_WIDTH_PX, "height": VIEWPORT_HEIGHT_PX}
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq}
_PREFIXES = {"min": ">=", "max": "<=", None: "="}
_REVERSED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_BASES = Bases(16.0, 16.0, 0.0)
# Other features, as this screen has them; all that are not listed are false.
_TRUE_FEATURES = frozenset(
    "color,hover,hover:hover,any-hover,any-hover:hover,pointer:fine,any-pointer:fine,orientation:landscape,"
    "prefers-color-scheme:light,prefers-reduced-motion:no-preference,prefers-contrast:no-preference,"
    "forced-colors:none,display-mode:browser,scripting:none,min-resolution:1dppx,min-resolution:96dpi,"
    "-webkit-min-device-pixel-ratio:0,-webkit-min-device-pixel-ratio:1,max-resolution:1dppx".split(",")
)


def matches_media(queries: str) -> bool:
    """Evaluate a media query list. An empty list matches."""
    return len(queries) <= MAX_CONDITION_CHARS and _matches_media(queries)


@lru_cache(maxsize=1024)
def _matches_media(queries: str) -> bool:
    queries = queries.strip().lower()
    return not queries or any(_matches_query(query.strip()) for query in queries.split(","))


def _matches_query(query: str) -> bool:
    match = _QUERY.match(query)
    if match is None:
        return False
    prefix, media_type, condition = match.groups()
    features = condition.split(" and ") if condition else []
    is_match = media_type in ("", "all", "screen") and all(map(_has_feature, features))
    return is_match != (prefix == "not")


def _has_feature(text: str) -> bool:
    """Evaluate `(min-width: 40em)`, `(width >= 40em)` or `(hover: hover)`; false if it is unknown."""
    text = text.strip().removeprefix("(").removesuffix(")").strip()
    if match := _FEATURE.match(text):
        prefix, name, value = match.groups()
        return _compare(name, _PREFIXES[prefix], value)
    if match := _RANGE.match(text):
        low, low_operator, name, high_operator, high = match.groups()
        is_above = low is None or _compare(name, _REVERSED[low_operator], low)
        return is_above and (high is None or _compare(name, high_operator, high))
    return "".join(text.split()) in _TRUE_FEATURES


def _compare(name: str, sign: str, value: str) -> bool:
    length = parse_length(value.strip())
    return length is not None and bool(_COMPARE[sign](_SIZES_PX[name], length.resolve(_BASES)))
