"""Guard against pages that grow without bound while they are parsed.

The HTML standard lets a parser copy elements. Unclosed formatting elements are reopened, with their attributes, in
every later paragraph; the attributes of repeated `<html>` and `<body>` tags are merged, and each merge copies them all.
Some kilobytes can become gigabytes.

The guard computes an upper bound of the copies from the source. It looks at each tag alone, so that comments, scripts
and quotes cannot hide one. On a page above the bound, the tags that are copied are renamed to `<span>`: all text stays,
links and emphasis are lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

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
