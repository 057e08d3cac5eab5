"""Style sheets to rules: what is in `<style>`, `<link>` and `@import`, cut into selectors and bodies.

A cutter of our own, because the parser's leaves out what stands in `@media`, and because nine in ten bodies are never
looked at: they are cut out, not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from broadsheet.page import Page, resolve_address
from broadsheet.style.css.media import holds_on_screen, is_supported

MAX_CHARS = 2_000_000  # of all sheets of a page; the rest is ignored
MAX_RULES = 50_000
_MAX_NESTING = 20
_MAX_OPEN = 200  # brackets; what is nested deeper than the above is passed over, and at this the rest is
_MAX_IMPORTS = 50
_MAX_SELECTOR = 2_000  # characters, also of what nesting adds up to
_LAST = 1 << 30
_UNLAYERED = (_LAST,)

# Strings, comments and addresses: the only places where brackets and semicolons mean nothing. Each begins with a letter
# of its own and no repetition: so the search runs from one such letter to the next, several times as fast.
_OPAQUE = re.compile(
    r"/\*.*?(?:\*/|\Z)"
    r"|\\.(?:\\.)*+"  # in names such as `.content-\[\'\'\]`
    r'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'
    r"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?"
    r"|\((?<=url\()\s*+(?![\"'])[^)]*+\)?",
    re.DOTALL,
)
# XML's mark is an open bracket in CSS, which a browser takes to go on to its end.
_CDATA = re.compile(r"<!\[CDATA\[(?:[^\[\]]|\[[^\[\]]*\])*+\]?")
_MARKS = re.compile(r"[{};]")
_AT_RULE = re.compile(r"\s*@([a-zA-Z-]+)\s*(.*)", re.DOTALL)
_IMPORT = re.compile(r"(?:url\(\s*)?[\"']?([^\"')\s]+)[\"']?\s*\)?\s*(.*)", re.DOTALL | re.IGNORECASE)
_IMPORT_LAYER = re.compile(r"layer(?:\(([^)]*)\))?\s*", re.IGNORECASE)
_IMPORT_SUPPORTS = re.compile(r"supports\((.*?)\)\s*(?=\Z|[a-z(])", re.IGNORECASE)


# A rule that holds on the screen: for whom, and what, both as written; and its place among `@layer`s (rules outside all
# of them come last). A plain tuple: there may be thousands, and a named one takes several times as long to make.
Layer = tuple[int, ...]
Rule = tuple[str, str, Layer]


@dataclass(slots=True)
class _Frame:
    """An open bracket."""

    holds: bool = True
    layer: tuple[str, ...] = ()
    parent: str = ""  # selector of the rule that this one is nested in


@dataclass(slots=True)
class _Reading:
    """What is known while the sheets of a page are read."""

    page: Page
    rules: list[Rule] = field(default_factory=list)
    layers: dict[tuple[str, ...], int] = field(default_factory=dict)  # in order of appearance
    chars_left: int = MAX_CHARS
    imports_left: int = _MAX_IMPORTS


def read_rules(page: Page) -> list[Rule]:
    """Read the rules of all of a page's sheets that hold on the screen, in order."""
    reading = _Reading(page)
    for css, address in _find_sheets(page):
        _read_sheet(css, address, _Frame(), reading, 0)
    return reading.rules


def find_linked(page: Page) -> list[str]:
    """Addresses of the sheets that a page links to, in order."""
    rows = (row for row in page.nodes.rows["link"] if _is_sheet(page, row))
    found = (resolve_address(page.nodes.attr(row, "href"), page.base) for row in rows)
    return list(dict.fromkeys(address for address in found if address))


def find_imports(css: str, address: str | None) -> list[str]:
    """Addresses of the sheets that a sheet imports."""
    found = (_AT_RULE.match(statement) for statement in shield(css).partition("{")[0].split(";")[:_MAX_IMPORTS])
    imports = (_IMPORT.match(match[2]) for match in found if match and match[1].lower() == "import")
    targets = (resolve_address(match[1], address) for match in imports if match)
    return [target for target in targets if target]


def _find_sheets(page: Page) -> Iterator[tuple[str, str | None]]:
    nodes = page.nodes
    rows = nodes.select("style")
    if page.sheets:
        rows = sorted([*rows, *nodes.rows["link"]])
    for row in rows:
        if nodes.tag[row] == "link":
            if _is_sheet(page, row):
                href = nodes.attr(row, "href")
                address = resolve_address(href, page.base)
                yield page.sheets.get(address or href) or page.sheets.get(href, ""), address
        elif nodes.attr(row, "type").lower() in ("", "text/css") and holds_on_screen(nodes.attr(row, "media")):
            yield "".join(nodes.text[row + 1 : nodes.end[row]]), page.base


def _is_sheet(page: Page, row: int) -> bool:
    rel = page.nodes.attr(row, "rel").lower().split()
    if "stylesheet" not in rel or "alternate" in rel or page.nodes.has_attr(row, "disabled"):
        return False
    return holds_on_screen(page.nodes.attr(row, "media"))


def _read_sheet(css: str, address: str | None, outer: _Frame, reading: _Reading, depth: int) -> None:
    css = css[: reading.chars_left]
    reading.chars_left -= len(css)
    css = shield(css)
    if "<!" in css:
        css = _CDATA.sub("<>", css.replace("<!--", " ").replace("-->", " "))
    stack = [outer]
    is_broken = False
    rules = reading.rules
    for head, has_body, body in _cut(css):
        frame = stack[-1]
        if is_broken:
            head, is_broken = "@broken", False
        if ";" in head:
            statements, _, head = head.rpartition(";")
            if frame.parent:
                _add_rule(frame, frame.parent, statements, reading)
            elif _read_statements(statements, address, frame, reading, depth):
                head = "@broken"  # a stray semicolon spoils the rule after it
        if has_body:
            if not frame.holds or len(rules) >= MAX_RULES:
                continue
            if frame.parent or "@" in head:
                _add_nested(frame, head, body, reading)
            elif frame.layer:
                _add_rule(frame, head, body, reading)
            else:
                rules.append((head, body, _UNLAYERED))
        elif body:
            if len(stack) > _MAX_OPEN:
                break  # no sheet is written like this
            stack.append(_open(frame, head, reading) if len(stack) < _MAX_NESTING else _Frame(holds=False))
        else:
            if frame.parent and head:
                _add_rule(frame, frame.parent, head, reading)
            if len(stack) > 1:
                stack.pop()
            else:
                is_broken = True  # a stray bracket spoils the rule after it
    reading.page.deadline.check()
    rest = css.rpartition("}")[2].rpartition(";")[2]
    if "@import" in rest:
        _read_statements(rest, address, outer, reading, depth)


def _cut(css: str) -> Iterator[tuple[str, bool, str]]:
    """Cut a sheet at its brackets: head, whether it is that of a rule, and the rule's body.

    Of no rule: what stands before a bracket that opens (the body says "{") or closes. A pattern would take several
    times as long.
    """
    for chunk in css.split("}"):
        head, bracket, body = chunk.partition("{")
        while "{" in body:
            yield head, False, "{"
            head, _, body = body.partition("{")
        yield head, bool(bracket), body


def shield(css: str) -> str:
    """Take comments out, and the brackets and semicolons in strings and addresses."""
    return _OPAQUE.sub(_shield, css)


def _shield(match: re.Match[str]) -> str:
    text = match[0]
    if text[0] == "/":
        return " "
    if not _MARKS.search(text):
        return text
    return "()" if text[0] == "(" else '""'


def _add_rule(frame: _Frame, selectors: str, body: str, reading: _Reading) -> None:
    if frame.holds and len(reading.rules) < MAX_RULES:
        layer = _place_layer(frame.layer, reading) if frame.layer else _UNLAYERED
        reading.rules.append((selectors, body, layer))


def _add_nested(frame: _Frame, head: str, body: str, reading: _Reading) -> None:
    """Add a rule that stands in another, or the body of an at-rule without brackets in it."""
    inner = _open(frame, head, reading)
    if inner.holds and inner.parent:
        _add_rule(inner, inner.parent, body, reading)


def _open(frame: _Frame, head: str, reading: _Reading) -> _Frame:
    """Go into a bracket."""
    if not frame.holds:
        return frame
    match = _AT_RULE.match(head)
    if match is None:
        return _Frame(True, frame.layer, _nest(frame.parent, head))
    name, rest = match[1].lower(), match[2].strip()
    if name == "media":
        return _Frame(holds_on_screen(rest), frame.layer, frame.parent)
    if name == "supports":
        return _Frame(is_supported(rest), frame.layer, frame.parent)
    if name == "layer":
        layer = (*frame.layer, *(rest.split(".") if rest else [f"#{len(reading.layers)}"]))
        _place_layer(layer, reading)
        return _Frame(True, layer, frame.parent)
    if name in ("container", "scope", "starting-style", "-moz-document", "document"):
        # How wide a container is is not known: taken to be as wide as the screen.
        is_wide = name == "container" and holds_on_screen(re.sub(r"\A\s*(?!not\b)[\w-]+\s*(?=\()", "", rest))
        return _Frame(is_wide, frame.layer, frame.parent)
    return _Frame(holds=False)


def _nest(parent: str, child: str) -> str:
    """Write the selector of a nested rule out in full."""
    child = child.strip()
    if not parent:
        return child
    if len(parent) + len(child) > _MAX_SELECTOR:
        return ":not(*)"
    around = parent if "," not in parent else f":is({parent})"
    if "&" not in child:
        children = child.split(",") if "(" not in child else [child]
        return ", ".join(f"{around} {part.strip()}" for part in children)
    whole = child.replace("&", around)
    return whole if len(whole) <= _MAX_SELECTOR else ":not(*)"


def _place_layer(layer: tuple[str, ...], reading: _Reading) -> Layer:
    """Place a layer in the order of all: after those named before it, before what stands in its own outer layer."""
    layers = reading.layers
    for length in range(1, len(layer) + 1):
        layers.setdefault(layer[:length], len(layers))
    return (*(layers[layer[:length]] for length in range(1, len(layer) + 1)), _LAST)


def _read_statements(text: str, address: str | None, frame: _Frame, reading: _Reading, depth: int) -> bool:
    """Follow `@import`, and note the order that `@layer a, b;` gives. Tell whether there is anything else."""
    is_broken = False
    for statement in text.split(";"):
        match = _AT_RULE.match(statement)
        if match is None:
            is_broken = True
            continue
        name, rest = match[1].lower(), match[2].strip()
        if name == "layer":
            for layer in rest.split(","):
                _place_layer((*frame.layer, *layer.strip().split(".")), reading)
        elif name == "import" and reading.page.sheets and reading.imports_left > 0 and depth < _MAX_NESTING:
            reading.imports_left -= 1
            _follow_import(rest, address, frame, reading, depth)
    return is_broken


def _follow_import(text: str, address: str | None, frame: _Frame, reading: _Reading, depth: int) -> None:
    match = _IMPORT.match(text)
    if match is None:
        return
    href, rest = match.groups()
    target = resolve_address(href, address)
    css = reading.page.sheets.get(target or href) or reading.page.sheets.get(href, "")
    inner = _Frame(frame.holds, frame.layer)
    if layer := _IMPORT_LAYER.match(rest):
        inner.layer = (*frame.layer, *((layer[1] or f"#{len(reading.layers)}").split(".")))
        rest = rest[layer.end() :]
    if supports := _IMPORT_SUPPORTS.match(rest):
        inner.holds = inner.holds and is_supported(f"({supports[1]})")
        rest = rest[supports.end() :]
    if css and inner.holds and holds_on_screen(rest):
        _read_sheet(css, target, inner, reading, depth + 1)
