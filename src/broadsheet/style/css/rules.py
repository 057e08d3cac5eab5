"""Split style sheets into rules: selector list and body as text.

A scanner of our own: the parser's reader ignores the rules inside `@media`, and nine in ten bodies are never needed, so
that they are not parsed here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from broadsheet.page import Page
from broadsheet.style.css.bounds import (
    MAX_AT_RULE_BLOCKS,
    MAX_BLOCK_DEPTH,
    MAX_CSS_CHARS,
    MAX_IMPORT_DEPTH,
    MAX_IMPORTS,
    MAX_LAYER_DEPTH,
    MAX_NESTED_SELECTOR_CHARS,
    MAX_OPEN_BRACES,
    MAX_RULES,
)
from broadsheet.style.css.conditions import is_supported, matches_media
from broadsheet.style.css.masking import mask_sheet
from broadsheet.style.css.sheets import AT_RULE, Sheet, find_sheets, get_sheet, parse_import

# Position in the order of cascade layers: later layers compare greater, a layer greater than the layers inside it.
LayerOrder = tuple[int, ...]
# Selector list and body as written, and the layer. A plain tuple: a NamedTuple takes several times as long to create.
Rule = tuple[str, str, LayerOrder]

_LAST = 1 << 30
_UNLAYERED: LayerOrder = (_LAST,)
_OPEN, _CLOSE = "{", "}"
_INVALID = "@invalid"  # a head that no rule has
_CONTAINER_NAME = re.compile(r"\A\s*(?!not\b)[\w-]+\s*(?=\()")
_NO_MATCH = ":not(*)"


@dataclass(frozen=True, slots=True)
class _Context:
    """The blocks around a rule."""

    applies: bool = True
    layer: tuple[str, ...] = ()
    parent: str = ""  # selector list of the rule around it


_NOT_APPLYING = _Context(applies=False)


def read_rules(page: Page) -> list[Rule]:
    """Read the rules of all style sheets of a page that apply on a screen, in document order."""
    reader = _RuleReader(page)
    for sheet in find_sheets(page):
        reader.read_sheet(sheet, _Context(), 0)
    return reader.rules


class _RuleReader:
    """Reads the style sheets of one page."""

    def __init__(self, page: Page) -> None:
        self.rules: list[Rule] = []
        self._page = page
        self._layers: dict[tuple[str, ...], int] = {}  # names from the outermost layer on -> order of appearance
        self._chars_left = MAX_CSS_CHARS
        self._imports_left = MAX_IMPORTS
        self._at_rules_left = MAX_AT_RULE_BLOCKS

    def read_sheet(self, sheet: Sheet, outer: _Context, depth: int) -> None:
        """Add the rules of a style sheet; `depth` counts the imports around it."""
        css = sheet.css[: self._chars_left]
        self._chars_left -= len(css)
        css = mask_sheet(css)
        rules, stack = self.rules, [outer]
        is_invalid = False
        for head, body in _split_at_braces(css):
            context = stack[-1]
            if is_invalid:
                head, is_invalid = _INVALID, False
            if ";" in head:
                head = self._read_statements(head, sheet, context, depth)
            if body == _OPEN:
                if len(stack) > MAX_OPEN_BRACES:
                    break
                self._open_block(stack, head)
            elif body == _CLOSE:
                is_invalid = self._close_block(stack, head)
            elif context.layer or context.parent or "@" in head:
                self._add_in_context(context, head, body)
            elif context.applies and len(rules) < MAX_RULES:
                rules.append((head, body, _UNLAYERED))
        self._page.deadline.check()
        last_statement = css.rpartition("}")[2].rpartition(";")[2]
        if "@import" in last_statement:
            self._read_statement(last_statement, sheet, outer, depth)

    def _open_block(self, stack: list[_Context], head: str) -> None:
        stack.append(self._enter(stack[-1], head) if len(stack) < MAX_BLOCK_DEPTH else _NOT_APPLYING)

    def _close_block(self, stack: list[_Context], rest: str) -> bool:
        """Close a block after the rest of its content; return whether the brace invalidates the rule after it."""
        context = stack[-1]
        if context.parent and rest:
            self._add(context, context.parent, rest)
        if len(stack) == 1:
            return True
        stack.pop()
        return False

    def _add(self, context: _Context, selectors: str, body: str) -> None:
        if context.applies and len(self.rules) < MAX_RULES:
            order = self._order_layer(context.layer) if context.layer else _UNLAYERED
            self.rules.append((selectors, body, order))

    def _add_in_context(self, context: _Context, head: str, body: str) -> None:
        """Add a rule inside a layer or another rule, or the declarations of an at-rule inside a rule."""
        if not context.applies or len(self.rules) >= MAX_RULES:
            return
        if context.parent or "@" in head:
            context = self._enter(context, head)
            head = context.parent
        if head:
            self._add(context, head, body)

    def _enter(self, context: _Context, head: str) -> _Context:
        """Return the context inside the block of a rule or at-rule."""
        if not context.applies:
            return context
        match = AT_RULE.match(head)
        if match is None:
            return _Context(True, context.layer, _nest_selectors(context.parent, head))
        self._at_rules_left -= 1
        if self._at_rules_left < 0:
            return _NOT_APPLYING
        name, prelude = match[1].lower(), match[2].strip()
        if name == "layer":
            return self._enter_layer(context, prelude)
        return _Context(_applies(name, prelude), context.layer, context.parent)

    def _enter_layer(self, context: _Context, name: str) -> _Context:
        """Return the context inside a layer; one without a name is distinct from all others."""
        layer = _join_layers(context.layer, name or f"#{len(self._layers)}")
        if layer is None:
            return _NOT_APPLYING
        self._order_layer(layer)
        return _Context(True, layer, context.parent)

    def _order_layer(self, layer: tuple[str, ...]) -> LayerOrder:
        """Return the position of a layer, by the first appearance of its names."""
        orders = [self._layers.setdefault(layer[:end], len(self._layers)) for end in range(1, len(layer) + 1)]
        return (*orders, _LAST)

    def _read_statements(self, text: str, sheet: Sheet, context: _Context, depth: int) -> str:
        """Read the statements before a block; return the head of the block.

        Inside a rule these are declarations, elsewhere `@import` and `@layer a, b;`. Other text and the block after it
        form one invalid rule.
        """
        text, _, head = text.rpartition(";")
        if context.parent:
            self._add(context, context.parent, text)
            return head
        are_valid = [self._read_statement(statement, sheet, context, depth) for statement in text.split(";")]
        return head if all(are_valid) else _INVALID

    def _read_statement(self, text: str, sheet: Sheet, context: _Context, depth: int) -> bool:
        """Read an at-rule without a block; return whether the text is one."""
        match = AT_RULE.match(text)
        if match is None:
            return False
        name, prelude = match[1].lower(), match[2].strip()
        if name == "layer":
            for name in prelude.split(","):
                if layer := _join_layers(context.layer, name.strip()):
                    self._order_layer(layer)
        elif name == "import":
            self._follow_import(prelude, sheet, context, depth)
        return True

    def _follow_import(self, prelude: str, sheet: Sheet, context: _Context, depth: int) -> None:
        if not self._page.sheets or self._imports_left <= 0 or depth >= MAX_IMPORT_DEPTH:
            return
        self._imports_left -= 1
        target = parse_import(prelude)
        if target is None or not (context.applies and target.applies):
            return
        imported = get_sheet(self._page, target.href, sheet.url)
        if imported.css:
            inner = context if target.layer is None else self._enter_layer(context, target.layer)
            self.read_sheet(imported, inner, depth + 1)


def _split_at_braces(css: str) -> Iterator[tuple[str, str]]:
    """Yield the text before each block without inner blocks, and its body.

    At other braces, yield the text before the brace, and _OPEN or _CLOSE. The end of the text counts as _CLOSE. A
    regular expression takes several times as long.
    """
    for chunk in css.split("}"):
        head, brace, body = chunk.partition("{")
        while "{" in body:
            yield head, _OPEN
            head, _, body = body.partition("{")
        yield head, body if brace else _CLOSE


def _applies(name: str, prelude: str) -> bool:
    """Return whether the rules inside an at-rule apply on a screen."""
    if name == "media":
        return matches_media(prelude)
    if name == "supports":
        return is_supported(prelude)
    # The width of a query container is unknown; it is assumed to be that of the viewport.
    return name == "container" and matches_media(_CONTAINER_NAME.sub("", prelude))


def _join_layers(outer: tuple[str, ...], name: str) -> tuple[str, ...] | None:
    """Return the names of a layer from the outermost on; None if there are too many."""
    layer = (*outer, *name.split(".", MAX_LAYER_DEPTH))
    return layer if len(layer) <= MAX_LAYER_DEPTH else None


def _nest_selectors(parent: str, child: str) -> str:
    """Return the selector list of a nested rule, written out in full (CSS Nesting)."""
    child = child.strip()
    if not parent:
        return child
    if len(parent) + len(child) > MAX_NESTED_SELECTOR_CHARS:
        return _NO_MATCH
    parent = parent if "," not in parent else f":is({parent})"
    if "&" not in child:
        children = child.split(",") if "(" not in child else [child]
        return ", ".join(f"{parent} {selector.strip()}" for selector in children)
    nested = child.replace("&", parent)
    return nested if len(nested) <= MAX_NESTED_SELECTOR_CHARS else _NO_MATCH
