"""Names that a page shows as its author's: in links and elements called so, in by-lines, beside the date."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from broadsheet.blocks import CONTENT_ROLES, Role, tags
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.names import clean_names, find_editor, find_signature, may_be_byline, starts_like_byline
from broadsheet.fields.site_name import is_site_name
from broadsheet.fields.surroundings import is_of_others
from broadsheet.fields.written_dates import find_written_date, may_hold_date
from broadsheet.page.nodes import TEXT
from broadsheet.text import fold_words

_MAX_LINKS = 50
_MAX_ELEMENTS = 100
_MAX_LINE = 150
_MAX_ROWS = 4_000  # read for signatures
_MAX_BESIDE = 4  # blocks below the headline whose dates are the article's
_MAX_BESIDE_LINE = 80
_STORY = CONTENT_ROLES | {Role.CAPTION}
_JOINT = re.compile(r" \| ([,;&/]|and|und|et|y|e|og|och|en|i) \| ", re.IGNORECASE)
_PARTS = re.compile(r"[|•·,–—]|\sin\s|\son\s|\d{4}")


def read_author_links(evidence: Evidence) -> Iterator[str]:
    """Read links around the headline that say `rel=author`."""
    anchors = evidence.metadata.anchors.get("author")
    if not anchors:
        return
    rows = evidence.head_rows()
    for row in islice((row for row in anchors if row in rows), _MAX_LINKS):
        yield from clean_names(evidence.text_below(row))


_ADDRESS = re.compile(
    r"/(?:authors?|autor(?:en|es|in)?|auteurs?|autori|by|contributors?|journalists?|reporters?|writers?|columnists?|"
    r"redakteure?|people|persons?|profiles?|staff|bio)/[^/?#]*[^\W\d_]{2}"
)


def read_profile_links(evidence: Evidence) -> list[str]:
    """Read links around the headline that lead to the page of a person."""
    for row, _ in _list_profile_links(evidence):
        text = evidence.text_below(row, gap=" ")
        if len(text) <= _MAX_LINE and (names := _capitalised_only(text, evidence)):
            return names
    return []


_SLUG = re.compile(r"/(?:authors?|autor(?:en|es|in)?|auteurs?|autori)/([\w.-]+)/?(?:[?#]|$)")


def read_first_names(evidence: Evidence) -> list[str]:
    """Read a name of one word, as many blogs have it, if the address of its page is the same: /author/jane/."""
    for row, address in _list_profile_links(evidence):
        match, text = _SLUG.search(address), evidence.text_below(row)
        names = clean_names(text) if match and len(text) <= _MAX_LINE else []
        if match and len(names) == 1 and names[0].casefold() in match[1] and not is_site_name(names[0], evidence):
            return names
    return []


def _list_profile_links(evidence: Evidence) -> Iterator[tuple[int, str]]:
    """List links around the headline to pages of people, with their addresses in small letters."""
    nodes, rows = evidence.page.nodes, evidence.head_rows()
    links = [row for row in rows if nodes.tag[row] == "a"]
    addresses = nodes.attrs.get_all(links, "href")
    pairs = ((row, address[:300].lower()) for row, address in zip(links, addresses, strict=True) if address)
    return islice((pair for pair in pairs if _ADDRESS.search(pair[1])), _MAX_LINKS)


_NO_BYLINE = frozenset((TEXT, "br", "img", "svg", "path", "script", "input", "source", "meta", "link"))
_CLASS_WORDS = ("byline", "by-line", "author", "creator", "writer", "journalist", "contributor")
_CLASS = re.compile(r"by-?line|author(?!i)|creator|writer|journalist|contributor")
_CLASS_NOT = re.compile(
    r"bio|avatar|image|img|photo|related|comment|social|follow|about|count|thumb|icon|review|editor(?!ial)|fact-?check|"
    r"caption|credit"
)


def read_byline_elements(evidence: Evidence) -> list[str]:
    """Read the innermost elements around the headline whose class says that they hold the author."""
    return next(_read_elements(evidence, evidence.head_rows()), [])


def read_signatures(evidence: Evidence) -> list[str]:
    """Read such elements beside and below the text, if all of them name the same people."""
    head, tail = evidence.head_rows(), evidence.tail()
    stop = evidence.blocks.last[tail.stop - 1] + 1 if tail else head.stop
    rows = range(head.stop, min(stop, head.stop + _MAX_ROWS))
    found = list(_read_elements(evidence, rows, is_own=True))
    return found[0] if found and all(names == found[0] for names in found) else []


def _read_elements(evidence: Evidence, rows: range, *, is_own: bool = False) -> Iterator[list[str]]:
    nodes = evidence.page.nodes
    found: list[int] = []
    for row in _list_byline_rows(evidence, rows):
        if found and row < nodes.end[found[-1]]:
            found.pop()
        found.append(row)
    for row in found[:_MAX_ELEMENTS]:
        if nodes.rows["figure"] and any(nodes.tag[above] == "figure" for above in islice(nodes.ancestors(row), 4)):
            continue  # who made the picture
        if _is_apart(evidence, row):
            continue
        if is_own and is_of_others(evidence, row):
            continue
        if names := _read_parts(evidence, row, nodes.end[row]):
            yield names


def _is_apart(evidence: Evidence, row: int) -> bool:
    """Tell whether nobody sees an element, or it stands in a column of its own."""
    nodes = evidence.page.nodes
    return any(at in nodes.hidden or nodes.tag[at] in ("aside", "nav") for at in (row, *nodes.ancestors(row)))


def _read_parts(evidence: Evidence, start: int, stop: int) -> list[str]:
    """Read names from rows of which each element may be a thing of its own: name, role, date; or from all as one."""
    text = evidence.text_between(start, stop, gap=" ")
    if len(text) > _MAX_LINE:
        return []
    parts = " | ".join(" ".join(part.split()) for part in evidence.page.nodes.text[start:stop] if part.strip())
    for line in (_JOINT.sub(r" \1 ", parts), text):
        if names := _persons_only(clean_names(line, is_strict=True), evidence):
            return names
    return []


def _list_byline_rows(evidence: Evidence, rows: range) -> list[int]:
    nodes = evidence.page.nodes
    elements = [row for row in rows if nodes.tag[row] not in _NO_BYLINE]
    names = nodes.attrs.get_all(elements, "class")
    nameless = [row for row, name in zip(elements, names, strict=True) if not name]
    called = [*zip(elements, names, strict=True), *zip(nameless, nodes.attrs.get_all(nameless, "id"), strict=True)]
    distinct = {name for _, name in called if name}
    written = "\n".join(distinct).lower()
    if not any(word in written for word in _CLASS_WORDS):  # on most pages: much faster than one by one
        return []
    fitting = {name for name in distinct if _is_byline_class(name.lower())}
    return sorted(row for row, name in called if name in fitting)


def _is_byline_class(name: str) -> bool:
    return _CLASS.search(name) is not None and not _CLASS_NOT.search(name)


def read_byline_blocks(evidence: Evidence) -> list[str]:
    """Read blocks that the method calls by-lines, and short ones around the text that begin like one."""
    blocks, roles = evidence.blocks, evidence.labels.roles
    for block in (*evidence.head(), *evidence.tail()):
        if len(blocks.text[block]) > _MAX_LINE or blocks.has(block, tags.HIDDEN) or block == evidence.title_block:
            continue
        if roles[block] is not Role.BYLINE and not may_be_byline(blocks.text[block]):
            continue
        # The space: <span>By</span><a>Jane Doe</a> is two words to a reader.
        text = evidence.text_between(blocks.first[block], blocks.last[block] + 1, gap=" ")
        if not (roles[block] is Role.BYLINE or starts_like_byline(text)):
            text = find_signature(text)
        if text and (names := _persons_only(clean_names(text, is_strict=True), evidence)):
            return names
    return []


def read_beside_date(evidence: Evidence) -> list[str]:
    """Read a name that shares a line with a date, below the headline: "5 May 2021 • Jane Doe"."""
    blocks = evidence.blocks
    for block in evidence.head() if evidence.title_block >= 0 else ():
        text = blocks.text[block]
        is_near = evidence.title_block < block <= evidence.title_block + _MAX_BESIDE and len(text) <= _MAX_BESIDE_LINE
        if not is_near or not may_hold_date(text) or blocks.has(block, tags.HIDDEN):
            continue
        if evidence.labels.roles[block] in _STORY:
            continue
        line = evidence.text_between(blocks.first[block], blocks.last[block] + 1, gap=" | ")
        if not find_written_date(line):
            continue
        for part in filter(_may_be_name, _PARTS.split(line)):
            if names := [name for name in _capitalised_only(part, evidence) if _is_plain(name)]:
                return names
    return []


def _may_be_name(part: str) -> bool:
    """Tell quickly whether a part of a line can be a name: two words or more, not many."""
    return 1 < len(part.split(None, 5)) <= 5


def _is_plain(name: str) -> bool:
    """Tell whether all words of a name are capitalised and none is an abbreviation, but for initials."""
    return all(word[0].isupper() and (len(word) < 3 or not word.isupper()) for word in name.split())


def _capitalised_only(text: str, evidence: Evidence) -> list[str]:
    """Read names where nothing but their look says that they are; a script without capitals does not show it.

    Somebody whom the headline names is who the story is about.
    """
    names = _persons_only(clean_names(text, is_strict=True), evidence)
    title = fold_words(evidence.title) if names else ""
    return [name for name in names if name[0].isupper() and fold_words(name) not in title]


def _persons_only(names: list[str], evidence: Evidence) -> list[str]:
    return [name for name in names if not is_site_name(name, evidence)]


def read_editors(evidence: Evidence) -> list[str]:
    """Read who edited the article, below the text."""
    blocks = evidence.blocks
    for block in evidence.tail():
        if len(blocks.text[block]) <= _MAX_LINE and (text := find_editor(blocks.text[block])):
            return _persons_only(clean_names(text, is_strict=True), evidence)
    return []
