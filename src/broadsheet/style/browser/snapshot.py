"""Chromium's DOM snapshot to a Rendering: find each row of our table in the browser's tree, and copy what it has.

Both trees are built the WHATWG way, so that they are walked side by side. Ours leaves out some white space, and stops
at its limits; the browser's has shadow trees and pseudo-elements.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from broadsheet.page import TEXT, Nodes, Rendering
from broadsheet.style.css.colors import TRANSPARENT, Color, parse_color
from broadsheet.style.css.fonts import DEFAULT_SIZE, classify_family

# Asked for in this order.
PROPERTIES = ("font-size", "font-weight", "font-family", "color", "background-color", "display", "visibility")

_ELEMENT, _TEXT = 1, 3
_WHITE = 0xFFFFFF
_NUMBER = re.compile(r"[\d.]+")


def read_snapshot(snapshot: Mapping[str, Any], nodes: Nodes) -> Rendering:
    """Make a Rendering of what `DOMSnapshot.captureSnapshot` returned."""
    document = snapshot["documents"][0]
    found = map_rows(document["nodes"], snapshot["strings"], nodes)
    return _Copy(document, snapshot["strings"], nodes, found).run()


def map_rows(tree: Mapping[str, Any], strings: Sequence[str], nodes: Nodes) -> list[int]:
    """Find the browser's node for every row; -1 where there is none."""
    kinds, names, values = tree["nodeType"], tree["nodeName"], tree["nodeValue"]
    left_out = {*tree.get("pseudoType", {}).get("index", ()), *tree.get("shadowRootType", {}).get("index", ())}
    children: list[list[int]] = [[] for _ in kinds]
    top = -1
    for node, parent in enumerate(tree["parentIndex"]):
        if kinds[node] in (_ELEMENT, _TEXT) and node not in left_out and parent >= 0:
            if parent == 0 and kinds[node] == _ELEMENT and top < 0:
                top = node
            children[parent].append(node)
        elif kinds[node] == 11 and node not in left_out and parent >= 0:
            children[node] = children[parent]  # the content of a template counts as its own
    found = [-1] * len(nodes)
    if len(nodes) and top >= 0:
        found[0] = top
    tags = {number: string.lower() for number, string in enumerate(strings) if len(string) < 100}
    places: dict[int, int] = {}  # row of a parent -> how many of its children in the browser are behind us
    for row in range(1, len(nodes)):
        parent = nodes.parent[row]
        if parent < 0 or found[parent] < 0:
            continue
        below = children[found[parent]]
        start = places.get(parent, 0)
        is_text, tag, text = nodes.tag[row] == TEXT, nodes.tag[row].lower(), nodes.text[row]
        for place in range(start, min(len(below), start + 40)):
            node = below[place]
            if is_text:
                is_same = kinds[node] == _TEXT and (not text or _is_same(strings[values[node]], text))
            else:
                is_same = kinds[node] == _ELEMENT and tags.get(names[node]) == tag
            if is_same:
                found[row] = node
                places[parent] = place + 1
                break
    return found


def _is_same(theirs: str, ours: str) -> bool:
    # Long text is cut into several nodes by Chromium (at 65,536 characters), and into one by others.
    return theirs == ours or (len(theirs) >= 65_536 and ours.startswith(theirs)) or theirs.split() == ours.split()


class _Copy:
    """Fills the columns of a Rendering."""

    def __init__(self, document: Mapping[str, Any], strings: Sequence[str], nodes: Nodes, found: Sequence[int]) -> None:
        self._document = document
        self._strings = strings
        self._nodes = nodes
        self._found = found
        layout = document["layout"]
        self._place: dict[int, int] = {}
        for place, node in enumerate(layout["nodeIndex"]):
            self._place.setdefault(node, place)

    def run(self) -> Rendering:
        nodes, count = self._nodes, len(self._nodes)
        layout, strings = self._document["layout"], self._strings
        boxes: list[Sequence[float]] = [(0.0, 0.0, 0.0, 0.0)] * count
        size, weight, color = [DEFAULT_SIZE] * count, [400] * count, [0] * count
        background, family = [_WHITE] * count, ["serif"] * count
        display, is_shown = ["none"] * count, [False] * count
        for row in range(count):
            parent = nodes.parent[row]
            if parent >= 0:
                size[row], weight[row], color[row] = size[parent], weight[parent], color[parent]
                background[row], family[row] = background[parent], family[parent]
            place = self._place.get(self._found[row], -1)
            if place < 0:
                continue
            boxes[row] = layout["bounds"][place]
            styles = [strings[number] if number >= 0 else "" for number in layout["styles"][place]]
            if nodes.tag[row] == TEXT or len(styles) < len(PROPERTIES):
                display[row], is_shown[row] = display[parent], is_shown[parent]
                continue
            size[row] = _read_number(styles[0], size[row])
            weight[row] = round(_read_number(styles[1], weight[row]))
            family[row] = classify_family(styles[2].lower()).kind
            color[row] = (parse_color(styles[3]) or Color(color[row])).rgb
            background[row] = (parse_color(styles[4]) or TRANSPARENT).over(background[row])
            display[row], is_shown[row] = styles[5], styles[6] == "visible"
        self._show_through(display, is_shown)
        x, y, width, height = (list(column) for column in zip(*boxes, strict=True)) if count else ([], [], [], [])
        return Rendering(
            x, y, width, height, size, weight, color, background, family, display, is_shown,
            page_width=float(self._document.get("contentWidth", 0)),
            page_height=float(self._document.get("contentHeight", 0)),
            mapped=sum(node >= 0 for node in self._found) / count if count else 1.0,
        )  # fmt: skip

    def _show_through(self, display: list[str], is_shown: list[bool]) -> None:
        """Elements without a box around some that have one are `display: contents`; blank text is as its parent."""
        nodes = self._nodes
        for row in range(len(nodes) - 1, 0, -1):
            parent = nodes.parent[row]
            if parent >= 0 and is_shown[row] and nodes.tag[row] != TEXT and display[parent] == "none":
                display[parent], is_shown[parent] = "contents", True
        for row in range(1, len(nodes)):
            parent = nodes.parent[row]
            if parent >= 0 and nodes.tag[row] == TEXT and self._place.get(self._found[row], -1) < 0:
                display[row] = display[parent]
                is_shown[row] = is_shown[parent] and (nodes.text[row].isspace() or nodes.tag[parent] == "textarea")


def _read_number(text: str, otherwise: float) -> float:
    match = _NUMBER.match(text)
    return float(match[0]) if match else otherwise
