r"""Text that a page shows with elements: images of emoji, quotation marks of `<q>`, and formulas (`x^2`, `(a + b)/2`).

A formula that states its TeX, as KaTeX, MathJax and many converters do, becomes that TeX: `$x^2$`,
`$$\frac{a + b}{2}$$`.

They are replaced by text in the parser's tree, before the node table is made again. Few pages have them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial

from turbohtml import Element, Node, Text

from broadsheet.page import tags
from broadsheet.page.nodes import Nodes
from broadsheet.page.parser import list_emoji, list_tex
from broadsheet.page.tree import Tree
from broadsheet.text import compile_later


def replace_symbols(nodes: Nodes, tree: Tree) -> bool:
    """Replace emoji and formulas by text in the tree of the page; tell whether there were any."""
    elements = tree.elements
    replacements = [(elements[row], text) for row, text in _find_emoji(nodes) if row in elements]
    replacements += _find_formulas([elements[row] for row in _list_formulas(nodes) if row in elements])
    for row in list_tex(nodes):
        if row in elements:
            replacements += _read_tex_element(elements[row])
    for element, text in replacements:
        element.replace_with(Text(text))
    quotes = [elements[row] for row in nodes.rows["q"] if row in elements]
    for quote in quotes:
        _add_marks(quote)
    return bool(replacements or quotes)


def _add_marks(quote: Element) -> None:
    """Write the quotation marks that browsers show around `<q>`, unless the text has marks."""
    text = quote.text.strip()
    if text and text[0] not in _QUOTATION_MARKS:
        quote.insert(0, Text("“"))
        quote.append(Text("”"))


def _read_tex_element(element: Element) -> Iterator[tuple[Element, str]]:
    """Yield a script or image with a formula in TeX and its text; and the formula that MathJax shows before it."""
    is_script = element.tag == "script"
    tex = " ".join(("".join(element.strings) if is_script else element.attr("alt") or "").split())[:_MAX_CHARS]
    if not tex or "$" in tex:
        return
    mark = "$$" if "mode=display" in (element.attr("type") or "") else "$"
    yield element, f"{mark}{tex}{mark}"
    before = _skip_space(element, is_next=False) if is_script else None
    if isinstance(before, Element) and "MathJax" in (before.attr("class") or ""):
        yield before, ""


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
    for row, emoji in list_emoji(nodes):
        if find_container(nodes.parent[row]) in with_text:
            yield row, emoji


def _find_container(nodes: Nodes, row: int) -> int:
    """Return the row itself or the first of its ancestors that is a container; -1 if there is none."""
    return next((above for above in (row, *nodes.ancestors(row)) if nodes.tag[above] in tags.CONTAINERS), -1)


def _find_formulas(formulas: Iterable[Element]) -> Iterator[tuple[Element, str]]:
    """Yield the formulas and their texts, without those that the page also shows as HTML.

    TeX replaces that HTML, too.
    """
    is_for_eyes = cache(_is_for_eyes)  # one large element may be beside the parent of many formulas
    replaced: set[Element] = set()
    for element in formulas:
        copies = _list_shown_copies(element, is_for_eyes)
        if tex := _find_tex(element):
            mark = "$$" if (element.attr("display") or "").lower() == "block" else "$"
            yield element, f"{mark}{tex}{mark}"
            yield from ((copy, "") for copy in copies if copy not in replaced)
            replaced.update(copies)
        elif not copies and (formula := write_formula(element)):
            is_block = (element.attr("display") or "").lower() == "block"
            yield element, f" {formula} " if is_block else formula


def _find_tex(formula: Element) -> str:
    """Return the TeX of a formula; "" if it states none."""
    for node in formula.descendants:
        if isinstance(node, Element) and node.tag == "annotation" and "tex" in (node.attr("encoding") or "").lower():
            tex = " ".join("".join(node.strings).split())[:_MAX_CHARS]
            return tex if "$" not in tex else ""
    return ""


def _list_shown_copies(formula: Element, is_for_eyes: Callable[[Element], bool]) -> list[Element]:
    """Return text for the eye beside a formula for screen readers, as scripts that draw formulas write it."""
    around = formula.parent
    places = (formula, around) if isinstance(around, Element) else (formula,)
    neighbours = (_skip_space(node, is_next=is_next) for node in places for is_next in (False, True))
    return [node for node in neighbours if isinstance(node, Element) and is_for_eyes(node)]


def _skip_space(node: Node, *, is_next: bool) -> Node | None:
    """Return the next or the previous sibling, without white space."""
    sibling = node.next_sibling if is_next else node.previous_sibling
    if isinstance(sibling, Text) and sibling.data.isspace():
        return sibling.next_sibling if is_next else sibling.previous_sibling
    return sibling


def _is_for_eyes(element: Element) -> bool:
    """Tell whether an element has text that screen readers leave out."""
    return (element.attr("aria-hidden") or "").lower() == "true" and any(text.strip() for text in element.strings)


_QUOTATION_MARKS = "\"'“”„«»‘’‚‹›「『"
_MAX_LEVELS = 40  # of elements; the text of deeper ones is not formatted
_MAX_CHARS = 10_000
_SKIPPED_TAGS = frozenset(("annotation", "annotation-xml", "mphantom", "mprescripts", "none"))
_CODE_TAGS = frozenset(("script", "style"))
_TOKEN_TAGS = frozenset(("mi", "mn", "mo", "mtext", "ms"))
_INVISIBLE = compile_later("[\u2061-\u2064\u200b\u00ad\ufeff]")  # function application, invisible times, ...
_INFIX = frozenset("=≠≈≡≅∼~<>≤≥≪≫+-−±∓×·÷∗→←↔⇒⇔∈∉⊂⊆∪∩∧∨∝|:")
_MARKS = frozenset("′″‴*†‡°")  # superscripts that are written behind the base
# Text that needs no parentheses: a number, a word, a sign, nothing, one pair of parentheses, or a function.
_ATOM = compile_later(r"-?[\w.]+|\S?|\((?:[^()]|\([^()]*\))*\)|[^\W\d_]+\([^()]*\)")


def write_formula(math: Element) -> str:
    """Write a `<math>` element as text; "" if it shows none."""
    return " ".join(_write(math, 0)[:_MAX_CHARS].split())


def _write(element: Element, level: int) -> str:
    if element.tag in _SKIPPED_TAGS:
        return ""
    if element.tag in _TOKEN_TAGS or level > _MAX_LEVELS or not any(isinstance(child, Element) for child in element):
        return _INVISIBLE.sub("", _read_text(element)).strip()
    children = [child for child in element.children if isinstance(child, Element) and child.tag not in _SKIPPED_TAGS]
    if element.tag == "semantics":
        children = children[:1]
    writer = _WRITERS.get(element.tag)
    if writer and len(children) >= _CHILD_COUNTS.get(element.tag, 1):
        return writer([_write(child, level + 1) for child in children])
    row = _write_row(children, level)
    return f"√{_group(row)}" if element.tag == "msqrt" else row


def _read_text(element: Element) -> str:
    """Return the text of an element without scripts and styles, which HTML in `<mtext>` may contain."""
    texts = [node for node in element.descendants if isinstance(node, Text)]
    return "".join(
        [text.data for text in texts if not (isinstance(text.parent, Element) and text.parent.tag in _CODE_TAGS)]
    )


def _write_row(children: Sequence[Element], level: int) -> str:
    """Write elements side by side, with spaces around an operator between two of them, and between words."""
    pieces: list[str] = []
    before: Element | None = None
    for index, child in enumerate(children):
        text = " " if child.tag == "mspace" else _write(child, level + 1)
        last = pieces[-1] if pieces else ""
        is_operator = child.tag == "mo" and text in _INFIX
        if is_operator and last and not last.endswith((" ", "(", "[", "{")) and index + 1 < len(children):
            text = f" {text} "
        elif child.tag == "mo" and text in (",", ";"):
            text += " "
        elif before is not None and _needs_space(before, last, child, text) and text[:1].isalnum():
            text = f" {text}"
        pieces.append(text)
        before = child
    return "".join(pieces)


def _needs_space(before: Element, text_before: str, element: Element, text: str) -> bool:
    """Tell whether letters would be read as a part of what is before them: a script, a word, a fraction or a number."""
    word = text_before.strip()
    is_word = len(word) > 1 and word.isalpha()
    is_number = word[-1:].isdigit() and text[:1].isdigit()  # 5 and 1/2
    is_term = before.tag not in _TOKEN_TAGS and word[-1:].isalnum() and not word.isalnum()  # a fraction in <mstyle>
    has_script = before.tag in _WRITERS or before.tag == "msqrt"
    return is_word or is_number or is_term or has_script or "mtext" in (before.tag, element.tag)


def _group(text: str) -> str:
    return text if _ATOM.fullmatch(text) else f"({text})"


def _write_fraction(parts: Sequence[str]) -> str:
    return f"{_group(parts[0])}/{_group(parts[1])}"


def _write_root(parts: Sequence[str]) -> str:
    return f"{_group(parts[0])}^(1/{_group(parts[1])})"


def _write_superscript(parts: Sequence[str]) -> str:
    base, script = parts[:2]
    if not script:
        return base
    return f"{_group(base)}{script}" if _MARKS.issuperset(script) else f"{_group(base)}^{_group(script)}"


def _write_subscript(parts: Sequence[str]) -> str:
    base, script = parts[:2]
    return f"{base}_{_group(script)}" if script else base


def _write_both(parts: Sequence[str]) -> str:
    base, below, above = parts[:3]
    return _write_subscript((base, below)) + (f"^{_group(above)}" if above else "")


def _write_accent(parts: Sequence[str]) -> str:
    """Write a sign above or below the base; a limit, as of a sum, like a script."""
    base, sign = parts[:2]
    is_sign = len(sign) == 1 and not sign.isalnum()
    return f"{base}{sign}" if is_sign else f"{base}_{_group(sign)}"


# By tag; elements that are not listed show their children side by side.
_WRITERS: dict[str, Callable[[Sequence[str]], str]] = {
    "mfrac": _write_fraction,
    "mroot": _write_root,
    "msup": _write_superscript,
    "msub": _write_subscript,
    "msubsup": _write_both,
    "munder": _write_accent,
    "mover": _write_accent,
    "munderover": _write_both,
    "mfenced": lambda parts: f"({', '.join(parts)})",
    "mtable": "; ".join,
    "mtr": ", ".join,
}
_CHILD_COUNTS = {
    **dict.fromkeys(("mfrac", "mroot", "msup", "msub", "munder", "mover"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}
