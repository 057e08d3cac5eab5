"""Compute the inherited properties of an element from its cascaded values and its parent's style."""

from __future__ import annotations

from typing import NamedTuple

from broadsheet.style.css.colors import CURRENT_COLOR, Color
from broadsheet.style.css.declarations import CssWideKeyword, PropertyValues
from broadsheet.style.css.fonts import (
    INITIAL_MONOSPACE_SIZE_PX,
    INITIAL_SIZE_PX,
    INITIAL_WEIGHT,
    MIN_RELATIVE_SIZE_PX,
    SERIF,
    SIZE_KEYWORDS,
    FontFamily,
    resolve_font_weight,
    resolve_size_keyword,
)
from broadsheet.style.css.lengths import ComparisonLength, LinearLength

_MAX_SIZE_PX = 10_000.0  # as in Chromium
_MONOSPACE_RATIO = INITIAL_MONOSPACE_SIZE_PX / INITIAL_SIZE_PX
_RELATIVE_SIZE_RATIO = 1.2  # of `larger` and `smaller`


class InheritedStyle(NamedTuple):
    """Computed properties that are inherited. The defaults are the initial values."""

    font_size_px: float = INITIAL_SIZE_PX
    font_size_keyword: str = "medium"  # that the size comes from; "" for sizes in other units
    weight: int = INITIAL_WEIGHT
    color: Color = Color(0)
    family: FontFamily = SERIF
    is_visible: bool = True
    is_displayed: bool = True  # neither the element nor an ancestor has `display: none`


INITIAL_STYLE = InheritedStyle()


def compute_style(
    parent: InheritedStyle, values: PropertyValues, root_size_px: float, *, is_parent_hidden: bool
) -> InheritedStyle:
    """Compute the style of an element; the parent's object if it is equal.

    `is_parent_hidden` is the value of `display: inherit`: whether the parent has `display: none`.
    """
    family = values.get("font-family", parent.family)
    if not isinstance(family, FontFamily):
        family = INITIAL_STYLE.family if family is CssWideKeyword.INITIAL else parent.family
    style = InheritedStyle(
        *_compute_font_size(parent, values.get("font-size"), family, root_size_px),
        _compute_weight(parent, values.get("font-weight")),
        _compute_color(parent, values.get("color")),
        family,
        _compute_is_visible(parent, values.get("visibility")),
        parent.is_displayed and not _is_hidden(values.get("display"), is_parent_hidden),
    )
    return parent if style == parent else style


def _compute_weight(parent: InheritedStyle, value: object) -> int:
    if isinstance(value, int | str):
        return resolve_font_weight(value, parent.weight)
    return INITIAL_STYLE.weight if value is CssWideKeyword.INITIAL else parent.weight


def _compute_color(parent: InheritedStyle, value: object) -> Color:
    if isinstance(value, Color) and value is not CURRENT_COLOR:
        return value
    return INITIAL_STYLE.color if value is CssWideKeyword.INITIAL else parent.color


def _compute_is_visible(parent: InheritedStyle, value: object) -> bool:
    if value is None or value in (CssWideKeyword.INHERIT, CssWideKeyword.UNSET):
        return parent.is_visible
    return value in ("visible", CssWideKeyword.INITIAL)


def _is_hidden(display: object, is_parent_hidden: bool) -> bool:
    return display == "none" or (display is CssWideKeyword.INHERIT and is_parent_hidden)


def _compute_font_size(
    parent: InheritedStyle, value: object, family: FontFamily, root_size_px: float
) -> tuple[float, str]:
    """Return the font size in pixels and the keyword that it comes from, "" without one."""
    if value is CssWideKeyword.INITIAL:
        value = "medium"
    if isinstance(value, str) and value in SIZE_KEYWORDS:
        return resolve_size_keyword(value, family.is_monospace_alone), value
    inherited_px = parent.font_size_px
    if family.is_monospace_alone != parent.family.is_monospace_alone and not _is_absolute(value):
        inherited_px = _convert_monospace(parent, family.is_monospace_alone)
    if value == "larger":
        return inherited_px * _RELATIVE_SIZE_RATIO, ""
    if value == "smaller":
        return inherited_px / _RELATIVE_SIZE_RATIO, ""
    if not isinstance(value, LinearLength | ComparisonLength):
        return inherited_px, parent.font_size_keyword
    px = max(value.resolve(inherited_px, root_size_px, inherited_px), 0.0)
    if 0 < px < MIN_RELATIVE_SIZE_PX and not _is_absolute(value):
        px = MIN_RELATIVE_SIZE_PX
    return min(px, _MAX_SIZE_PX), ""


def _convert_monospace(parent: InheritedStyle, is_monospace_alone: bool) -> float:
    """Convert the inherited size where `monospace` alone, which has another initial size, begins or ends."""
    if parent.font_size_keyword:
        return resolve_size_keyword(parent.font_size_keyword, is_monospace_alone)
    return parent.font_size_px * (_MONOSPACE_RATIO if is_monospace_alone else 1 / _MONOSPACE_RATIO)


def _is_absolute(value: object) -> bool:
    return isinstance(value, LinearLength) and not value.em and not value.percentage
