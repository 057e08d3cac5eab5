"""How the text of a page looks: from a real browser where one was asked, otherwise worked out from its sheets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from broadsheet.page import TEXT, Page, Rendering
from broadsheet.style.css.cascade import Cascade, Declared
from broadsheet.style.css.colors import CURRENT, TRANSPARENT, Color
from broadsheet.style.css.declarations import LOOKS, Wide
from broadsheet.style.css.defaults import HIDDEN, Values, is_passed_on
from broadsheet.style.css.fonts import (
    DEFAULT_MONO_SIZE,
    DEFAULT_SIZE,
    KEYWORDS,
    SERIF,
    SMALLEST_SIZE,
    Family,
    Weight,
    change_weight,
    step_size,
)
from broadsheet.style.css.lengths import Choice, Linear

BOLD_FROM = 600  # weight
_LOOK_EVERY = 4096  # rows between two looks at the clock
_NOTHING: Values = {}
_WHITE = 0xFFFFFF


def compute_styles(page: Page) -> Styles:
    """Get the looks of a page's nodes. Nothing is worked out before it is asked for."""
    if page.rendering is not None:
        return RenderedStyles(page.rendering)
    return ComputedStyles(page)


class Columns(NamedTuple):
    """Looks of all rows at once: for who asks of every row."""

    display: Sequence[str]  # of elements; a text has none of its own
    font_size: Sequence[float]
    background: Sequence[int]
    is_shown: Sequence[bool]


class Styles(ABC):
    """Looks by row of the node table; those of a text node are its parent's."""

    @property
    @abstractmethod
    def columns(self) -> Columns:
        """What the methods below say, of every row."""

    @abstractmethod
    def font_size(self, row: int) -> float:
        """Size of the letters in pixels."""

    @abstractmethod
    def weight(self, row: int) -> int:
        """Weight of the letters, from 1 to 1000: 400 is normal, 700 bold."""

    def is_bold(self, row: int) -> bool:
        """Tell whether the letters are bold."""
        return self.weight(row) >= BOLD_FROM

    @abstractmethod
    def color(self, row: int) -> int:
        """Colour of the letters, 0xRRGGBB."""

    @abstractmethod
    def background(self, row: int) -> int:
        """Colour behind the row, 0xRRGGBB: the nearest around it that is not transparent, else white."""

    @abstractmethod
    def family(self, row: int) -> str:
        """Kind of the letters: "serif", "sans-serif", "monospace", "cursive" or "fantasy"."""

    @abstractmethod
    def display(self, row: int) -> str:
        """How the element is laid out: "none", "block", "inline", "flex", "table-cell", ..."""

    @abstractmethod
    def is_shown(self, row: int) -> bool:
        """Tell whether a reader sees it: nothing around it has `display: none`, and it is not made invisible."""


class RenderedStyles(Styles):
    """Looks as a real browser computed them."""

    def __init__(self, rendering: Rendering) -> None:
        self._rendering = rendering

    @property
    def columns(self) -> Columns:
        """Looks of all rows."""
        own = self._rendering
        return Columns(own.display, own.font_size, own.background, own.is_shown)

    def font_size(self, row: int) -> float:
        """Size of the letters in pixels."""
        return self._rendering.font_size[row]

    def weight(self, row: int) -> int:
        """Weight of the letters."""
        return self._rendering.weight[row]

    def color(self, row: int) -> int:
        """Colour of the letters."""
        return self._rendering.color[row]

    def background(self, row: int) -> int:
        """Colour behind the row."""
        return self._rendering.background[row]

    def family(self, row: int) -> str:
        """Kind of the letters."""
        return self._rendering.family[row]

    def display(self, row: int) -> str:
        """How the element is laid out."""
        return self._rendering.display[row]

    def is_shown(self, row: int) -> bool:
        """Tell whether a reader sees it."""
        return self._rendering.is_shown[row]


class _Look(NamedTuple):
    """What passes from an element to those in it."""

    size: float = DEFAULT_SIZE
    step: str = "medium"  # the keyword that the size came from, "" for a size in other units
    weight: int = 400
    color: Color = Color(0)
    family: Family = SERIF
    is_visible: bool = True
    is_gone: bool = False  # inside something that is not laid out


_ROOT = _Look()
# What stands in these is laid out as blocks, whatever it was.
_FLEXING = frozenset(("flex", "inline-flex", "grid", "inline-grid"))
_AS_BLOCKS = {"inline-flex": "flex", "inline-grid": "grid", "inline-table": "table"}
# Elements whose content a browser does not show: it is for those that do not know the element.
_FALLBACK = frozenset("iframe noembed noframes video audio canvas object desc metadata".split())


class ComputedStyles(Styles):
    """Looks worked out from the page's sheets; each row's once."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._nodes = page.nodes
        self._root_size = DEFAULT_SIZE
        self._behind: dict[int, int] = {-1: _WHITE}

    @cached_property
    def cascade(self) -> Cascade:
        """The page's rules."""
        return Cascade(self._page)

    @cached_property
    def _declared(self) -> Declared:
        return self.cascade.apply(LOOKS, with_defaults=True)

    @cached_property
    def _closed(self) -> frozenset[int]:
        """Rows that are folded away, or there for browsers that do not know what is around them."""
        nodes, named = self._nodes, self.cascade.index.rows
        closed = [row for tag in _FALLBACK for row in named(tag)]
        closed += nodes.attrs.match(named("details"), ":not([open])")
        closed += nodes.attrs.match(named("select"), ":not([multiple], [size]), [size='0'], [size='1']")
        rows: set[int] = set()
        for row in closed:
            is_folded = nodes.tag[row] == "details"
            child = row + 1
            while child < nodes.end[row]:
                if is_folded and nodes.tag[child] == "summary":
                    is_folded = False
                    is_closed = False
                else:
                    is_closed = True
                if is_closed:
                    rows.add(child)
                child = nodes.end[child]
        return frozenset(rows)

    def font_size(self, row: int) -> float:
        """Size of the letters in pixels."""
        return self._looks[row].size

    def weight(self, row: int) -> int:
        """Weight of the letters."""
        return self._looks[row].weight

    def color(self, row: int) -> int:
        """Colour of the letters."""
        return self._looks[row].color.rgb

    def family(self, row: int) -> str:
        """Kind of the letters."""
        return self._looks[row].family.kind

    def display(self, row: int) -> str:
        """How the element is laid out."""
        nodes = self._nodes
        if nodes.tag[row] == TEXT:
            row = nodes.parent[row]
        display = self._find_display(row)
        if display.startswith("inline") and row > 0 and self._find_display(nodes.parent[row]) in _FLEXING:
            return _AS_BLOCKS.get(display, "block")
        return display

    def _find_display(self, row: int) -> str:
        while row >= 0:
            value = (self._values[row] or _NOTHING).get("display", "inline")
            if isinstance(value, str):
                return value
            if value is not Wide.INHERIT:
                break
            row = self._nodes.parent[row]
        return "inline"

    def is_shown(self, row: int) -> bool:
        """Tell whether a reader sees it."""
        look = self._looks[row]
        return look.is_visible and not look.is_gone

    @cached_property
    def columns(self) -> Columns:
        """Looks of all rows; what is declared alike is read once."""
        rows = range(len(self._nodes))
        sizes, is_shown = [self.font_size(row) for row in rows], [self.is_shown(row) for row in rows]
        different = {id(values): values for values in self._values if values}
        displays = self._list_displays({key: values.get("display", "inline") for key, values in different.items()})
        colored = {key for key, values in different.items() if "background-color" in values}
        behind: list[int] = []
        for row, (parent, values) in enumerate(zip(self._nodes.parent, self._values, strict=True)):
            below = behind[parent] if parent >= 0 else _WHITE
            if id(values) in colored:
                color = self._find_background(row)
                if color.alpha > 0:
                    below = color.over(below)
            behind.append(below)
        return Columns(displays, sizes, behind, is_shown)

    def _list_displays(self, declared: Mapping[int, object]) -> list[str]:
        """How all elements are laid out, given what is declared for it, by the identity of the values."""
        nodes = self._nodes
        found = [declared.get(id(values), "inline") for values in self._values]
        displays = [
            display if isinstance(display, str) else self._find_display(row) for row, display in enumerate(found)
        ]
        for row in [row for row, display in enumerate(displays) if display in _FLEXING]:
            child = row + 1
            while child < nodes.end[row]:
                if displays[child].startswith("inline") and nodes.tag[child] != TEXT:
                    displays[child] = _AS_BLOCKS.get(displays[child], "block")
                child = nodes.end[child]
        return displays

    def background(self, row: int) -> int:
        """Colour behind the row."""
        nodes, known = self._nodes, self._behind
        path = []
        while row not in known:
            path.append(row)
            row = nodes.parent[row]
        behind = known[row]
        for row in reversed(path):
            if nodes.tag[row] != TEXT:
                color = self._find_background(row)
                if color.alpha > 0:
                    behind = color.over(behind)
            known[row] = behind
        return behind

    def _find_background(self, row: int) -> Color:
        while row >= 0:
            value = (self._values[row] or _NOTHING).get("background-color", TRANSPARENT)
            if value is CURRENT:
                return self._looks[row].color
            if isinstance(value, Color):
                return value
            if value is not Wide.INHERIT:
                break
            row = self._nodes.parent[row]
        return TRANSPARENT

    @cached_property
    def _values(self) -> list[Values | None]:
        """What is declared for each row; None for texts and where it is nothing."""
        values: list[Values | None] = list(map(self._declared.by_tag.get, self._nodes.tag))
        for count, row in enumerate(self._declared.special):
            values[row] = self._declared.find(row)
            if count % _LOOK_EVERY == 0:
                self._page.deadline.check()
        return values

    @cached_property
    def _looks(self) -> list[_Look]:
        """Looks of all rows, passed on from parents to children: faster than a way up for each text."""
        parents, changes = self._nodes.parent, self._list_changes()
        looks = [_ROOT] * (len(parents) + 1)  # the last one is what the root's parent, row -1, looks like
        alike: dict[tuple[int, int], _Look] = {}
        for start in range(0, len(parents), _LOOK_EVERY):
            self._page.deadline.check()
            stretch = slice(start, start + _LOOK_EVERY)
            for row, (parent, values) in enumerate(zip(parents[stretch], changes[stretch], strict=True), start):
                look = looks[parent]
                if values:
                    key = (id(look), id(values))  # both live as long as the tables of them: no two at one address
                    known = alike.get(key)
                    if known is None:
                        known = alike[key] = self._change(look, values, row)
                    look = known
                looks[row] = look
        return looks

    def _list_changes(self) -> list[Values | None]:
        """List what is declared for each row where it may change the look; folded away is not laid out."""
        changes: list[Values | None] = list(map(self._declared.changing_by_tag.get, self._nodes.tag))
        for row in self._declared.special:
            values = self._values[row] or _NOTHING
            changes[row] = values if is_passed_on(values) else None
        folded: dict[int, Values] = {}
        for row in self._closed:
            values = self._values[row] or _NOTHING
            changes[row] = folded.setdefault(id(values), {**values, **HIDDEN})
        return changes

    def _change(self, above: _Look, values: Values, row: int) -> _Look:
        """Work out an element's look from its parent's and what is declared for it."""
        family = values.get("font-family", above.family)
        if isinstance(family, Wide):
            family = SERIF if family is Wide.INITIAL else above.family
        assert isinstance(family, Family)
        size, step = self._change_size(above, values.get("font-size"), family)
        weight = values.get("font-weight", above.weight)
        if isinstance(weight, Wide):
            weight = 400 if weight is Wide.INITIAL else above.weight
        color = values.get("color", above.color)
        if not isinstance(color, Color) or color is CURRENT:
            color = _ROOT.color if color is Wide.INITIAL else above.color
        visibility = values.get("visibility")
        is_visible = above.is_visible
        if visibility is not None and visibility not in (Wide.INHERIT, Wide.UNSET):
            is_visible = visibility in ("visible", Wide.INITIAL)
        is_gone = above.is_gone or values.get("display") == "none"
        if not is_gone and values.get("display") is Wide.INHERIT:
            parent = self._nodes.parent[row]
            is_gone = parent >= 0 and (self._values[parent] or _NOTHING).get("display") == "none"
        bold = change_weight(_as_weight(weight), above.weight)
        if row == 0:
            self._root_size = size
        look = _Look(size, step, bold, color, family, is_visible, is_gone)
        return above if look == above else look

    def _change_size(self, above: _Look, size: object, family: Family) -> tuple[float, str]:
        if size is Wide.INITIAL:
            size = "medium"
        if isinstance(size, str) and size in KEYWORDS:
            return step_size(size, family.is_plain_mono), size
        # Text in `monospace` and nothing else starts from another size, and changes back where that ends.
        inherited, step = above.size, above.step
        if family.is_plain_mono != above.family.is_plain_mono and not _is_absolute(size):
            if step:
                inherited = step_size(step, family.is_plain_mono)
            else:
                share = DEFAULT_MONO_SIZE / DEFAULT_SIZE
                inherited = above.size * (share if family.is_plain_mono else 1 / share)
        if size == "larger" or size == "smaller":
            return inherited * 1.2 if size == "larger" else inherited / 1.2, ""
        if not isinstance(size, Linear | Choice):
            return inherited, step
        pixels = max(size.resolve(inherited, self._root_size, inherited), 0.0)
        if 0 < pixels < SMALLEST_SIZE and not _is_absolute(size):
            pixels = SMALLEST_SIZE
        return min(pixels, 10_000.0), ""


def _is_absolute(size: object) -> bool:
    return isinstance(size, Linear) and not size.em and not size.percent


def _as_weight(value: object) -> Weight:
    return value if isinstance(value, int | str) else 400
