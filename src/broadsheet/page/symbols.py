"""Text that a page shows with elements: images of emoji, and formulas in MathML.

They are replaced by text in the parser's tree, before the node table is made again. Few pages have them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial

from turbohtml import Element, Node, Text

from broadsheet.page import tags
from broadsheet.page.formulas import write_formula
from broadsheet.page.nodes import Nodes
from broadsheet.page.tree import Tree
from broadsheet.text.patterns import compile_later

_MAX_EMOJI_CHARS = 40  # of a text alternative; a family with skin tones has 11
# Signs that are shown as pictures, by default or with the variation selector U+FE0F, flags and keys.
_EMOJI = compile_later(
    r"(?:[\U0001f000-\U0001faff\u2600-\u27bf\u231a-\u23ff\u2b05-\u2b55\u3030\u303d\u3297\u3299]"
    r"|[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u25aa-\u25fe]\ufe0f"
    r"|[0-9#*]\ufe0f?\u20e3|[\ufe0f\u200d\U000e0020-\U000e007f])+"
)


def has_symbols(nodes: Nodes) -> bool:
    """Tell whether a page may have emoji or formulas to replace."""
    return bool(nodes.rows["math"] or _list_emoji(nodes))


def replace_symbols(nodes: Nodes, tree: Tree) -> bool:
    """Replace emoji and formulas by text in the tree of the page; tell whether there were any."""
    elements = tree.elements
    replacements = [(elements[row], text) for row, text in _find_emoji(nodes) if row in elements]
    replacements += _find_formulas([elements[row] for row in _list_formulas(nodes) if row in elements])
    for element, text in replacements:
        element.replace_with(Text(text))
    return bool(replacements)


def _list_emoji(nodes: Nodes) -> list[tuple[int, str]]:
    """Return the images whose text alternative is an emoji, and the emoji."""
    rows = nodes.rows["img"]
    return [
        (row, alt.strip())
        for row, alt in zip(rows, nodes.attrs.get_all(rows, "alt"), strict=True)
        if alt and not alt.isascii() and len(alt) <= _MAX_EMOJI_CHARS and _EMOJI.fullmatch(alt.strip())
    ]


def _list_formulas(nodes: Nodes) -> Iterator[int]:
    """Yield the rows of formulas that are not inside another one."""
    end = 0
    for row in nodes.rows["math"]:
        if row >= end:
            end = nodes.end[row]
            yield row


def _find_emoji(nodes: Nodes) -> Iterator[tuple[int, str]]:
    """Yield the images of emoji in text."""
    with_text = set(nodes.table.run_container)
    find_container = cache(partial(_find_container, nodes))  # many images may be deep in the same elements
    for row, emoji in _list_emoji(nodes):
        if find_container(nodes.parent[row]) in with_text:
            yield row, emoji


def _find_container(nodes: Nodes, row: int) -> int:
    """Return the row itself or the first of its ancestors that is a container; -1 if there is none."""
    return next((above for above in (row, *nodes.ancestors(row)) if nodes.tag[above] in tags.CONTAINERS), -1)


def _find_formulas(formulas: Iterable[Element]) -> Iterator[tuple[Element, str]]:
    """Yield the formulas and their texts, without those that the page also shows as HTML."""
    is_for_eyes = cache(_is_for_eyes)  # one large element may be beside the parent of many formulas
    for element in formulas:
        if not _has_shown_copy(element, is_for_eyes) and (formula := write_formula(element)):
            is_block = (element.attr("display") or "").lower() == "block"
            yield element, f" {formula} " if is_block else formula


def _has_shown_copy(formula: Element, is_for_eyes: Callable[[Element], bool]) -> bool:
    """Tell whether text for the eye is beside a formula for screen readers, as scripts that draw formulas write it."""
    around = formula.parent
    places = (formula, around) if isinstance(around, Element) else (formula,)
    neighbours = (_skip_space(node, is_next=is_next) for node in places for is_next in (False, True))
    return any(isinstance(node, Element) and is_for_eyes(node) for node in neighbours)


def _skip_space(node: Node, *, is_next: bool) -> Node | None:
    """Return the next or the previous sibling, without white space."""
    sibling = node.next_sibling if is_next else node.previous_sibling
    if isinstance(sibling, Text) and sibling.data.isspace():
        return sibling.next_sibling if is_next else sibling.previous_sibling
    return sibling


def _is_for_eyes(element: Element) -> bool:
    """Tell whether an element has text that screen readers leave out."""
    return (element.attr("aria-hidden") or "").lower() == "true" and any(text.strip() for text in element.strings)
