"""Compute the styles of a page from its style sheets."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from broadsheet.page import TEXT, Page
from broadsheet.style.css.cascade import NO_VALUES, Cascade, CascadedValues
from broadsheet.style.css.colors import CURRENT_COLOR, TRANSPARENT, Color
from broadsheet.style.css.declarations import CssWideKeyword, PropertyValues
from broadsheet.style.css.fonts import INITIAL_SIZE_PX
from broadsheet.style.css.inheritance import INITIAL_STYLE, InheritedStyle, compute_style
from broadsheet.style.css.properties import STYLE_PROPERTIES
from broadsheet.style.css.styles import RenderedStyles, StyleColumns, Styles
from broadsheet.style.css.user_agent import NOT_DISPLAYED, affects_descendants

_ROWS_PER_DEADLINE_CHECK = 4096
_WHITE = 0xFFFFFF
_INITIAL_DISPLAY = "inline"
# The children of flex and grid containers are blockified (CSS Display 3, section 2.7).
_BLOCKIFYING = frozenset(("flex", "inline-flex", "grid", "inline-grid"))
_BLOCKIFIED = {"inline-flex": "flex", "inline-grid": "grid", "inline-table": "table"}
# Elements whose content is a fallback for browsers that do not support them.
_FALLBACK_TAGS = frozenset("iframe noembed noframes video audio canvas object desc metadata".split())
_DROP_DOWN_SELECTOR = ":not([multiple], [size]), [size='0'], [size='1']"


def compute_styles(page: Page) -> Styles:
    """Return the styles of a page's nodes: the browser's if the page was rendered. Computed on first use."""
    if page.rendering is not None:
        return RenderedStyles(page.rendering)
    return ComputedStyles(page)


class ComputedStyles(Styles):
    """Styles computed from the style sheets of a page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._nodes = page.nodes
        self._root_size_px = INITIAL_SIZE_PX
        self._backgrounds: dict[int, int] = {-1: _WHITE}
        self._inherited_from: dict[tuple[int, str], int] = {}

    @cached_property
    def cascade(self) -> Cascade:
        """The rules of the page."""
        return Cascade(self._page)

    def font_size(self, row: int) -> float:
        """Return the font size in pixels."""
        return self._inherited[row].font_size_px

    def weight(self, row: int) -> int:
        """Return the font weight."""
        return self._inherited[row].weight

    def color(self, row: int) -> int:
        """Return the text colour."""
        return self._inherited[row].color.rgb

    def family(self, row: int) -> str:
        """Return the generic font family."""
        return self._inherited[row].family.generic

    def is_shown(self, row: int) -> bool:
        """Return whether the row is rendered."""
        style = self._inherited[row]
        return style.is_visible and style.is_displayed

    def display(self, row: int) -> str:
        """Return the display type."""
        nodes = self._nodes
        if nodes.tag[row] == TEXT:
            row = nodes.parent[row]
        display = self._get_display(row)
        if display.startswith("inline") and row > 0 and self._get_display(nodes.parent[row]) in _BLOCKIFYING:
            return _BLOCKIFIED.get(display, "block")
        return display

    def _get_display(self, row: int) -> str:
        """Return the display type before blockification."""
        value = self._get_value(self._find_origin(row, "display"), "display")
        return value if isinstance(value, str) else _INITIAL_DISPLAY

    def background(self, row: int) -> int:
        """Return the colour behind the row."""
        nodes, backgrounds = self._nodes, self._backgrounds
        path = []
        while row not in backgrounds:
            path.append(row)
            row = nodes.parent[row]
        background = backgrounds[row]
        for row in reversed(path):
            if nodes.tag[row] != TEXT:
                background = self._get_background_color(row).composite_over(background)
            backgrounds[row] = background
        return background

    def _get_background_color(self, row: int) -> Color:
        row = self._find_origin(row, "background-color")
        value = self._get_value(row, "background-color")
        if value is CURRENT_COLOR:
            return self._inherited[row].color
        return value if isinstance(value, Color) else TRANSPARENT

    def _get_value(self, row: int, name: str) -> object:
        return (self._cascaded[row] or NO_VALUES).get(name) if row >= 0 else None

    def _find_origin(self, row: int, name: str) -> int:
        """Return the nearest row from `row` up whose value of a property is not `inherit`; -1 without one."""
        path: list[int] = []
        while self._get_value(row, name) is CssWideKeyword.INHERIT:
            if (row, name) in self._inherited_from:
                row = self._inherited_from[row, name]
                break
            path.append(row)
            row = self._nodes.parent[row]
        for inheriting in path:
            self._inherited_from[inheriting, name] = row
        return row

    @cached_property
    def columns(self) -> StyleColumns:
        """Styles of all rows."""
        rows = range(len(self._nodes))
        sizes, is_shown = [self.font_size(row) for row in rows], [self.is_shown(row) for row in rows]
        distinct = {id(values): values for values in self._cascaded if values}
        displays = self._list_displays({key: values.get("display", "inline") for key, values in distinct.items()})
        ids_with_background = {key for key, values in distinct.items() if "background-color" in values}
        backgrounds: list[int] = []
        for row, (parent, values) in enumerate(zip(self._nodes.parent, self._cascaded, strict=True)):
            background = backgrounds[parent] if parent >= 0 else _WHITE
            if id(values) in ids_with_background:
                background = self._get_background_color(row).composite_over(background)
            backgrounds.append(background)
        return StyleColumns(displays, sizes, backgrounds, is_shown)

    def _list_displays(self, display_by_id: Mapping[int, object]) -> list[str]:
        """List the display types of all rows, given the cascaded one by the id() of the cascaded values."""
        nodes = self._nodes
        cascaded = [display_by_id.get(id(values), _INITIAL_DISPLAY) for values in self._cascaded]
        displays = [
            display if isinstance(display, str) else self._get_display(row) for row, display in enumerate(cascaded)
        ]
        for row in [row for row, display in enumerate(displays) if display in _BLOCKIFYING]:
            child = row + 1
            while child < nodes.end[row]:
                if displays[child].startswith("inline") and nodes.tag[child] != TEXT:
                    displays[child] = _BLOCKIFIED.get(displays[child], "block")
                child = nodes.end[child]
        return displays

    @cached_property
    def _matched(self) -> CascadedValues:
        return self.cascade.match(STYLE_PROPERTIES, with_user_agent=True)

    @cached_property
    def _cascaded(self) -> list[PropertyValues | None]:
        """Cascaded values by row; None for text nodes and for elements without any."""
        matched = self._matched
        values: list[PropertyValues | None] = list(map(matched.tag_styles.get, self._nodes.tag))
        for count, row in enumerate(matched.styled_rows):
            values[row] = matched.get(row)
            if count % _ROWS_PER_DEADLINE_CHECK == 0:
                self._page.deadline.check()
        return values

    @cached_property
    def _inherited(self) -> list[InheritedStyle]:
        """Inherited properties of all rows, from parents to children. Equal rows of equal parents share one object."""
        parents, changes = self._nodes.parent, self._list_changes()
        styles = [INITIAL_STYLE] * (len(parents) + 1)  # the last one, row -1, is the parent of the root
        cache: dict[tuple[int, int], InheritedStyle] = {}
        for start in range(0, len(parents), _ROWS_PER_DEADLINE_CHECK):
            self._page.deadline.check()
            rows = slice(start, start + _ROWS_PER_DEADLINE_CHECK)
            for row, (parent, values) in enumerate(zip(parents[rows], changes[rows], strict=True), start):
                style = styles[parent]
                if values:
                    key = (id(style), id(values))  # both stay alive here, so that an id() is never reused
                    cached = cache.get(key)
                    if cached is None:
                        cached = cache[key] = self._compute(style, values, row)
                    style = cached
                styles[row] = style
        return styles

    def _compute(self, parent: InheritedStyle, values: PropertyValues, row: int) -> InheritedStyle:
        parent_row = self._nodes.parent[row]
        is_parent_hidden = parent_row >= 0 and (self._cascaded[parent_row] or NO_VALUES).get("display") == "none"
        style = compute_style(parent, values, self._root_size_px, is_parent_hidden=is_parent_hidden)
        if row == 0:
            self._root_size_px = style.font_size_px
        return style

    def _list_changes(self) -> list[PropertyValues | None]:
        """List the cascaded values of the rows where they affect descendants. Collapsed rows are not displayed."""
        changes: list[PropertyValues | None] = list(map(self._matched.inheriting_tag_styles.get, self._nodes.tag))
        for row in self._matched.styled_rows:
            values = self._cascaded[row] or NO_VALUES
            changes[row] = values if affects_descendants(values) else None
        collapsed: dict[int, PropertyValues] = {}
        for row in self._find_collapsed_rows():
            values = self._cascaded[row] or NO_VALUES
            changes[row] = collapsed.setdefault(id(values), {**values, **NOT_DISPLAYED})
        return changes

    def _find_collapsed_rows(self) -> set[int]:
        """Find the children that closed `<details>`, drop-down lists and elements with fallback content do not show."""
        nodes, rows_of = self._nodes, self.cascade.matcher.index.rows
        parents = [row for tag in _FALLBACK_TAGS for row in rows_of(tag)]
        parents += nodes.match(rows_of("details"), ":not([open])")
        parents += nodes.match(rows_of("select"), _DROP_DOWN_SELECTOR)
        collapsed: set[int] = set()
        for parent in parents:
            may_have_summary = nodes.tag[parent] == "details"
            child = parent + 1
            while child < nodes.end[parent]:
                if may_have_summary and nodes.tag[child] == "summary":
                    may_have_summary = False  # only the first summary is shown
                else:
                    collapsed.add(child)
                child = nodes.end[child]
        return collapsed
