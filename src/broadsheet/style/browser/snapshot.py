"""Convert Chromium's DOM snapshot to a Rendering.

Both trees follow the WHATWG algorithm and are walked in parallel. The node table lacks some white space and is cut at
the limits; the browser's tree has shadow trees and pseudo-elements.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from broadsheet.page import TEXT, Nodes, Rendering
from broadsheet.style.css.values import (
    INITIAL_FAMILY,
    INITIAL_SIZE_PX,
    INITIAL_WEIGHT,
    TRANSPARENT,
    Color,
    classify_family,
    parse_color,
)

# The computed values to capture, in the order in which _RenderingBuilder reads them.
PROPERTIES = ("font-size", "font-weight", "font-family", "color", "background-color", "display", "visibility")

_ELEMENT_TYPE, _TEXT_TYPE, _FRAGMENT_TYPE = 1, 3, 11  # Node.nodeType
_MAX_TEXT_NODE_CHARS = 65_536  # Chromium splits longer text into several nodes
_MAX_SKIPPED_SIBLINGS = 40  # nodes of the browser that are not in the table
_MAX_TAG_CHARS = 100
_WHITE = 0xFFFFFF
_NUMBER = re.compile(r"[\d.]+")


def read_snapshot(snapshot: Mapping[str, Any], nodes: Nodes) -> Rendering:
    """Convert the result of `DOMSnapshot.captureSnapshot`."""
    document = snapshot["documents"][0]
    browser_nodes = map_rows(document["nodes"], snapshot["strings"], nodes)
    return _RenderingBuilder(document, snapshot["strings"], nodes, browser_nodes).build()


def map_rows(tree: Mapping[str, Any], strings: Sequence[str], nodes: Nodes) -> list[int]:
    """Return the index of the browser's node for every row; -1 without one."""
    types, names, values = tree["nodeType"], tree["nodeName"], tree["nodeValue"]
    children = _list_children(tree)
    mapped = [-1] * len(nodes)
    root = next((node for node in children[0] if types[node] == _ELEMENT_TYPE), -1) if children else -1
    if len(nodes) and root >= 0:
        mapped[0] = root
    tags = {number: string.lower() for number, string in enumerate(strings) if len(string) < _MAX_TAG_CHARS}
    next_child: dict[int, int] = {}  # row of a parent -> index of its first child in the browser that is not mapped yet
    for row in range(1, len(nodes)):
        parent = nodes.parent[row]
        if parent < 0 or mapped[parent] < 0:
            continue
        siblings = children[mapped[parent]]
        start = next_child.get(parent, 0)
        is_text, tag, text = nodes.tag[row] == TEXT, nodes.tag[row].lower(), nodes.text[row]
        for index in range(start, min(len(siblings), start + _MAX_SKIPPED_SIBLINGS)):
            node = siblings[index]
            if is_text:
                is_same = types[node] == _TEXT_TYPE and (not text or _is_same_text(strings[values[node]], text))
            else:
                is_same = types[node] == _ELEMENT_TYPE and tags.get(names[node]) == tag
            if is_same:
                mapped[row] = node
                next_child[parent] = index + 1
                break
    return mapped


def _list_children(tree: Mapping[str, Any]) -> list[list[int]]:
    """List the child elements and text nodes of the browser's nodes, without pseudo-elements and shadow trees."""
    types = tree["nodeType"]
    excluded = {*tree.get("pseudoType", {}).get("index", ()), *tree.get("shadowRootType", {}).get("index", ())}
    children: list[list[int]] = [[] for _ in types]
    for node, parent in enumerate(tree["parentIndex"]):
        if parent < 0 or node in excluded:
            continue
        if types[node] in (_ELEMENT_TYPE, _TEXT_TYPE):
            children[parent].append(node)
        elif types[node] == _FRAGMENT_TYPE:  # the content of a template
            children[node] = children[parent]
    return children


def _is_same_text(browser_text: str, text: str) -> bool:
    is_split = len(browser_text) >= _MAX_TEXT_NODE_CHARS and text.startswith(browser_text)
    return browser_text == text or is_split or browser_text.split() == text.split()


class _RenderingBuilder:
    """Fills the columns of a Rendering."""

    def __init__(
        self, document: Mapping[str, Any], strings: Sequence[str], nodes: Nodes, browser_nodes: Sequence[int]
    ) -> None:
        self._document = document
        self._strings = strings
        self._nodes = nodes
        self._browser_nodes = browser_nodes
        layout_index: dict[int, int] = {}  # browser's node -> its first entry in the layout
        for index, node in enumerate(document["layout"]["nodeIndex"]):
            layout_index.setdefault(node, index)
        self._layout_index = [layout_index.get(node, -1) for node in browser_nodes]

    def build(self) -> Rendering:
        nodes, row_count = self._nodes, len(self._nodes)
        layout, strings = self._document["layout"], self._strings
        boxes: list[Sequence[float]] = [(0.0, 0.0, 0.0, 0.0)] * row_count
        size, weight, color = [INITIAL_SIZE_PX] * row_count, [INITIAL_WEIGHT] * row_count, [0] * row_count
        background, family = [_WHITE] * row_count, [INITIAL_FAMILY] * row_count
        display, is_shown = ["none"] * row_count, [False] * row_count
        for row, index in enumerate(self._layout_index):
            parent = nodes.parent[row]
            if parent >= 0:
                size[row], weight[row], color[row] = size[parent], weight[parent], color[parent]
                background[row], family[row] = background[parent], family[parent]
            if index < 0:
                continue
            boxes[row] = layout["bounds"][index]
            values = [strings[number] if number >= 0 else "" for number in layout["styles"][index]]
            if nodes.tag[row] == TEXT or len(values) < len(PROPERTIES):
                display[row], is_shown[row] = display[parent], is_shown[parent]
                continue
            size[row] = _parse_number(values[0], size[row])
            weight[row] = round(_parse_number(values[1], weight[row]))
            family[row] = classify_family(values[2].lower())
            color[row] = (parse_color(values[3]) or Color(color[row])).rgb
            background[row] = (parse_color(values[4]) or TRANSPARENT).composite_over(background[row])
            display[row], is_shown[row] = values[5], values[6] == "visible"
        self._complete_displays(display, is_shown)
        x, y, width, height = (list(column) for column in zip(*boxes, strict=True)) if row_count else ([], [], [], [])
        return Rendering(
            x, y, width, height, size, weight, color, background, family, display, is_shown,
            page_width=float(self._document.get("contentWidth", 0)),
            page_height=float(self._document.get("contentHeight", 0)),
            mapped=sum(node >= 0 for node in self._browser_nodes) / row_count if row_count else 1.0,
        )  # fmt: skip

    def _complete_displays(self, display: list[str], is_shown: list[bool]) -> None:
        """Set the display of nodes that are rendered but have no layout entry.

        An element with rendered children is `display: contents`. White space is rendered if its parent is.
        """
        nodes = self._nodes
        for row in range(len(nodes) - 1, 0, -1):
            parent = nodes.parent[row]
            if parent >= 0 and is_shown[row] and nodes.tag[row] != TEXT and display[parent] == "none":
                display[parent], is_shown[parent] = "contents", True
        for row in range(1, len(nodes)):
            parent = nodes.parent[row]
            if parent >= 0 and nodes.tag[row] == TEXT and self._layout_index[row] < 0:
                display[row] = display[parent]
                is_shown[row] = is_shown[parent] and (nodes.text[row].isspace() or nodes.tag[parent] == "textarea")


def _parse_number(text: str, default: float) -> float:
    match = _NUMBER.match(text)
    return float(match[0]) if match else default
