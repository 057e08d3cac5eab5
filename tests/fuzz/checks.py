"""Checks of an article: every output is parsed again, and nothing in it may be active."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from html.parser import HTMLParser
from xml.etree import ElementTree

from tests.tei_schema import find_tei_error, load_tei_schema
from turbohtml import Element, parse_fragment

import broadsheet
from broadsheet.output import FORMATS

_HTML_TAGS = frozenset(
    "p h1 h2 h3 h4 h5 h6 pre code blockquote ol ul li dl dt dd table caption tbody tr td th br strong em sup sub del a "
    "figure img figcaption small".split()
)
# Attributes other than addresses: their values by tag and name.
_ATTRIBUTES = {
    ("html", "lang"): re.compile(r".*", re.DOTALL),
    ("meta", "charset"): re.compile(r"utf-8"),
    ("img", "alt"): re.compile(r".*", re.DOTALL),
    ("ol", "start"): re.compile(r"-?\d+"),
    ("code", "class"): re.compile(r"language-[\w+#.-]+"),
    **{(tag, name): re.compile(r"\d+") for tag in ("td", "th") for name in ("colspan", "rowspan")},
}
_ADDRESSES = frozenset((("a", "href"), ("img", "src")))
_DOCUMENT_TAGS = _HTML_TAGS | frozenset("html head meta title body article".split())
_SAFE_ADDRESS = re.compile(r"(?:https?://|mailto:)[^\s<>\"`\\]+\Z", re.IGNORECASE)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_TEI = "{http://www.tei-c.org/ns/1.0}"


class UnsafeOutput(AssertionError):
    """An output is not well-formed, or contains something active."""


def write_outputs(article: broadsheet.Article) -> dict[str, str]:
    """Write an article in all formats, by name; "fragment" is the body as HTML."""
    outputs = {name: format_row.write(article) for name, format_row in FORMATS.items()}
    outputs["fragment"] = article.html
    return outputs


def check_article(article: broadsheet.Article, outputs: dict[str, str] | None = None) -> str:
    """Parse the outputs of an article, which are written if they are not given, and return a hash of them."""
    outputs = outputs or write_outputs(article)
    for name, text in outputs.items():
        text.encode()
        if bad := _FORBIDDEN.search(text):
            raise UnsafeOutput(f"{name} contains {bad[0]!r}")
    _check_values(article)
    _check_json(article, outputs)
    check_html(outputs["fragment"], _HTML_TAGS)
    check_html(outputs["html"], _DOCUMENT_TAGS)
    check_tei(outputs["tei"])
    return sha256("\0".join(outputs.values()).encode()).hexdigest()


def _check_values(article: broadsheet.Article) -> None:
    if article.status is broadsheet.Status.OK and not article.text:
        raise UnsafeOutput("status ok without text")
    if not 0 <= article.confidence <= 1:
        raise UnsafeOutput(f"confidence {article.confidence}")
    if any(not 0 <= block.score <= 1 for block in article.blocks):
        raise UnsafeOutput("a score outside 0 to 1")


def _check_json(article: broadsheet.Article, outputs: dict[str, str]) -> None:
    if json.loads(outputs["json"], parse_constant=_reject_constant) != article.to_dict():
        raise UnsafeOutput("JSON differs from to_dict")
    if len(outputs["jsonl"].splitlines()) != 1:
        raise UnsafeOutput("a record on several lines")
    json.loads(outputs["jsonl"], parse_constant=_reject_constant)
    json.loads(outputs["schema"], parse_constant=_reject_constant)


def _reject_constant(name: str) -> None:
    raise UnsafeOutput(f"{name} in JSON")


@lru_cache(maxsize=32)  # methods often agree
def check_html(html: str, tags: frozenset[str] = _HTML_TAGS) -> None:
    """Parse HTML with two parsers; raise UnsafeOutput for a tag, attribute or address that is not allowed."""
    reader = _TagReader()
    reader.feed(html)
    reader.close()
    for name, attributes in (*reader.tags, *_read_tree(html)):
        if name not in tags:
            raise UnsafeOutput(f"<{name}> in HTML")
        for attribute, value in attributes.items():
            pattern = _SAFE_ADDRESS if (name, attribute) in _ADDRESSES else _ATTRIBUTES.get((name, attribute))
            if pattern is None or not pattern.fullmatch(value or ""):
                raise UnsafeOutput(f"<{name} {attribute}={value!r}> in HTML")


def _read_tree(html: str) -> Iterator[tuple[str, dict[str, str | None]]]:
    """Yield the elements that a browser makes of the HTML inside a <div>."""
    for node in parse_fragment(html.removeprefix("<!DOCTYPE html>"), "div").descendants:
        if isinstance(node, Element):
            yield node.tag, {name: node.attr(name) for name in node.attrs}


class _TagReader(HTMLParser):
    """Collects start tags, as Python's tolerant parser sees them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_comment(self, data: str) -> None:
        raise UnsafeOutput("a comment in HTML")

    def handle_pi(self, data: str) -> None:
        raise UnsafeOutput("an instruction in HTML")

    def unknown_decl(self, data: str) -> None:
        raise UnsafeOutput("a declaration in HTML")


@lru_cache(maxsize=32)
def check_tei(xml: str) -> None:
    """Parse TEI; raise UnsafeOutput if it is not well-formed, or not valid by the schema of TEI if it is installed."""
    try:
        root = ElementTree.fromstring(xml)
    except ElementTree.ParseError as error:
        raise UnsafeOutput(f"TEI: {error}") from error
    if root.tag != f"{_TEI}TEI":
        raise UnsafeOutput(f"the root of TEI is {root.tag}")
    if load_tei_schema() is not None and (problem := find_tei_error(xml)):
        raise UnsafeOutput(f"TEI: {problem}")
