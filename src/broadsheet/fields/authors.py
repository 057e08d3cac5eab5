"""Who wrote the article. No author is better than a wrong one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from broadsheet.blocks import Role, tags
from broadsheet.features import fold_words
from broadsheet.fields.clean import clean_texts
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found
from broadsheet.fields.names import clean_names, find_signature, is_organization, starts_like_byline
from broadsheet.fields.site_name import is_site_name
from broadsheet.fields.written_dates import find_written_date
from broadsheet.page.json_ld import Item
from broadsheet.page.metadata import is_article_type

_MAX_AUTHORS = 20
_MAX_NAMES = 5  # of one organisation
_MAX_LINKS = 50
_MAX_LINE = 150
_MAX_ROWS = 4_000  # read for signatures
_MAX_BESIDE = 4  # blocks below the headline whose dates are the article's
_DIGIT = re.compile(r"\d")
_PARTS = re.compile(r"[|•·,–—]|\sin\s|\son\s|\d{4}")
_Strategy = Callable[[Evidence], Iterable[str]]


def find_authors(evidence: Evidence) -> Found[tuple[str, ...]] | None:
    """Find the authors' names, of the first place that names some."""
    title, sites = fold_words(evidence.title), _list_site_words(evidence)
    for source, strategy, confidence in _STRATEGIES:
        names: dict[str, str] = {}
        for name in strategy(evidence):
            words = fold_words(name)
            if words != title and (words not in sites or strategy in _MAY_BE_SITE):
                names.setdefault(words, name)
        if names:
            return Found(tuple(names.values())[:_MAX_AUTHORS], source, confidence)
    return None


def _list_site_words(evidence: Evidence) -> set[str]:
    """All that the page calls its site and its publisher."""
    metadata = evidence.metadata
    publishers = [thing for thing in metadata.article_things("publisher") if isinstance(thing, Item)][:_MAX_NAMES]
    names = [name for publisher in publishers for name in publisher.texts("name")[:_MAX_NAMES]]
    names += islice(
        metadata.meta_texts("dc.publisher", "publisher", "copyright", "twitter:app:name:iphone"), _MAX_NAMES
    )
    return {evidence.site_words, *map(fold_words, names)}


def _persons_in_json_ld(evidence: Evidence) -> Iterator[str]:
    metadata = evidence.metadata
    things = (*metadata.article_things("author"), *metadata.article_things("creator")) or metadata.page_things("author")
    persons = (thing for thing in things if isinstance(thing, str) or not _is_organization_item(thing))
    for text in dict.fromkeys(text for person in persons for text in _list_names(person)):
        yield from clean_names(text)


def _is_organization_item(thing: Item) -> bool:
    return any(name.endswith(("Organization", "WebSite")) for name in thing.types)


def _list_names(person: str | Item) -> list[str]:
    if isinstance(person, str):
        return [person]
    if texts := person.texts("name"):
        return texts[:_MAX_AUTHORS]
    given, family = person.texts("givenName"), person.texts("familyName")
    return [f"{given[0]} {family[0]}"] if given and family else []


_META_NAMES = tuple(
    """author article:author article:author_name og:article:author og:author parsely-author sailthru.author dc.creator
    dcterms.creator dc.contributor cxenseparse:author byl byline authors articleauthor article_author citation_author
    lp.article:author story:author dable:author taboola:author rbauthors dcsext.author creator reporter""".split()
)
# As library catalogues write them, "Doe, Jane": the examples of Dublin Core, and what Google Scholar asks for.
_SURNAME_FIRST = frozenset(("dc.creator", "dcterms.creator", "dc.contributor", "citation_author"))


def _in_meta(evidence: Evidence) -> list[str]:
    for key in _META_NAMES:
        texts = evidence.metadata.meta.get(key)
        if not texts:
            continue
        is_surname_first = key in _SURNAME_FIRST
        names = [name for text in texts for name in clean_names(text, is_surname_first=is_surname_first)]
        # One word is often the company's; as a person's it counts only when it is not the site's.
        names = [name for name in names if " " in name or not is_site_name(name, evidence)]
        if names:
            return names
    return []


def _in_microdata(evidence: Evidence) -> Iterator[str]:
    properties = evidence.metadata.microdata
    name_in = {item.scope: item.value for item in reversed(properties) if item.name == "name"}  # the first of each item
    authors = [
        item
        for item in properties
        if item.name in ("author", "creator")
        and (not item.type or is_article_type(item.type))
        and not item.own_type.endswith("Organization")
    ]
    if len(authors) > 1:  # those of other articles or of comments may be among them
        head, body = evidence.head_rows(), evidence.body_rows()
        own = [item for item in authors if item.row in head] or [item for item in authors if item.row in body]
        authors = own or authors[:1]
    for author in authors[:_MAX_LINKS]:
        text = name_in.get(author.row)
        if text is None:
            text = author.value or evidence.text_below(author.row, gap=" ")
        yield from clean_names(text)


def _in_author_links(evidence: Evidence) -> Iterator[str]:
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


def _in_links_to_authors(evidence: Evidence) -> list[str]:
    """Read links around the headline that lead to the page of a person."""
    nodes, rows = evidence.page.nodes, evidence.head_rows()
    links = [row for row in rows if nodes.tag[row] == "a"]
    for row, address in zip(links, nodes.attrs.get_all(links, "href"), strict=True):
        if not address or not _ADDRESS.search(address[:300].lower()):
            continue
        text = evidence.text_below(row, gap=" ")
        if len(text) <= _MAX_LINE and (names := _capitalised_only(text, evidence)):
            return names
    return []


_CLASS = re.compile(r"by-?line|author(?!i)|creator|writer|journalist|contributor")
_CLASS_NOT = re.compile(r"bio|avatar|image|img|photo|related|comment|social|follow|about|count|thumb|icon")


def _in_byline_elements(evidence: Evidence) -> list[str]:
    """Read the innermost elements around the headline whose class says that they hold the author."""
    return next(_read_byline_elements(evidence, evidence.head_rows()), [])


def _in_signatures(evidence: Evidence) -> list[str]:
    """Read such elements beside and below the text, if all of them name the same people."""
    head, tail = evidence.head_rows(), evidence.tail()
    stop = evidence.blocks.last[tail.stop - 1] + 1 if tail else head.stop
    found = list(_read_byline_elements(evidence, range(head.stop, min(stop, head.stop + _MAX_ROWS))))
    return found[0] if found and all(names == found[0] for names in found) else []


def _read_byline_elements(evidence: Evidence, rows: range) -> Iterator[list[str]]:
    nodes = evidence.page.nodes
    pairs = zip(nodes.attrs.get_all(rows, "class"), nodes.attrs.get_all(rows, "id"), strict=True)
    names_by_row = [name or other for name, other in pairs]
    fitting = {name for name in set(names_by_row) if name and _is_byline_class(name.lower())}
    found: list[int] = []
    for row, name in zip(rows, names_by_row, strict=True) if fitting else ():
        if name in fitting:
            if found and row < nodes.end[found[-1]]:
                found.pop()
            found.append(row)
    for row in found:
        text = evidence.text_below(row, gap=" ")
        if len(text) <= _MAX_LINE and (names := _persons_only(clean_names(text, is_strict=True), evidence)):
            yield names


def _is_byline_class(name: str) -> bool:
    return _CLASS.search(name) is not None and not _CLASS_NOT.search(name)


def _in_byline_blocks(evidence: Evidence) -> list[str]:
    """Read blocks that the method calls by-lines, and short ones around the text that begin like one."""
    blocks, roles = evidence.blocks, evidence.labels.roles
    for block in (*evidence.head(), *evidence.tail()):
        if len(blocks.text[block]) > _MAX_LINE or blocks.has(block, tags.HIDDEN) or block == evidence.title_block:
            continue
        # The space: <span>By</span><a>Jane Doe</a> is two words to a reader.
        text = evidence.text_between(blocks.first[block], blocks.last[block] + 1, gap=" ")
        if not (roles[block] is Role.BYLINE or starts_like_byline(text)):
            text = find_signature(text)
        if text and (names := _persons_only(clean_names(text, is_strict=True), evidence)):
            return names
    return []


def _beside_date(evidence: Evidence) -> list[str]:
    """Read a name that shares a line with a date, below the headline: "5 May 2021 • Jane Doe"."""
    blocks = evidence.blocks
    for block in evidence.head() if evidence.title_block >= 0 else ():
        text = blocks.text[block]
        is_fit = evidence.title_block < block <= evidence.title_block + _MAX_BESIDE and len(text) <= _MAX_LINE
        if not is_fit or not _DIGIT.search(text) or blocks.has(block, tags.HIDDEN):
            continue
        line = evidence.text_between(blocks.first[block], blocks.last[block] + 1, gap=" | ")
        if not find_written_date(line):
            continue
        for part in _PARTS.split(line):
            if names := _capitalised_only(part, evidence):
                return names
    return []


def _capitalised_only(text: str, evidence: Evidence) -> list[str]:
    """Read names where nothing but their look says that they are; a script without capitals does not show it."""
    return [name for name in _persons_only(clean_names(text, is_strict=True), evidence) if name[0].isupper()]


def _persons_only(names: list[str], evidence: Evidence) -> list[str]:
    return [name for name in names if not is_site_name(name, evidence)]


# Agencies and the like; that the site wrote its own article says nothing.


def _organizations_in_json_ld(evidence: Evidence) -> Iterator[str]:
    for thing in evidence.metadata.article_things("author"):
        is_stated = isinstance(thing, Item) and _is_organization_item(thing)
        yield from _organizations_only(_list_names(thing)[:_MAX_NAMES], evidence, is_stated=is_stated)


def _organizations_in_meta(evidence: Evidence) -> Iterator[str]:
    return _organizations_only(evidence.metadata.meta_texts("author"), evidence)


def _owner(evidence: Evidence) -> Iterator[str]:
    """Read an author who is called as the site is: a person's own site."""
    things = [*evidence.metadata.article_things("author"), *evidence.metadata.article_things("creator")]
    persons = (thing for thing in things if isinstance(thing, str) or not _is_organization_item(thing))
    texts = (text for person in persons for text in _list_names(person))
    for text in (*islice(texts, _MAX_NAMES), *islice(evidence.metadata.meta_texts("author"), _MAX_NAMES)):
        yield from clean_names(text, is_strict=True)[:1]


def _organizations_only(texts: Iterable[str], evidence: Evidence, *, is_stated: bool = False) -> Iterator[str]:
    for text in clean_texts(texts):
        if is_organization(text, is_stated=is_stated) and not is_site_name(text, evidence):
            yield text


# Source, strategy, and the share of its names that are right on train pages (as if nine of ten more were).
_STRATEGIES: tuple[tuple[str, _Strategy, float], ...] = (
    ("json-ld", _persons_in_json_ld, 0.97),
    ("meta", _in_meta, 0.87),
    ("microdata", _in_microdata, 0.71),
    ("link", _in_author_links, 0.94),
    ("html", _in_byline_elements, 0.96),
    ("text", _in_byline_blocks, 0.92),
    ("link", _in_links_to_authors, 0.87),
    ("text", _beside_date, 0.85),
    ("html", _in_signatures, 0.9),
    ("json-ld", _organizations_in_json_ld, 0.87),
    ("meta", _organizations_in_meta, 0.83),
    ("site", _owner, 0.94),
)
_MAY_BE_SITE = frozenset((_owner,))
