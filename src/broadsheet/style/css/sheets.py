"""Read the style sheets of a page (`<style>`, `<link>`, `@import`) as rules: selector list and body as text.

Nine in ten bodies are never needed, so they are not parsed here.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from broadsheet.page import Page, resolve_address
from broadsheet.style.css.bounds import (
    MAX_BLOCK_DEPTH,
    MAX_CONDITION_CHARS,
    MAX_CSS_CHARS,
    MAX_IMPORTS,
    MAX_RULES,
    MAX_SHEETS,
)
from broadsheet.style.css.values import VIEWPORT_HEIGHT_PX, VIEWPORT_WIDTH_PX, Bases, parse_length

Rule = tuple[str, str]  # selector list and body. A plain tuple: a NamedTuple takes several times as long to create.

_OPEN, _CLOSE = "{", "}"
_INVALID = "@invalid"  # a head that no rule has
_CDATA = "<![CDATA["  # the marker of XML is an open bracket in CSS, which makes the rest of the sheet invalid

_AT_RULE = re.compile(r"\s*@([a-zA-Z-]+)\s*(.*)", re.DOTALL)  # name and prelude
_UNSUPPORTED = re.compile(r"not\b|.*-(?:moz|ms|o)-", re.DOTALL | re.IGNORECASE)  # of the conditions of `@supports`
# Address, and media queries; a layer between them is ignored.
_IMPORT = re.compile(
    r"\s*@import\s*(?:url\(\s*)?[\"']?([^\"')\s]+)[\"']?\s*\)?\s*(?:layer(?:\([^)]*\))?)?(.*)",
    re.DOTALL | re.IGNORECASE,
)


class _Sheet(NamedTuple):
    """The text of a style sheet, and the URL that its relative URLs refer to."""

    css: str
    url: str | None


def read_rules(page: Page) -> list[Rule]:
    """Read the rules of all style sheets of a page that apply on a screen, in document order."""
    reader = _RuleReader(page)
    for sheet in _find_sheets(page):
        reader.read_sheet(sheet)
    return reader.rules


class _RuleReader:
    """Reads the style sheets of one page."""

    def __init__(self, page: Page) -> None:
        self.rules: list[Rule] = []
        self._page = page
        self._chars_left = MAX_CSS_CHARS
        self._imports_left = MAX_IMPORTS

    def read_sheet(self, sheet: _Sheet) -> None:
        """Add the rules of a style sheet."""
        self._page.deadline.check()
        css = sheet.css[: self._chars_left]
        self._chars_left -= len(css)
        css = mask_tokens(css).partition(_CDATA)[0].replace("<!--", " ").replace("-->", " ") + ";"
        rules, stack = self.rules, [True]  # whether the rules inside each open block apply
        is_after_stray_brace = False
        for head, body in _split_at_braces(css):
            if is_after_stray_brace:  # it is part of the next head, which is invalid
                head, is_after_stray_brace = _INVALID, False
            if ";" in head:
                head = self._read_statements(head, sheet)
            if body == _OPEN:
                if len(stack) >= MAX_BLOCK_DEPTH:
                    break
                stack.append(stack[-1] and _applies(head))
            elif body == _CLOSE:
                is_after_stray_brace = len(stack) == 1
                stack = stack[:-1] or [True]
            elif stack[-1] and not head.lstrip().startswith("@") and len(rules) < MAX_RULES:
                rules.append((head, body))

    def _read_statements(self, text: str, sheet: _Sheet) -> str:
        """Follow the `@import` rules before a block; return the head of the block.

        Text that is no at-rule forms one invalid rule with the block.
        """
        text, _, head = text.rpartition(";")
        statements = text.split(";")
        for statement in statements[: self._imports_left]:
            if imported := _follow_import(self._page, statement, sheet):
                self._imports_left -= 1
                self.read_sheet(imported)
        return head if all(map(_AT_RULE.match, statements)) else _INVALID


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


def _applies(head: str) -> bool:
    """Return whether the rules inside a block apply: those in `@media` for this screen, `@layer` and `@supports`."""
    match = _AT_RULE.match(head)
    if match is None:
        return False
    name, prelude = match[1].lower(), match[2].strip()
    if name == "media":
        return matches_media(prelude)
    return name == "layer" or (name == "supports" and not _UNSUPPORTED.match(prelude))


def _find_sheets(page: Page) -> Iterator[_Sheet]:
    """Find the style sheets that apply on a screen, in document order; linked ones if `page.sheets` has them."""
    nodes = page.nodes
    rows = [row for row, tag in enumerate(nodes.tag) if tag == "style" or (tag == "link" and page.sheets)]
    for row in rows[:MAX_SHEETS]:
        if nodes.tag[row] == "link":
            if _is_screen_link(page, row):
                yield _get_sheet(page, nodes.attr(row, "href"), page.base)
        elif nodes.attr(row, "type").lower() in ("", "text/css") and matches_media(nodes.attr(row, "media")):
            yield _Sheet("".join(nodes.text[row + 1 : nodes.end[row]]), page.base)


def _follow_import(page: Page, statement: str, sheet: _Sheet) -> _Sheet | None:
    """Return the style sheet that an `@import` rule names; None if it does not apply or was not given."""
    match = _IMPORT.match(statement)
    if match is None or not page.sheets or not matches_media(match[2]):
        return None
    imported = _get_sheet(page, match[1], sheet.url)
    return imported if imported.css else None


def _get_sheet(page: Page, href: str, base: str | None) -> _Sheet:
    """Return a linked style sheet; empty if `page.sheets` does not have it, by its absolute URL or as written."""
    url = resolve_address(href, base)
    return _Sheet(page.sheets.get(url or href) or page.sheets.get(href, ""), url)


def list_linked_urls(page: Page) -> list[str]:
    """List the URLs of the style sheets that a page links to, in document order."""
    rows = (row for row in page.nodes.rows["link"] if _is_screen_link(page, row))
    urls = (resolve_address(page.nodes.attr(row, "href"), page.base) for row in rows)
    return list(dict.fromkeys(url for url in urls if url))


def list_imported_urls(css: str, url: str | None) -> list[str]:
    """List the URLs that a style sheet, which is at `url`, imports."""
    statements = mask_tokens(css).partition("{")[0].split(";")[:MAX_IMPORTS]
    targets = (resolve_address(match[1], url) for match in map(_IMPORT.match, statements) if match)
    return [target for target in targets if target]


def _is_screen_link(page: Page, row: int) -> bool:
    rel = page.nodes.attr(row, "rel").lower().split()
    if "stylesheet" not in rel or "alternate" in rel or page.nodes.has_attr(row, "disabled"):
        return False
    return matches_media(page.nodes.attr(row, "media"))


_QUERY = re.compile(r"(not\b|only\b)?\s*([a-z-]*)\s*(?:\band\b)?\s*(.*)\Z", re.DOTALL)
_FEATURE = re.compile(r"(?:(min|max)-)?(?:device-)?(width|height)\s*:\s*(.+)\Z")
_RANGE = re.compile(r"(?:([^<>=]+)(<=?|>=?))?\s*(width|height)\s*(?:(<=?|>=?|=)\s*([^<>=]+))?\Z")
_SIZES_PX = {"width": VIEWPORT_WIDTH_PX, "height": VIEWPORT_HEIGHT_PX}
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq}
_PREFIXES = {"min": ">=", "max": "<=", None: "="}
_REVERSED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_BASES = Bases(16.0, 16.0, 0.0)
# Other features, as this screen has them; all that are not listed are false.
_TRUE_FEATURES = frozenset(
    "color,hover,hover:hover,any-hover,any-hover:hover,pointer:fine,any-pointer:fine,orientation:landscape,"
    "prefers-color-scheme:light,prefers-reduced-motion:no-preference,prefers-contrast:no-preference,"
    "forced-colors:none,display-mode:browser,scripting:none,min-resolution:1dppx,min-resolution:96dpi,"
    "-webkit-min-device-pixel-ratio:0,-webkit-min-device-pixel-ratio:1,max-resolution:1dppx".split(",")
)


def matches_media(queries: str) -> bool:
    """Evaluate a media query list. An empty list matches."""
    return len(queries) <= MAX_CONDITION_CHARS and _matches_media(queries)


@lru_cache(maxsize=1024)
def _matches_media(queries: str) -> bool:
    queries = queries.strip().lower()
    return not queries or any(_matches_query(query.strip()) for query in queries.split(","))


def _matches_query(query: str) -> bool:
    match = _QUERY.match(query)
    if match is None:
        return False
    prefix, media_type, condition = match.groups()
    features = condition.split(" and ") if condition else []
    is_match = media_type in ("", "all", "screen") and all(map(_has_feature, features))
    return is_match != (prefix == "not")


def _has_feature(text: str) -> bool:
    """Evaluate `(min-width: 40em)`, `(width >= 40em)` or `(hover: hover)`; false if it is unknown."""
    text = text.strip().removeprefix("(").removesuffix(")").strip()
    if match := _FEATURE.match(text):
        prefix, name, value = match.groups()
        return _compare(name, _PREFIXES[prefix], value)
    if match := _RANGE.match(text):
        low, low_operator, name, high_operator, high = match.groups()
        is_above = low is None or _compare(name, _REVERSED[low_operator], low)
        return is_above and (high is None or _compare(name, high_operator, high))
    return "".join(text.split()) in _TRUE_FEATURES


def _compare(name: str, sign: str, value: str) -> bool:
    length = parse_length(value.strip())
    return length is not None and bool(_COMPARE[sign](_SIZES_PX[name], length.resolve(_BASES)))


# The tokens in which braces and semicolons have no meaning. Each alternative begins with a distinct literal character:
# the regex engine skips to the next of these, which is several times as fast.
_OPAQUE_TOKEN = re.compile(
    r"/\*.*?(?:\*/|\Z)"
    r"|\\.(?:\\.)*+"  # escapes in names, as in `.content-\[\'\'\]`
    r'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'
    r"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?"
    r"|\((?<=url\()\s*+(?![\"'])[^)]*+\)?",
    re.DOTALL,
)
_PUNCTUATION = re.compile(r"[{};]")
_BRACKET = re.compile(r"[()]")
_STRING_OR_BRACKET = re.compile(r"\"[^\"]*\"?|'[^']*'?|[(),\[\]]")


def mask_tokens(css: str) -> str:
    """Replace comments by spaces, and strings and URLs that contain braces or semicolons by empty ones."""
    return _OPAQUE_TOKEN.sub(_mask_token, css)


def _mask_token(match: re.Match[str]) -> str:
    token = match[0]
    if token[0] == "/":
        return " "
    if not _PUNCTUATION.search(token):
        return token
    return "()" if token[0] == "(" else '""'


def split_at_commas(text: str) -> list[str]:
    """Split at the commas that are outside brackets and strings."""
    if "(" not in text and "[" not in text:
        return text.split(",")
    parts, depth, start = [], 0, 0
    for match in _STRING_OR_BRACKET.finditer(text):
        char = match[0]
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "," and depth <= 0:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]


def find_closing_bracket(text: str, start: int) -> int:
    """Return the index of the `)` that closes a bracket opened before `start`; the end of the text without one."""
    depth = 1
    for match in _BRACKET.finditer(text, start):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.start()
    return len(text)
