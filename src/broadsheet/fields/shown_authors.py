"""Names that a page shows as its authors: in author links, byline elements, byline blocks and beside the date."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from broadsheet.blocks import CONTENT_ROLES, Role, tags
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.names import (
    cut_byline,
    find_editor,
    find_signature,
    is_agency,
    is_team,
    may_be_byline,
    parse_names,
    parse_organizations,
    parse_single_names,
    starts_like_byline,
)
from broadsheet.fields.site_name import is_site_name
from broadsheet.fields.written_dates import find_written_date, may_contain_date
from broadsheet.text import compile_later, fold_words

_MAX_LINKS = 50
_MAX_ELEMENTS = 100
_MAX_LINE_CHARS = 150
_MAX_ADDRESS_CHARS = 300
_MAX_SIGNATURE_ROWS = 4_000
_MAX_SIGNATURE_CHARS = 60
_MIN_SIGNATURE_SHARE = 0.5  # of the characters of a line; the rest may be a place
_MIN_SIGNED_BLOCKS = 4
_SIGNATURE_MARKS = " –—-~*()"
_MAX_ROWS_BEFORE = 6  # an element, where a label may stand
_MAX_FIGURE_LEVELS = 4  # from a byline up to a figure
_MAX_BLOCKS_BESIDE_DATE = 4  # blocks below the headline whose date is the article's
_MAX_CHARS_BESIDE_DATE = 80
_MAX_NAME_WORDS = 5
_DATELINE_ENDS = ("-", "–", "—")  # "FORT MEADE, Md. –"
_STORY_ROLES = CONTENT_ROLES | {Role.CAPTION}


# Links.


def read_author_links(evidence: Evidence) -> Iterator[str]:
    """Read links around the headline with `rel=author`."""
    anchors = evidence.metadata.anchors.get("author")
    if not anchors:
        return
    rows = evidence.head_rows()
    for row in islice((row for row in anchors if row in rows), _MAX_LINKS):
        yield from parse_names(evidence.text_below(row))


_PROFILE_ADDRESS = compile_later(
    r"/(?:authors?|autor(?:en|es|in)?|auteurs?|autori|by|contributors?|journalists?|reporters?|writers?|columnists?|"
    r"redakteure?|people|persons?|profiles?|staff|bio)/[^/?#]*[^\W\d_]{2}"
)
_AUTHOR_SLUG = compile_later(r"/(?:authors?|autor(?:en|es|in)?|auteurs?|autori)/([\w.-]+)/?(?:[?#]|$)")


def read_profile_links(evidence: Evidence) -> list[str]:
    """Read links around the headline to the profile of a person."""
    for row, _ in _list_profile_links(evidence):
        text = evidence.text_below(row, gap=" ")
        if len(text) <= _MAX_LINE_CHARS and (names := _parse_capitalized(text, evidence)):
            return names
    return []


def read_first_names(evidence: Evidence) -> list[str]:
    """Read a name of one word, common on blogs, if the address of its profile contains it: /author/jane/."""
    for row, address in _list_profile_links(evidence):
        slug, text = _AUTHOR_SLUG.search(address), evidence.text_below(row)
        names = parse_names(text) if slug and len(text) <= _MAX_LINE_CHARS else []
        if slug and len(names) == 1 and names[0].casefold() in slug[1] and not is_site_name(names[0], evidence):
            return names
    return []


def _list_profile_links(evidence: Evidence) -> Iterator[tuple[int, str]]:
    """Yield the rows and lower-case addresses of links around the headline to profiles."""
    nodes, rows = evidence.page.nodes, evidence.head_rows()
    links = [row for row in rows if nodes.tag[row] == "a"]
    addresses = nodes.attrs.get_all(links, "href")
    pairs = (
        (row, address[:_MAX_ADDRESS_CHARS].lower()) for row, address in zip(links, addresses, strict=True) if address
    )
    profiles = (pair for pair in pairs if _PROFILE_ADDRESS.search(pair[1]) and not _is_in_prose(evidence, pair[0]))
    return islice(profiles, _MAX_LINKS)


def _is_in_prose(evidence: Evidence, row: int) -> bool:
    """Return True for a link in a sentence of the story: a person that it is about."""
    blocks = evidence.blocks
    block = bisect_right(blocks.first, row) - 1
    if block < 0 or row > blocks.last[block] or evidence.labels.roles[block] not in CONTENT_ROLES:
        return False
    return len(blocks.text[block]) > _MAX_LINE_CHARS


# Elements.

_NON_BYLINE_TAGS = frozenset(("br", "img", "svg", "path", "script", "input", "source", "meta", "link"))
_BYLINE_CLASS_PARTS = ("byline", "by-line", "author", "creator", "writer", "journalist", "contributor")
_BYLINE_CLASS = compile_later(r"by-?line|author(?!i)|creator|writer|journalist|contributor")
_NON_BYLINE_CLASS = compile_later(
    r"bio|avatar|image|img|photo|related|comment|social|follow|about|count|thumb|icon|review|editor(?!ial)|fact-?check|"
    r"caption|credit|quote|testimonial|player|athlete"
)
# A word between two elements that joins two names.
_CONJUNCTION = compile_later(r" \| ([,;&/]|and|und|et|y|e|og|och|en|i) \| ", re.IGNORECASE)


def read_byline_elements(evidence: Evidence) -> list[str]:
    """Read the innermost elements around the headline with the class of a byline."""
    return next(_read_elements(evidence, evidence.head_rows()), [])


def read_byline_organizations(evidence: Evidence) -> list[str]:
    """Read organizations in the place of the author: "By Moon Post Staff"; the site itself only after "by"."""
    for text in _list_byline_texts(evidence):
        is_signed = starts_like_byline(text)
        names = [
            name
            for name in parse_organizations(text)
            if is_agency(name) or (" " in name and (is_signed or is_team(name)))
        ]
        if names := _drop_site_name(names, evidence):
            return names
        if is_signed and is_site_name(name := cut_byline(text), evidence):
            return [name]
    return []


def read_signature_lines(evidence: Evidence) -> list[str]:
    """Read names that stand alone in the first or last line of the body."""
    if len(evidence.body) < _MIN_SIGNED_BLOCKS:
        return []
    for block in (evidence.body[-1], evidence.body[0]):
        line = evidence.blocks.text[block]
        text = line.strip(_SIGNATURE_MARKS)
        # "Dear All,", "More at the link." and labels that the page repeats are not signatures.
        if line.endswith((",", ".", ":", "]")) or evidence.blocks.text.count(line) > 1:
            continue
        if evidence.labels.roles[block] is Role.BODY and len(text) <= _MAX_SIGNATURE_CHARS:
            names = [name for name in _parse_capitalized(text, evidence) if _has_no_abbreviation(name)]
            if names and len(fold_words(" ".join(names))) >= _MIN_SIGNATURE_SHARE * len(fold_words(text)):
                return names
    return []


def read_single_names(evidence: Evidence) -> list[str]:
    """Read names of one word in bylines, common on blogs: "By Jane", "By Jane and Ann"."""
    lines = (text for text in _list_byline_texts(evidence) if starts_like_byline(text))
    return next(filter(None, map(parse_single_names, lines)), [])


def _list_byline_texts(evidence: Evidence) -> Iterator[str]:
    """Yield the texts of byline elements around the headline, and of blocks that are or begin like bylines."""
    for row in _list_innermost(evidence, _list_byline_rows(evidence, evidence.head_rows()))[:_MAX_ELEMENTS]:
        text = "" if _is_unread_element(evidence, row) else evidence.text_below(row, gap=" ")
        if 0 < len(text) <= _MAX_LINE_CHARS:
            yield text
    blocks, roles = evidence.blocks, evidence.labels.roles
    for block in evidence.head_blocks():
        text = blocks.text[block]
        if len(text) > _MAX_LINE_CHARS or blocks.has(block, tags.HIDDEN) or block == evidence.title_block:
            continue
        if roles[block] is Role.BYLINE or (may_be_byline(text) and starts_like_byline(text)):
            yield evidence.text_of_block(block)


def read_signatures(evidence: Evidence) -> list[str]:
    """Read byline elements beside and below the body, if all of them name the same people."""
    head, tail = evidence.head_rows(), evidence.tail_blocks()
    stop = evidence.blocks.last[tail.stop - 1] + 1 if tail else head.stop
    rows = range(head.stop, min(stop, head.stop + _MAX_SIGNATURE_ROWS))
    signatures = list(_read_elements(evidence, rows, skip_other_content=True))
    return signatures[0] if signatures and all(names == signatures[0] for names in signatures) else []


def _read_elements(evidence: Evidence, rows: range, *, skip_other_content: bool = False) -> Iterator[list[str]]:
    byline_rows = _list_byline_rows(evidence, rows)
    innermost = _list_innermost(evidence, byline_rows)[:_MAX_ELEMENTS]
    # In `<div class=byline><i class=author-label>By</i> Jane Doe</div>` the inner element has no name.
    outer = sorted(set(byline_rows).difference(innermost), reverse=True)[:_MAX_ELEMENTS]
    has_names = False
    for row in (*innermost, *outer):
        if has_names and row in outer:
            return
        if _is_unread_element(evidence, row) or (skip_other_content and evidence.is_in_other_content(row)):
            continue
        if _follows_other_role(evidence, row):
            continue
        if names := read_parts(evidence, row):
            has_names = True
            yield names


# "Reviewed by", "Fact checked by", "Photos:" before a name.
_OTHER_ROLE = compile_later(
    r"(?:review|check|edit|verif|approv|translat|illustrat|photograph)\w*\sby\W*$|"
    r"(?:photos?|fotos?|illustrations?|illustration(?:en)?|übersetzung|geprüft von|lektorat)\s?(?:by|von|:)\W*$",
    re.IGNORECASE,
)


def _follows_other_role(evidence: Evidence, row: int) -> bool:
    """Return True if the text just before an element tells that it names a person who is not the author."""
    texts = evidence.page.nodes.text[max(row - _MAX_ROWS_BEFORE, 0) : row]
    text = next((text for text in reversed(texts) if text and not text.isspace()), "")
    return bool(text) and _OTHER_ROLE.search(text[-_MAX_LINE_CHARS:]) is not None


def _is_unread_element(evidence: Evidence, row: int) -> bool:
    """Return True for elements that are hidden, beside the article, or about the author of an image."""
    return is_in_figure(evidence, row) or _is_hidden_or_aside(evidence, row)


def is_in_figure(evidence: Evidence, row: int) -> bool:
    """Return True if a figure contains an element: it names the author of an image."""
    nodes = evidence.page.nodes
    ancestors = islice(nodes.ancestors(row), _MAX_FIGURE_LEVELS)
    return bool(nodes.rows["figure"]) and any(nodes.tag[ancestor] == "figure" for ancestor in ancestors)


def _list_innermost(evidence: Evidence, rows: list[int]) -> list[int]:
    """Return the elements that do not contain the next one. `rows` are sorted."""
    node_end = evidence.page.nodes.end
    innermost: list[int] = []
    for row in rows:
        if innermost and row < node_end[innermost[-1]]:
            innermost.pop()
        innermost.append(row)
    return innermost


def _is_hidden_or_aside(evidence: Evidence, row: int) -> bool:
    nodes = evidence.page.nodes
    return any(
        element in nodes.hidden or nodes.tag[element] in ("aside", "nav") for element in (row, *nodes.ancestors(row))
    )


def read_parts(evidence: Evidence, row: int) -> list[str]:
    """Read names from an element whose inner elements may be parts (name, role, date), or from its whole text."""
    start, stop = row, evidence.page.nodes.end[row]
    text = evidence.text_between(start, stop, gap=" ")
    if len(text) > _MAX_LINE_CHARS:
        return []
    parts = " | ".join(" ".join(part.split()) for part in evidence.page.nodes.text[start:stop] if part.strip())
    for line in (_CONJUNCTION.sub(r" \1 ", parts), text):
        if names := _drop_site_name(parse_names(line, is_strict=True), evidence):
            return names
    return []


def _list_byline_rows(evidence: Evidence, rows: range) -> list[int]:
    """Return the elements whose class, or id if they have no class, is that of a byline."""
    nodes = evidence.page.nodes
    candidates = nodes.attrs.rows_containing(("class", "id"), _BYLINE_CLASS_PARTS, rows.start, rows.stop)
    named = [(row, nodes.attr(row, "class") or nodes.attr(row, "id")) for row in candidates]
    return [row for row, name in named if nodes.tag[row] not in _NON_BYLINE_TAGS and _is_byline_class(name.lower())]


@lru_cache(maxsize=1024)  # pages share class names
def _is_byline_class(name: str) -> bool:
    return _BYLINE_CLASS.search(name) is not None and not _NON_BYLINE_CLASS.search(name)


# Blocks.

_LINE_SEPARATOR = compile_later(r"[|•·,–—]|\sin\s|\son\s|\d{4}")


def read_byline_blocks(evidence: Evidence) -> list[str]:
    """Read short blocks around the body that begin like a byline, or contain one."""
    return _read_blocks(evidence, may_have_no_label=False)


def read_labelled_blocks(evidence: Evidence) -> list[str]:
    """Read the blocks that the method labels as bylines, without a word such as "by"."""
    return _read_blocks(evidence, may_have_no_label=True)


def _read_blocks(evidence: Evidence, *, may_have_no_label: bool) -> list[str]:
    blocks, roles = evidence.blocks, evidence.labels.roles
    for block in (*evidence.head_blocks(), *evidence.tail_blocks()):
        text = blocks.text[block]
        if len(text) > _MAX_LINE_CHARS or blocks.has(block, tags.HIDDEN) or block == evidence.title_block:
            continue
        is_byline = may_have_no_label and roles[block] is Role.BYLINE and not text.endswith(_DATELINE_ENDS)
        if not is_byline and not may_be_byline(text):
            continue
        line = evidence.text_of_block(block)
        is_signed = starts_like_byline(line)
        if not (is_byline or is_signed):
            line = find_signature(line)
        names = _drop_site_name(parse_names(line, is_strict=True), evidence) if line else []
        if not is_signed:  # maybe a standfirst, a section, or the author of a book
            names = _drop_subjects(names, evidence)
        if names:
            return names
    return []


def read_names_beside_date(evidence: Evidence) -> list[str]:
    """Read a name on one line with a date, below the headline: "5 May 2021 • Jane Doe"."""
    for block in _list_date_lines(evidence):
        line = evidence.text_of_block(block, gap=" | ")
        if not find_written_date(line):
            continue
        for part in filter(_may_be_name, _LINE_SEPARATOR.split(line)):
            if names := [name for name in _parse_capitalized(part, evidence) if _has_no_abbreviation(name)]:
                return names
    return []


def _list_date_lines(evidence: Evidence) -> list[int]:
    """Return short blocks just below the headline that may contain a date and are not part of the story."""
    if evidence.title_block < 0:
        return []
    blocks, roles = evidence.blocks, evidence.labels.roles
    last = evidence.title_block + _MAX_BLOCKS_BESIDE_DATE
    return [
        block
        for block in evidence.head_blocks()
        if evidence.title_block < block <= last
        and len(blocks.text[block]) <= _MAX_CHARS_BESIDE_DATE
        and may_contain_date(blocks.text[block])
        and not blocks.has(block, tags.HIDDEN)
        and roles[block] not in _STORY_ROLES
    ]


def _may_be_name(part: str) -> bool:
    """Check quickly whether a part of a line has as many words as a name."""
    return 1 < len(part.split(None, _MAX_NAME_WORDS)) <= _MAX_NAME_WORDS


def _has_no_abbreviation(name: str) -> bool:
    """Return True if all words are capitalized and none is in capitals, except initials."""
    return all(word[0].isupper() and (len(word) < 3 or not word.isupper()) for word in name.split())


def _parse_capitalized(text: str, evidence: Evidence) -> list[str]:
    """Parse names where only the capital letters indicate that they are names.

    A person in the title is the subject of the story, not its author.
    """
    names = [name for name in parse_names(text, is_strict=True) if name[0].isupper()]
    return _drop_subjects(_drop_site_name(names, evidence), evidence)


def _drop_subjects(names: list[str], evidence: Evidence) -> list[str]:
    """Drop names that are in the title, or that of a section."""
    if not names:
        return []
    title, sections = fold_words(evidence.title), _write_sections(evidence)
    return [name for name in names if (words := fold_words(name)) not in title and f" {words} " not in sections]


_SECTION_ADDRESS = compile_later(
    r"[/?&](?:categor\w*|tags?|topics?|tid|sections?|rubri\w*|kategori\w*|ressorts?|themen?|forums?|regional|search\w*|"
    r"schlagwort\w*|tema\w*)[/=?.]"
)


def _write_sections(evidence: Evidence) -> str:
    """Return the folded names of sections and tags that the metadata state, and that links around the headline show."""
    texts = [*islice(evidence.metadata.meta_texts("article:section"), _MAX_LINKS)]
    rows = evidence.head_rows()
    tags_of_page = frozenset(evidence.metadata.anchors.get("tag", ()))
    links = [row for row in rows if evidence.page.nodes.tag[row] == "a"][:_MAX_LINKS]
    addresses = evidence.page.nodes.attrs.get_all(links, "href")
    for row, address in zip(links, addresses, strict=True):
        if row in tags_of_page or (address and _SECTION_ADDRESS.search(address[:_MAX_ADDRESS_CHARS].lower())):
            texts.append(evidence.text_below(row)[:_MAX_LINE_CHARS])
    return f" {' '.join(map(fold_words, texts))} "


def _drop_site_name(names: list[str], evidence: Evidence) -> list[str]:
    return [name for name in names if not is_site_name(name, evidence)]


def read_editors(evidence: Evidence) -> list[str]:
    """Read the editor of the article, below the body."""
    blocks = evidence.blocks
    for block in evidence.tail_blocks():
        if len(blocks.text[block]) <= _MAX_LINE_CHARS and (text := find_editor(blocks.text[block])):
            return _drop_site_name(parse_names(text, is_strict=True), evidence)
    return []
