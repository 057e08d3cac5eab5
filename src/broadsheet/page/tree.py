"""The tree of turbohtml behind a node table: for CSS selectors, and for training, which composes pages.

The table comes from another parser, which differs from turbohtml on one page in a hundred, in a few nodes. Elements
are matched to rows by their order; where the trees differ, only those before and after the difference have rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from turbohtml import Document, Element, parse

from broadsheet.html.table import NodeTable

_MAX_TAGS = 60_000
_MARK = "data-broadsheet-copied"
_HEADLINE_TAGS = frozenset(("h1", "h2"))


def parse_tree(html: str, max_tags: int = _MAX_TAGS) -> tuple[Document, bool]:
    """Parse a page with turbohtml; tell whether it was cut."""
    bounded = limit_growth(html, max_tags)
    # Browsers show declarative shadow roots. They stay in the tree as <template> elements, and the walk enters them.
    return parse(bounded.text, positions=False, allow_declarative_shadow_roots=False), bounded.is_cut


class Tree:
    """The elements of a page, by row."""

    def __init__(self, document: Document, table: NodeTable) -> None:
        self.document = document
        elements = [node for node in self.document.descendants if isinstance(node, Element)]
        rows = [row for row, tag in enumerate(table.tag) if tag]
        tags = [table.tag_names[table.tag[row]] for row in rows]
        pairs = _pair(rows, tags, elements)
        self.elements: dict[int, Element] = dict(pairs)
        self.is_whole = len(pairs) == len(rows)  # every row has its element
        self._rows = {element: row for row, element in pairs}  # equal objects stand for the same element

    def select(self, css: str) -> list[int]:
        """Return the rows of the elements that match a CSS selector, in document order."""
        rows = (self._rows.get(element) for element in self.document.select(css))
        return [row for row in rows if row is not None]  # None: beyond a limit


def _pair(rows: list[int], tags: list[str], elements: list[Element]) -> list[tuple[int, Element]]:
    """Pair rows with elements of the same tag: as many as possible from the start, then from the end."""
    start = 0
    shorter = min(len(rows), len(elements))
    while start < shorter and elements[start].tag.lower() == tags[start]:
        start += 1
    end = 0
    while end < shorter - start and elements[-1 - end].tag.lower() == tags[-1 - end]:
        end += 1
    pairs = list(zip(rows[:start], elements, strict=False))
    return pairs + list(zip(rows[len(rows) - end :], elements[len(elements) - end :], strict=True))


class PageEditor:
    """Inserts HTML into the tree of a page. The node table is not updated: write the page and read it again."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def read(self, row: int) -> str:
        """Return the HTML of an element."""
        return self._element(row).html

    def insert(self, row: int, html: str, *, is_after: bool = True) -> None:
        """Insert HTML after or before an element."""
        self._element(row).insert_adjacent_html("afterend" if is_after else "beforebegin", html)

    def copy(self, row: int, rows: Sequence[int], texts: Sequence[str]) -> str:
        """Return the HTML of an element in which some elements have other texts: the headline the first of them."""
        elements = [self._element(number) for number in dict.fromkeys(rows)]
        for element in elements:
            element.attrs[_MARK] = ""
        body = parse(f"<body>{self.read(row)}</body>", positions=False).select_one("body")
        for element in elements:
            del element.attrs[_MARK]
        assert body is not None
        title, *lines = texts
        number = 0
        for element in body.select(f"[{_MARK}]"):
            del element.attrs[_MARK]
            if element.tag in _HEADLINE_TAGS and number == 0:
                element.set_text(title)
            else:
                element.set_text(lines[number % len(lines)])
                number += 1
        return body.inner_html

    def write(self) -> str:
        """Return the HTML of the page."""
        return self._tree.document.serialize()

    def _element(self, row: int) -> Element:
        return self._tree.elements[row]


# Guard against pages that grow without bound while they are parsed.
#
# The HTML standard lets a parser copy elements. Unclosed formatting elements are reopened, with their attributes, in
# every later paragraph; the attributes of repeated `<html>` and `<body>` tags are merged, and each merge copies them
# all. Some kilobytes can become gigabytes.
#
# The guard computes an upper bound of the copies from the source. It looks at each tag alone, so that comments, scripts
# and quotes cannot hide one. On a page above the bound, the tags that are copied are renamed to `<span>`: all text
# stays, links and emphasis are lost.

# Units are attributes: 24 bytes each in the parser's memory.
_MAX_COPIED_UNITS = 16_000_000
_UNITS_PER_ELEMENT = 5
_MAX_SHORT_ATTRIBUTES = 32
_MAX_EQUAL_ENTRIES = 3  # equal formatting elements that the parser keeps open ("Noah's Ark clause")
_FORMATTING_NAMES = 13  # the standard's formatting elements without <a>: a new <a> closes the last one
_MAX_PLAIN_UNITS = _FORMATTING_NAMES * _MAX_EQUAL_ENTRIES * _UNITS_PER_ELEMENT  # of elements without attributes
_MAX_DISTINCT_TAGS = 1000  # with this many, the bound is exceeded: the page has at least as many tags
_MIN_CHARS_PER_TAG = 12  # pages with more tags for their size are rare; the walk over the tree cuts the others
_MIN_CHARS_PER_COPY = 4  # `<p>x`
_MAX_TAG_CHARS = 100_000
_MAX_CHARS_READ = 2_000_000  # in tags that are not short

_SPACE = r"[ \n\t\r\f]"
_GAP = r"[ \n\t\r\f/]"  # between attributes
# A tag with few attributes in the usual notation, after its name and one space. Other tags are read by _ATTRIBUTE.
_SHORT_VALUE = r"""=(?:"[^"]*+"|'[^']*+'|[^\s"'<>=]++)"""
_SHORT_TAG = rf"{_GAP}*+(?:[a-zA-Z0-9_:.@-]++(?:{_SHORT_VALUE})?+{_GAP}*+){{0,{_MAX_SHORT_ATTRIBUTES}}}+>"
# html, body, b, big, code, em, font, i, nobr, s, small, strike, strong, tt, u, and some names that do not exist.
# Written for speed: it runs at every "<" of every page.
_NAME = (
    r"[bBiIuUsScCeEfFhHnNtT](?=[mtioMTIO \n\t\r\f/>])"
    r"(?:[mM](?:[aA][lL][lL])?+|[tT](?:[mM][lL]|[rR][iI][kK][eE]|[rR][oO][nN][gG])?+"
    r"|[iI][gG]|[oO](?:[dD][eE]|[nN][tT]|[bB][rR]|[dD][yY]))?+"
)
# Every copied tag with attributes except short <a> tags. Groups: the name (none for <a>), the attributes if short.
_COPIED_TAG = re.compile(
    r"<(?=[aAbBiIuUsScCeEfFhHnNtT][mtioMTIO \n\t\r\f/])"  # two letters rule out most tags at once
    rf"(?:[aA]{_GAP}(?!{_SHORT_TAG})|({_NAME}){_GAP}(?=({_SHORT_TAG})?))"
)
# One attribute as the standard's tokenizer reads it.
_ATTRIBUTE = re.compile(
    rf"""{_GAP}*+[^\s/>][^ \n\t\r\f/>=]*+(?:{_SPACE}*+={_SPACE}*+(?:"[^"]*+"?+|'[^']*+'?+|[^ \n\t\r\f>]*+))?+"""
)
_ATTRIBUTES = re.compile(f"(?:{_ATTRIBUTE.pattern})*+")
_END_TAG = re.compile(r"[^<]*+</([a-zA-Z]++)[ \n\t\r\f/>]")  # directly after the element's text
# A formatting tag without attributes whose element contains more than text.
_PLAIN_TAG = re.compile(rf"<({_NAME})>(?![^<]*+</\1[\s/>])")
_RENAMED_TAG = re.compile(
    r"<(?:(?:html|body)(?=[\s/])|(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>]))", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class BoundedHtml:
    """The source of a page that is safe to parse."""

    text: str
    is_cut: bool  # the page was larger than the limits


@dataclass(slots=True)
class _CopiedTags:
    """The tags of a page that the parser may copy."""

    distinct: set[str] = field(default_factory=set)  # name and attributes
    max_link_attributes: int = _MAX_SHORT_ATTRIBUTES
    is_too_large: bool = False

    def count_units(self) -> int:
        """Return the greatest number of units that are copied at once, without elements that have no attributes."""
        attributes = len(_ATTRIBUTE.findall(" ".join(self.distinct)))  # a name counts as one
        link_units = _UNITS_PER_ELEMENT + self.max_link_attributes
        return link_units + _count_entry_units(len(self.distinct), attributes)


def _count_entry_units(elements: int, attributes: int) -> int:
    return _MAX_EQUAL_ENTRIES * (_UNITS_PER_ELEMENT * elements + attributes)


def limit_growth(html: str, max_tags: int) -> BoundedHtml:
    """Cut a page after `max_tags` tags, and rename the tags that would make it grow too large in the parser."""
    is_cut = False
    if len(html) > _MIN_CHARS_PER_TAG * max_tags and html.count("<") > max_tags:
        html, is_cut = _cut_at_tag(html, max_tags), True
    if _is_safe(html):
        return BoundedHtml(html, is_cut)
    return BoundedHtml(_RENAMED_TAG.sub("<span", html), is_cut=True)


def _cut_at_tag(html: str, count: int) -> str:
    return html[: -len(html.split("<", count)[-1]) - 1]


def _is_safe(html: str) -> bool:
    """Return whether the parser copies at most `_MAX_COPIED_UNITS`. Each bound is tighter, and slower to compute."""
    tags = _find_copied_tags(html)
    if tags.is_too_large:
        return False
    units = tags.count_units()
    copies = len(html) // _MIN_CHARS_PER_COPY
    if (units + _MAX_PLAIN_UNITS) * copies <= _MAX_COPIED_UNITS:
        return True
    copies = min(copies, html.count("<"))
    if (units + _MAX_PLAIN_UNITS) * copies <= _MAX_COPIED_UNITS:
        return True
    names = {match[1].lower() for match in _PLAIN_TAG.finditer(html)}
    return (units + _count_entry_units(len(names), 0)) * copies <= _MAX_COPIED_UNITS


def _find_copied_tags(html: str) -> _CopiedTags:
    tags = _CopiedTags()
    chars_read = 0
    for match in _COPIED_TAG.finditer(html):
        name, attributes = match.groups()
        if attributes is None:
            attributes = _read_attributes(html, match.end())
            chars_read += len(attributes)
            if len(attributes) >= _MAX_TAG_CHARS or chars_read > _MAX_CHARS_READ:
                tags.is_too_large = True
                break
        if name is None:
            if len(attributes) > _MAX_SHORT_ATTRIBUTES:
                count = len(_ATTRIBUTE.findall(attributes))
                tags.max_link_attributes = max(tags.max_link_attributes, count)
        elif not _is_closed_at_once(html, name.lower(), match.end() + len(attributes)):
            tags.distinct.add(f"{name} {attributes}")
            if len(tags.distinct) > _MAX_DISTINCT_TAGS:
                tags.is_too_large = True
                break
    return tags


def _read_attributes(html: str, start: int) -> str:
    match = _ATTRIBUTES.match(html, start, start + _MAX_TAG_CHARS)
    return match[0] if match else ""


def _is_closed_at_once(html: str, name: str, end: int) -> bool:
    """Tell whether a formatting element contains text only: such an element is never reopened."""
    if name in ("html", "body"):
        return False
    match = _END_TAG.match(html, end)
    return match is not None and match[1].lower() == name
