"""Rich text in JSON: lists of nodes that editors and content systems store for the paragraphs of an article.

    [{"type": "paragraph", "children": [{"text": "Words "}, {"text": "in bold", "bold": true}]}, ...]

The names differ between systems (Portable Text, Draft.js, ProseMirror, Contentful, Slate, Gutenberg, Editor.js, Arc),
the shape does not: a list of nodes in reading order, each with a kind, and text under one of a few names.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_MAX_LEVELS = 12  # of nodes inside nodes
_MAX_NODES = 20_000  # visited for one list
_MAX_PAGE_NODES = 10 * _MAX_NODES  # visited for all lists of a page; a list inside another is visited again
_MIN_PARAGRAPH_CHARS = 40
_MIN_PARAGRAPHS = 2  # of at least that length
_MAX_KIND_CHARS = 60

_KIND_KEYS = ("type", "_type", "style", "tag", "tagName", "nodeType", "__typename", "name", "blockName", "kind")
# Names of text, the most specific first. A node with one of them is not searched further.
_TEXT_KEYS = ("html", "text", "content", "value", "body", "paragraph", "data", "innerHTML")
# Names that nodes of a text do not have: those of articles, teasers, products and comments.
_ITEM_KEYS = frozenset(
    """title headline url slug permalink canonical_url canonicalUrl link author authors user username byline date
    created createdAt created_at created_date published publishedAt published_at publishDate datePublished
    publicationDate updatedAt price question answer email likes votes""".split()
)
# Names of values that belong to a node and are not its text.
_SKIPPED_KEYS = frozenset("markDefs marks entityRanges inlineStyleRanges additional_properties attributes_raw".split())
_SKIPPED_KIND = re.compile(
    r"image|img|photo|picture|figure|galler|slideshow|video|audio|podcast|embed|iframe|script|style$|related|promo|teaser|"
    r"newsletter|signup|interstitial|advert|^ads?$|^ad[-_]|recommend|card|button|widget|divider|separator|caption|credit|"
    r"header$|headline|byline|timestamp|poll|map$|share|social|tag$|comment",
    re.IGNORECASE,
)
_HEADING_KIND = re.compile(r"^h[1-6]$|heading|sub-?head|sub-?title|crosshead", re.IGNORECASE)
_ITEM_KIND = re.compile(r"^li$|list[-_]?item", re.IGNORECASE)
_QUOTE_KIND = re.compile(r"quote", re.IGNORECASE)
_INLINE_KIND = re.compile(
    r"^(?:text|span|leaf|#text|a|b|i|u|em|strong|bold|italic|link|hyperlink|fragment|mark|br|textinline|inline.*|"
    r".*inline|.*fragment|urllink)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RichText:
    """A text as HTML, and the number of its characters in paragraphs."""

    html: str
    chars: int


class RichTextReader:
    """Reads the lists of one page."""

    def __init__(self) -> None:
        self._visits = _MAX_PAGE_NODES

    def read(self, nodes: Sequence[object]) -> RichText | None:
        """Write a list of nodes as HTML; None unless it has paragraphs."""
        max_nodes = min(_MAX_NODES, self._visits)
        writer = _Writer(max_nodes)
        parts = [part for node in nodes if writer.visits > 0 for part in writer.write_block(node, 0)]
        self._visits -= max_nodes - writer.visits
        lengths = [part.chars for part in parts if part.chars >= _MIN_PARAGRAPH_CHARS]
        if len(lengths) < _MIN_PARAGRAPHS:
            return None
        return RichText("\n".join(part.html for part in parts), sum(lengths))


def count_prose(text: str) -> int:
    """Return the number of characters of an HTML string outside its tags."""
    return len(text) - sum(map(len, _TAG.findall(text))) if "<" in text else len(text)


_TAG = re.compile(r"<[^<>]*+>")
_WORDS = re.compile(r"[^\W\d_]{2}")


class _Writer:
    """Writes nodes, up to a maximum number."""

    def __init__(self, max_nodes: int) -> None:
        self.visits = max_nodes

    def write_block(self, node: object, level: int) -> Iterator[RichText]:
        """Yield the paragraphs of a node."""
        self.visits -= 1
        if level > _MAX_LEVELS or self.visits < 0:
            return
        if isinstance(node, str):
            if level == 0 and _WORDS.search(node):
                yield _make_paragraph("p", _escape_text(node))
        elif isinstance(node, list):
            for part in node:
                yield from self.write_block(part, level + 1)
        elif isinstance(node, dict) and _ITEM_KEYS.isdisjoint(node):
            kind = _read_kind(node)
            if not _SKIPPED_KIND.search(kind):
                yield from self._write_node(node, kind, level)

    def _write_node(self, node: Mapping[str, object], kind: str, level: int) -> Iterator[RichText]:
        children = [value for key, value in node.items() if isinstance(value, list | dict) and key not in _SKIPPED_KEYS]
        inline = self._write_inline(node, level)
        if inline is not None:
            if _WORDS.search(inline):
                yield _make_paragraph(_find_tag(kind), inline)
            return
        for child in children:
            yield from self.write_block(child, level + 1)

    def _write_inline(self, node: object, level: int) -> str | None:
        """Return the text of a node that contains no blocks; None if it contains some, or no text."""
        self.visits -= 1
        if isinstance(node, list):
            if not node or not all(map(_is_inline, node)) or level > _MAX_LEVELS or self.visits < 0:
                return None
            return "".join(filter(None, (self._write_inline(part, level + 1) for part in node)))
        if not isinstance(node, dict) or level > _MAX_LEVELS or self.visits < 0:
            return None
        if own_text := _read_own_text(node):
            return _escape_text(own_text)
        parts = (value for key, value in node.items() if isinstance(value, list | dict) and key not in _SKIPPED_KEYS)
        texts = (self._write_inline(part, level + 1) for part in parts)
        return next((text for text in texts if text is not None), None)


def _read_own_text(node: Mapping[str, object]) -> str:
    """Return the text that a node has itself; "" if only its children have some."""
    texts = [value for key in _TEXT_KEYS if isinstance(value := node.get(key), str)]
    return next(filter(None, texts), "")


def _is_inline(node: object) -> bool:
    if not isinstance(node, dict):
        return False
    kind = _read_kind(node)
    return not kind or _INLINE_KIND.match(kind) is not None


def _read_kind(node: Mapping[str, object]) -> str:
    """Return the kinds of a node, joined: `_type` may be "block" and `style` "h2"."""
    kinds = [value for key in _KIND_KEYS if isinstance(value := node.get(key), str) and len(value) <= _MAX_KIND_CHARS]
    return next((kind for kind in kinds if _HEADING_KIND.search(kind)), kinds[0] if kinds else "")


def _find_tag(kind: str) -> str:
    if _HEADING_KIND.search(kind):
        return "h2"
    if _ITEM_KIND.search(kind):
        return "li"
    return "blockquote" if _QUOTE_KIND.search(kind) else "p"


def _make_paragraph(tag: str, text: str) -> RichText:
    return RichText(f"<{tag}>{text}</{tag}>", count_prose(text))


def _escape_text(text: str) -> str:
    """Escape plain text; leave text with tags as it is."""
    if _TAG.search(text):
        return text
    return html.escape(html.unescape(text), quote=False)
