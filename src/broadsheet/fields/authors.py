"""Who wrote the article. No author is better than a wrong one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from broadsheet.blocks import Role, tags
from broadsheet.features import fold_words
from broadsheet.fields.clean import clean_text
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found
from broadsheet.fields.names import clean_names, find_signature, is_organization, starts_like_byline
from broadsheet.fields.site_name import is_site_name
from broadsheet.page import TEXT
from broadsheet.page.json_ld import Item
from broadsheet.page.metadata import is_article_type

_MAX_AUTHORS = 20
_MAX_LINE = 150
_Strategy = Callable[[Evidence], Iterable[str]]


def find_authors(evidence: Evidence) -> Found[tuple[str, ...]] | None:
    """Find the authors' names, of the first place that names some."""
    for source, strategy in _STRATEGIES:
        names: dict[str, str] = {}
        for name in strategy(evidence):
            words = fold_words(name)
            if words not in (fold_words(evidence.title), evidence.site_words):
                names.setdefault(words, name)
        if names:
            return Found(tuple(names.values())[:_MAX_AUTHORS], source)
    return None


def _persons_in_json_ld(evidence: Evidence) -> Iterator[str]:
    metadata = evidence.metadata
    for thing in (*metadata.article_things("author"), *metadata.article_things("creator")) or metadata.page_things(
        "author"
    ):
        if isinstance(thing, str):
            yield from clean_names(thing)
        elif not _is_organization_item(thing):
            yield from _names_of(thing)


def _is_organization_item(thing: Item) -> bool:
    return any(name.endswith(("Organization", "WebSite")) for name in thing.types)


def _names_of(person: Item) -> Iterator[str]:
    texts = person.texts("name")
    if not texts:
        given, family = person.texts("givenName"), person.texts("familyName")
        texts = [f"{given[0]} {family[0]}"] if given and family else []
    for text in texts:
        yield from clean_names(text)


_META_NAMES = tuple(
    """author article:author article:author_name og:article:author og:author parsely-author sailthru.author dc.creator
    dcterms.creator dc.contributor cxenseparse:author byl byline authors articleauthor article_author citation_author
    lp.article:author story:author dable:author taboola:author rbauthors dcsext.author creator reporter""".split()
)


def _in_meta(evidence: Evidence) -> list[str]:
    for key in _META_NAMES:
        names = [name for text in evidence.metadata.meta.get(key, ()) for name in clean_names(text)]
        # One word is often the company's; as a person's it counts only when it is not the site's.
        names = [name for name in names if " " in name or not is_site_name(name, evidence)]
        if names:
            return names
    return []


def _in_microdata(evidence: Evidence) -> Iterator[str]:
    properties = evidence.metadata.microdata
    for author in properties:
        if author.name not in ("author", "creator") or (author.type and not is_article_type(author.type)):
            continue
        if author.own_type.endswith("Organization"):
            continue
        inner = [item.value for item in properties if item.scope == author.row and item.name == "name"]
        for text in inner[:1] or [
            author.value or _spaced_text(evidence, author.row, evidence.page.nodes.end[author.row])
        ]:
            yield from clean_names(text)


def _in_author_links(evidence: Evidence) -> Iterator[str]:
    rows = evidence.head_rows()
    for row in evidence.metadata.anchors.get("author", ()):
        if row in rows:
            yield from clean_names(evidence.page.nodes.text_of(row))


_CLASS = re.compile(r"by-?line|author(?!i)|creator|writer|journalist|contributor", re.IGNORECASE)
_CLASS_NOT = re.compile(
    r"bio|avatar|image|img|photo|related|comment|social|follow|about|count|thumb|icon", re.IGNORECASE
)


def _in_byline_elements(evidence: Evidence) -> list[str]:
    """Read the innermost elements around the headline whose class says that they hold the author."""
    nodes = evidence.page.nodes
    found: list[int] = []
    for row in evidence.head_rows():
        name = nodes.attr(row, "class") or nodes.attr(row, "id")
        if name and _CLASS.search(name) and not _CLASS_NOT.search(name):
            if found and row < nodes.end[found[-1]]:
                found.pop()
            found.append(row)
    for row in found:
        text = _spaced_text(evidence, row, nodes.end[row])
        if len(text) <= _MAX_LINE and (names := _persons_only(clean_names(text, is_strict=True), evidence)):
            return names
    return []


def _in_byline_blocks(evidence: Evidence) -> list[str]:
    """Read blocks that the method calls by-lines, and short ones around the text that begin like one."""
    blocks, roles = evidence.blocks, evidence.labels.roles
    for block in (*evidence.head(), *evidence.tail()):
        if len(blocks.text[block]) > _MAX_LINE or blocks.has(block, tags.HIDDEN) or block == evidence.title_block:
            continue
        text = _spaced_text(evidence, blocks.first[block], blocks.last[block] + 1)
        if not (roles[block] is Role.BYLINE or starts_like_byline(text)):
            text = find_signature(text)
        if text and (names := _persons_only(clean_names(text, is_strict=True), evidence)):
            return names
    return []


def _persons_only(names: list[str], evidence: Evidence) -> list[str]:
    return [name for name in names if not is_site_name(name, evidence)]


def _spaced_text(evidence: Evidence, start: int, stop: int) -> str:
    """Text of node rows, with a space between elements: <span>By</span><a>Jane Doe</a> is two words to a reader."""
    nodes = evidence.page.nodes
    return " ".join(" ".join(nodes.text[row] for row in range(start, stop) if nodes.tag[row] == TEXT).split())


def _organizations(evidence: Evidence) -> Iterator[str]:
    """Name agencies and the like; that the site wrote its own article says nothing."""
    for thing in (*evidence.metadata.article_things("author"), *evidence.metadata.meta_texts("author")):
        for raw in [thing] if isinstance(thing, str) else thing.texts("name"):
            text = clean_text(raw)
            is_stated = isinstance(thing, Item) and _is_organization_item(thing)
            if is_organization(text, is_stated=is_stated) and not is_site_name(text, evidence):
                yield text


_STRATEGIES: tuple[tuple[str, _Strategy], ...] = (
    ("json-ld", _persons_in_json_ld),
    ("meta", _in_meta),
    ("microdata", _in_microdata),
    ("link", _in_author_links),
    ("html", _in_byline_elements),
    ("text", _in_byline_blocks),
    ("meta", _organizations),
)
