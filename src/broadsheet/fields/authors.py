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
from broadsheet.page.json_ld import Item
from broadsheet.page.metadata import is_article_type

_MAX_AUTHORS = 20
_MAX_NAMES = 5  # of one organisation
_MAX_LINKS = 50
_MAX_LINE = 150
_Strategy = Callable[[Evidence], Iterable[str]]


def find_authors(evidence: Evidence) -> Found[tuple[str, ...]] | None:
    """Find the authors' names, of the first place that names some."""
    others = (fold_words(evidence.title), evidence.site_words)
    for source, strategy in _STRATEGIES:
        names: dict[str, str] = {}
        for name in strategy(evidence):
            words = fold_words(name)
            if words not in others:
                names.setdefault(words, name)
        if names:
            return Found(tuple(names.values())[:_MAX_AUTHORS], source)
    return None


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
    for author in properties:
        if author.name not in ("author", "creator") or (author.type and not is_article_type(author.type)):
            continue
        if author.own_type.endswith("Organization"):
            continue
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


_CLASS = re.compile(r"by-?line|author(?!i)|creator|writer|journalist|contributor")
_CLASS_NOT = re.compile(r"bio|avatar|image|img|photo|related|comment|social|follow|about|count|thumb|icon")


def _in_byline_elements(evidence: Evidence) -> list[str]:
    """Read the innermost elements around the headline whose class says that they hold the author."""
    nodes, rows = evidence.page.nodes, evidence.head_rows()
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
            return names
    return []


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


def _persons_only(names: list[str], evidence: Evidence) -> list[str]:
    return [name for name in names if not is_site_name(name, evidence)]


# Agencies and the like; that the site wrote its own article says nothing.


def _organizations_in_json_ld(evidence: Evidence) -> Iterator[str]:
    for thing in evidence.metadata.article_things("author"):
        is_stated = isinstance(thing, Item) and _is_organization_item(thing)
        yield from _organizations_only(_list_names(thing)[:_MAX_NAMES], evidence, is_stated=is_stated)


def _organizations_in_meta(evidence: Evidence) -> Iterator[str]:
    return _organizations_only(evidence.metadata.meta_texts("author"), evidence)


def _organizations_only(texts: Iterable[str], evidence: Evidence, *, is_stated: bool = False) -> Iterator[str]:
    for text in clean_texts(texts):
        if is_organization(text, is_stated=is_stated) and not is_site_name(text, evidence):
            yield text


_STRATEGIES: tuple[tuple[str, _Strategy], ...] = (
    ("json-ld", _persons_in_json_ld),
    ("meta", _in_meta),
    ("microdata", _in_microdata),
    ("link", _in_author_links),
    ("html", _in_byline_elements),
    ("text", _in_byline_blocks),
    ("json-ld", _organizations_in_json_ld),
    ("meta", _organizations_in_meta),
)
