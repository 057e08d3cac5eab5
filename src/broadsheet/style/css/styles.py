"""The computed styles of a page's nodes: from its style sheets, or from a browser that rendered it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from broadsheet.page import TEXT, Page, Rendering
from broadsheet.style.css.cascade import NO_VALUES, Cascade
from broadsheet.style.css.matching import Matcher
from broadsheet.style.css.properties import STYLE_PROPERTIES, CssWideKeyword, PropertyValues
from broadsheet.style.css.values import (
    CURRENT_COLOR,
    INITIAL_FAMILY,
    INITIAL_SIZE_PX,
    INITIAL_WEIGHT,
    TRANSPARENT,
    Bases,
    Color,
    Length,
    resolve_font_weight,
)

MIN_BOLD_WEIGHT = 600


class StyleColumns(NamedTuple):
    """Styles of all rows, for callers that need every row."""

    display: Sequence[str]  # of elements; unspecified for text nodes
    font_size: Sequence[float]
    background: Sequence[int]
    is_shown: Sequence[bool]


def compute_styles(page: Page) -> Styles:
    """Return the styles of a page's nodes: the browser's if the page was rendered. Computed on first use."""
    return Styles(page)


class Styles:
    """Computed styles by row of the node table. A text node has the style of its parent."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @cached_property
    def cascade(self) -> Cascade:
        """The rules of the page."""
        return Cascade(self._page)

    @cached_property
    def _rows(self) -> Sequence[Style]:
        rendering = self._page.rendering
        return compute_rows(self.cascade) if rendering is None else _read_rendering(rendering)

    @cached_property
    def columns(self) -> StyleColumns:
        """Styles of all rows, equal to the results of the methods below."""
        columns = zip(*((row.display, row.font_size, row.background, row.is_shown) for row in self._rows), strict=True)
        return StyleColumns(*columns)

    def font_size(self, row: int) -> float:
        """Return the font size in pixels."""
        return self._rows[row].font_size

    def weight(self, row: int) -> int:
        """Return the font weight, from 1 to 1000: 400 is normal, 700 bold."""
        return self._rows[row].weight

    def is_bold(self, row: int) -> bool:
        """Return whether the text is bold."""
        return self._rows[row].weight >= MIN_BOLD_WEIGHT

    def color(self, row: int) -> int:
        """Return the text colour, 0xRRGGBB."""
        return self._rows[row].color

    def background(self, row: int) -> int:
        """Return the colour behind the row, 0xRRGGBB: all backgrounds around it composited over white."""
        return self._rows[row].background

    def family(self, row: int) -> str:
        """Return the generic font family: "serif", "sans-serif", "monospace", "cursive" or "fantasy"."""
        return self._rows[row].family

    def display(self, row: int) -> str:
        """Return the display type: "none", "block", "inline", "flex", "table-cell", ..."""
        return self._rows[row].display

    def is_shown(self, row: int) -> bool:
        """Return whether the row is rendered: visible, and neither it nor an ancestor has `display: none`."""
        return self._rows[row].is_shown


def _read_rendering(rendering: Rendering) -> list[Style]:
    fonts = (rendering.font_size, rendering.weight, rendering.family)
    columns = (*fonts, rendering.color, rendering.background, rendering.display, rendering.is_shown)
    return [Style(*row) for row in zip(*columns, strict=True)]


_MAX_SIZE_PX = 10_000.0  # as in Chromium
_MIN_RELATIVE_SIZE_PX = 6.0  # sizes in relative units are not computed smaller than this
# The children of flex and grid containers are blockified (CSS Display 3, section 2.7).
_BLOCKIFYING = frozenset(("flex", "inline-flex", "grid", "inline-grid"))
_BLOCKIFIED = {"inline-flex": "flex", "inline-grid": "grid", "inline-table": "table"}
# Elements that may hide their children, and the attribute of those that do not.
_FALLBACK_TAGS = ("iframe", "video", "audio", "canvas", "object")
_FOLDING_TAGS = {"details": "open", "select": "multiple", **dict.fromkeys(_FALLBACK_TAGS, "")}
_INHERITING = frozenset((None, CssWideKeyword.INHERIT, CssWideKeyword.UNSET))


class Style(NamedTuple):
    """The computed style of a row. The defaults are the initial values."""

    font_size: float = INITIAL_SIZE_PX
    weight: int = INITIAL_WEIGHT
    family: str = INITIAL_FAMILY
    color: int = 0
    background: int = 0xFFFFFF  # behind the row: all backgrounds around it composited over white
    display: str = "block"
    is_visible: bool = True
    is_displayed: bool = True  # neither the element nor an ancestor has `display: none`
    background_color: Color = TRANSPARENT  # of the element alone

    @property
    def is_shown(self) -> bool:
        """Whether the row is rendered."""
        return self.is_visible and self.is_displayed


_INITIAL_STYLE = Style()


def compute_rows(cascade: Cascade) -> list[Style]:
    """Compute the styles of all rows, from parents to children. Equal rows of equal parents share one object."""
    page, matched = cascade.page, cascade.match(STYLE_PROPERTIES, with_user_agent=True)
    folded = _find_folded_rows(cascade.matcher)
    styles = [_INITIAL_STYLE] * (len(page.nodes) + 1)  # the last one, row -1, is the parent of the root
    cache: dict[tuple[int, int], Style] = {}
    distinct: dict[Style, Style] = {}
    styled_rows, tag_styles, root_size_px = matched.styled_rows, matched.tag_styles, INITIAL_SIZE_PX
    for row, (parent, tag) in enumerate(zip(page.nodes.parent, page.nodes.tag, strict=True)):
        style = styles[parent]
        if tag != TEXT:
            values = matched.get(row) if row in styled_rows else tag_styles.get(tag, NO_VALUES)
            key = (id(style), id(values))  # both stay alive here, so that an id() is never reused
            cached = cache.get(key)
            if cached is None:
                page.deadline.check()
                computed = _compute_style(style, values, root_size_px)
                cached = cache[key] = distinct.setdefault(computed, computed)
                root_size_px = cached.font_size if row == 0 else root_size_px
            style = cached
        if folded and row in folded:
            style = cache.setdefault((id(style), 0), style._replace(is_displayed=False))
        styles[row] = style
    return styles[:-1]


def _find_folded_rows(matcher: Matcher) -> set[int]:
    """Find the children that closed `<details>`, drop-down lists and elements with fallback content do not show."""
    nodes = matcher.nodes
    parents = (row for tag in _FOLDING_TAGS for row in matcher.rows(tag))
    folded: set[int] = set()
    for parent in parents:
        is_open = nodes.has_attr(parent, _FOLDING_TAGS[nodes.tag[parent]])
        has_summary, child = nodes.tag[parent] != "details", parent + 1
        while child < nodes.end[parent] and not is_open:
            if nodes.tag[child] == "summary" and not has_summary:
                has_summary = True  # only the first summary is shown
            else:
                folded.add(child)
            child = nodes.end[child]
    return folded


def _compute_style(parent: Style, values: PropertyValues, root_size_px: float) -> Style:
    color = _compute_color(parent, values.get("color"))
    background_color = _compute_background(parent, values.get("background-color"), color)
    display = _compute_display(parent, values.get("display"))
    is_inline_item = parent.display in _BLOCKIFYING and display.startswith("inline")
    return Style(
        font_size=_compute_font_size(parent, values.get("font-size"), root_size_px),
        weight=_compute_weight(parent, values.get("font-weight")),
        family=_compute_family(parent, values.get("font-family")),
        color=color,
        background=background_color.composite_over(parent.background),
        background_color=background_color,
        display=_BLOCKIFIED.get(display, "block") if is_inline_item else display,
        is_visible=_compute_is_visible(parent, values.get("visibility")),
        is_displayed=parent.is_displayed and display != "none",
    )


def _compute_weight(parent: Style, value: object) -> int:
    if isinstance(value, int | str):
        return resolve_font_weight(value, parent.weight)
    return INITIAL_WEIGHT if value is CssWideKeyword.INITIAL else parent.weight


def _compute_color(parent: Style, value: object) -> int:
    if isinstance(value, Color) and value is not CURRENT_COLOR:
        return value.rgb
    return _INITIAL_STYLE.color if value is CssWideKeyword.INITIAL else parent.color


def _compute_background(parent: Style, value: object, color: int) -> Color:
    if value is CURRENT_COLOR:
        return Color(color)
    if value is CssWideKeyword.INHERIT:
        return parent.background_color
    return value if isinstance(value, Color) else TRANSPARENT


def _compute_display(parent: Style, value: object) -> str:
    if value is CssWideKeyword.INHERIT:
        return parent.display
    return value if isinstance(value, str) else "inline"


def _compute_is_visible(parent: Style, value: object) -> bool:
    return parent.is_visible if value in _INHERITING else value in ("visible", CssWideKeyword.INITIAL)


def _compute_font_size(parent: Style, value: object, root_size_px: float) -> float:
    if not isinstance(value, Length):
        return INITIAL_SIZE_PX if value is CssWideKeyword.INITIAL else parent.font_size
    px = max(value.resolve(Bases(parent.font_size, root_size_px, parent.font_size)), 0.0)
    if 0 < px < _MIN_RELATIVE_SIZE_PX and value.is_relative:
        px = _MIN_RELATIVE_SIZE_PX
    return min(px, _MAX_SIZE_PX)


def _compute_family(parent: Style, value: object) -> str:
    if isinstance(value, str):
        return value
    return INITIAL_FAMILY if value is CssWideKeyword.INITIAL else parent.family
