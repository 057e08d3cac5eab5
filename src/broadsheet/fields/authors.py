"""The authors of the article, people and organizations. No author is better than a wrong one.

Names in the metadata are trusted if the page also shows them, or if only a link names somebody else. `shown_authors.py`
reads the names that the page shows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from broadsheet.fields import shown_authors
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.names import (
    has_case,
    is_agency,
    is_name,
    is_organization,
    is_team,
    parse_names,
    parse_organizations,
)
from broadsheet.fields.site_name import are_site_words, is_site_name
from broadsheet.fields.stated import Strategy
from broadsheet.fields.value import FieldValue, clean_texts
from broadsheet.html.normalize import normalize_text
from broadsheet.page.json_ld import Item
from broadsheet.page.metadata import Property, is_article_type
from broadsheet.text import fold_words

PERSON, ORGANIZATION = "person", "organization"  # kinds of authors
_MAX_AUTHORS = 20
_MAX_NAMES = 5  # of an organization, and of the owner of a site
_MAX_MICRODATA_AUTHORS = 50
_MAX_LINE_CHARS = 300  # of a block that may show a name
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_FIRST_COMBINING = "\u0300"  # the first character that combines with the one before it
_NEWSPAPER_ARTICLES = frozenset("le la les il lo el los las o a os de het".split())  # Le Courrier, El Diario, O Globo


@dataclass(frozen=True, slots=True)
class _AuthorStrategy(Strategy[str]):
    """A source of names."""

    unshown_confidence: float | None = None  # for metadata: confidence if the page does not show the names
    is_last_resort: bool = False  # used only if there are no names in the metadata, shown or not
    may_be_site: bool = False  # accepts a name that is also the name of the site
    outweighed_by: int = 3  # number of sources in the metadata that state the same full name and count more


def find_authors(evidence: Evidence) -> FieldValue[tuple[str, ...]] | None:
    """Find the authors: people, then the organizations that the metadata name beside them."""
    excluded = _ExcludedNames(evidence)
    people = _find_people(evidence, excluded)
    if people is None:
        return None
    names = {fold_words(name): name for name in people.value}
    for name in excluded.drop(_read_stated_organizations(evidence), may_be_site=False):
        names.setdefault(fold_words(name), name)
    return people._replace(value=tuple(names.values())[:_MAX_AUTHORS])


def find_author_kinds(evidence: Evidence) -> FieldValue[tuple[str, ...]] | None:
    """Tell for each author whether it is a person or an organization."""
    if not evidence.authors:
        return None
    stated = {fold_words(name) for name in _read_json_ld_organizations(evidence)}
    kinds = tuple(
        ORGANIZATION if fold_words(name) in stated or _names_organization(name, evidence) else PERSON
        for name in evidence.authors
    )
    return FieldValue(kinds, "names")


def _names_organization(name: str, evidence: Evidence) -> bool:
    return is_organization(name) or not is_name(name) or (" " not in name and is_site_name(name, evidence))


def _find_people(evidence: Evidence, excluded: _ExcludedNames) -> FieldValue[tuple[str, ...]] | None:
    """Find names of the metadata that the page shows, then other names it shows, then other metadata."""
    unshown: FieldValue[tuple[str, ...]] | None = None  # names in the metadata that the page does not show
    sources_of_unshown = 0  # that state a full name of `unshown`
    head = ""
    for strategy in _STRATEGIES:
        if strategy.is_last_resort and unshown:
            return unshown
        if sources_of_unshown >= strategy.outweighed_by:
            continue
        names = excluded.drop(strategy.read(evidence), may_be_site=strategy.may_be_site)
        if not names:
            continue
        if strategy.unshown_confidence is None:
            is_login = unshown and not any(map(_is_full, names))
            return unshown if is_login else FieldValue(names, strategy.source, strategy.confidence)
        head = head or _write_head(evidence)
        if any(_is_shown(name, head) for name in names):
            return FieldValue(names, strategy.source, strategy.confidence)
        unshown = unshown or FieldValue(names, strategy.source, strategy.unshown_confidence)
        if any(_is_full(name) and name in unshown.value for name in names):
            sources_of_unshown += 1
    return unshown


def _is_full(name: str) -> bool:
    """Return True unless a name may be a login, or a first name."""
    return " " in name or not has_case(name)


class _ExcludedNames:
    """Names that are not authors: the title, the site and its publisher."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._host = evidence.host
        self._title_words = fold_words(evidence.title)
        self._site_words = _list_site_words(evidence)

    def drop(self, names: Iterable[str], *, may_be_site: bool) -> tuple[str, ...]:
        """Return the other names, without duplicates."""
        by_words: dict[str, str] = {}
        for name in names:
            words = fold_words(name)
            if words == self._title_words or self._are_initials_of_host(words):
                continue
            if may_be_site or not self._is_site_name(words):
                by_words.setdefault(words, name)
        return tuple(by_words.values())[:_MAX_AUTHORS]

    def _is_site_name(self, words: str) -> bool:
        """Return True for the names of the site and its publisher, and for one word that is the host name."""
        return words in self._site_words or (" " not in words and are_site_words(words, self._evidence))

    def _are_initials_of_host(self, words: str) -> bool:
        """Return True for "Daily Planet" at dp.example: initials of the longest label, never of "en." or ".co."."""
        initials = "".join(word[0] for word in words.split())
        return len(initials) > 1 and initials == max(self._host.split(".")[:-1], key=len, default="")


def _list_site_words(evidence: Evidence) -> set[str]:
    """Return the folded names of the site and its publisher."""
    metadata = evidence.metadata
    publishers = [thing for thing in metadata.article_things("publisher") if isinstance(thing, Item)][:_MAX_NAMES]
    names = [name for publisher in publishers for name in publisher.texts("name")[:_MAX_NAMES]]
    names += islice(
        metadata.meta_texts("dc.publisher", "publisher", "copyright", "twitter:app:name:iphone"), _MAX_NAMES
    )
    return {evidence.site_words, *map(fold_words, names)}


def _write_head(evidence: Evidence) -> str:
    """Return the text around the headline in comparable form; never empty."""
    texts = (evidence.blocks.text[block][:_MAX_LINE_CHARS] for block in evidence.head_blocks())
    return _write_comparable("\n".join(texts))


def _write_comparable(text: str) -> str:
    """Return the words in lower case without accents, with a space around each."""
    if not text.isascii():
        text = _NON_ASCII.sub(_strip_accents, text)
    return f" {fold_words(text)} "


def _strip_accents(match: re.Match[str]) -> str:
    return _decompose(match[0])


@lru_cache(maxsize=1024)  # in most languages a few letters with accents
def _decompose(text: str) -> str:
    """Decompose characters, without accents. ASCII characters around them would not change."""
    chars = normalize_text(text, "NFKD")
    return "".join([char for char in chars if char < _FIRST_COMBINING or not unicodedata.combining(char)])


def _is_shown(name: str, head: str) -> bool:
    """Return True if a name is in the head, possibly without middle names."""
    comparable = _write_comparable(name)
    if not has_case(name):  # scripts without case have no spaces around names
        return comparable.strip() in head
    words = comparable.split()
    return comparable in head or (len(words) > 2 and f" {words[0]} " in head and f" {words[-1]} " in head)


# Persons in the metadata.


def _read_json_ld(evidence: Evidence) -> Iterator[str]:
    metadata = evidence.metadata
    things = (*metadata.article_things("author"), *metadata.article_things("creator")) or metadata.page_things("author")
    persons = (thing for thing in things if not _is_organization_item(thing))
    for text in dict.fromkeys(text for person in persons for text in _read_item_names(person)):
        yield from _parse_stated_names(text, evidence)


def _parse_stated_names(text: str, evidence: Evidence, *, is_surname_first: bool = False) -> list[str]:
    """Parse names of the metadata. "Doe, Jane" is one person if the page shows "Jane Doe"."""
    names = parse_names(text, is_surname_first=is_surname_first)
    if names or is_surname_first or "," not in text:
        return names
    head = _write_head(evidence)
    return [name for name in parse_names(text, is_surname_first=True) if _is_shown(name, head)]


def _is_organization_item(thing: str | Item) -> bool:
    return isinstance(thing, Item) and any(name.endswith(("Organization", "WebSite")) for name in thing.types)


def _read_item_names(person: str | Item) -> list[str]:
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
_ORGANIZATION_META_NAMES = ("author", "article:author", "byl", "parsely-author", "sailthru.author", "dc.creator")
# Written as in library catalogues, "Doe, Jane": by the examples of Dublin Core and the rules of Google Scholar.
_SURNAME_FIRST_META_NAMES = frozenset(("dc.creator", "dcterms.creator", "dc.contributor", "citation_author"))


def _read_meta(evidence: Evidence) -> list[str]:
    for key in _META_NAMES:
        texts = evidence.metadata.meta.get(key)
        if not texts:
            continue
        is_surname_first = key in _SURNAME_FIRST_META_NAMES
        names = [
            name for text in texts for name in _parse_stated_names(text, evidence, is_surname_first=is_surname_first)
        ]
        # A single word is often the company's name: it counts only if it is not the name of the site.
        names = [name for name in names if " " in name or not is_site_name(name, evidence)]
        if names:
            return names
    return []


def _read_microdata(evidence: Evidence) -> Iterator[str]:
    properties = evidence.metadata.microdata
    first_names = {item.scope: item.value for item in reversed(properties) if item.name == "name"}  # by item
    for author in _choose_microdata_authors(evidence)[:_MAX_MICRODATA_AUTHORS]:
        text = first_names.get(author.row)
        if text is None:
            yield from _read_property_names(author, evidence)
        else:
            yield from parse_names(text)


def _read_property_names(author: Property, evidence: Evidence) -> list[str]:
    """Read the names of a property. Elements inside it are separate parts: `Jane Doe<span>Reporter</span>`."""
    shown = evidence.text_below(author.row, gap=" ")
    if author.value and author.value.replace(" ", "") != shown.replace(" ", ""):  # an attribute
        return parse_names(author.value)
    parts = [] if shown == author.value else shown_authors.read_parts(evidence, author.row)
    return parts or parse_names(shown)


def _choose_microdata_authors(evidence: Evidence) -> list[Property]:
    """Return the persons that are authors; of several, only those of this article, not of comments or others."""
    authors = [
        item
        for item in evidence.metadata.microdata
        if item.name in ("author", "creator")
        and (not item.type or is_article_type(item.type))
        and not item.value_type.endswith("Organization")
        and not shown_authors.is_in_figure(evidence, item.row)
    ]
    if len(authors) < 2:
        return authors
    head, body = evidence.head_rows(), evidence.body_rows()
    near = [item for item in authors if item.row in head] or [item for item in authors if item.row in body]
    node_end = evidence.page.nodes.end
    return near or [item for item in authors if 0 <= item.scope <= body.start < node_end[item.scope]][:1]


# Organizations and owners in the metadata.


def _read_json_ld_organizations(evidence: Evidence) -> Iterator[str]:
    for thing in evidence.metadata.article_things("author"):
        texts = _read_item_names(thing)[:_MAX_NAMES]
        yield from _keep_organizations(texts, evidence, is_stated=_is_organization_item(thing))


def _read_meta_organizations(evidence: Evidence) -> Iterator[str]:
    return _keep_organizations(islice(evidence.metadata.meta_texts(*_ORGANIZATION_META_NAMES), _MAX_NAMES), evidence)


def _read_stated_organizations(evidence: Evidence) -> Iterator[str]:
    """Read the organizations that the metadata name beside people: those of JSON-LD, and agencies.

    Other abbreviations beside a person are degrees, and other names mostly that of the employer.
    """
    things = [thing for thing in evidence.metadata.article_things("author") if _is_organization_item(thing)]
    texts = (text for thing in things for text in _read_item_names(thing)[:_MAX_NAMES])
    yield from (name for name in _keep_organizations(texts, evidence, is_stated=True) if not is_team(name))
    yield from (name for name in _read_json_ld_organizations(evidence) if is_agency(name))
    yield from (name for name in _read_meta_organizations(evidence) if is_agency(name))


def _keep_organizations(texts: Iterable[str], evidence: Evidence, *, is_stated: bool = False) -> Iterator[str]:
    """Yield names of agencies and other organizations, except the site's own name."""
    for text in clean_texts(texts):
        for name in parse_organizations(text, is_stated=is_stated):
            if not is_site_name(name, evidence):
                yield name


def _read_owner(evidence: Evidence) -> Iterator[str]:
    """Read persons whose name is also the name of the site: a personal site."""
    things = [*evidence.metadata.article_things("author"), *evidence.metadata.article_things("creator")]
    persons = (thing for thing in things if not _is_organization_item(thing))
    texts = (text for person in persons for text in _read_item_names(person))
    for text in (*islice(texts, _MAX_NAMES), *islice(evidence.metadata.meta_texts("author"), _MAX_NAMES)):
        if text.split(" ")[0].casefold() not in _NEWSPAPER_ARTICLES:
            yield from parse_names(text, is_strict=True)[:1]


# The confidence is the share of right answers on train pages, smoothed with a prior of 9 correct out of 10. It is lower
# where few labelled pages use a strategy and its answers on unlabelled pages, checked by hand, were worse.
_STRATEGIES = (
    _AuthorStrategy("json-ld", _read_json_ld, 0.97, unshown_confidence=0.9),
    _AuthorStrategy("meta", _read_meta, 0.94, unshown_confidence=0.8),
    _AuthorStrategy("microdata", _read_microdata, 0.88),
    _AuthorStrategy("link", shown_authors.read_author_links, 0.91, outweighed_by=2),
    _AuthorStrategy("html", shown_authors.read_byline_elements, 0.93),
    _AuthorStrategy("text", shown_authors.read_byline_blocks, 0.95),
    _AuthorStrategy("text", shown_authors.read_labelled_blocks, 0.95, outweighed_by=2),
    _AuthorStrategy("link", shown_authors.read_profile_links, 0.92, outweighed_by=1),
    _AuthorStrategy("link", shown_authors.read_first_names, 0.9, is_last_resort=True),
    _AuthorStrategy("text", shown_authors.read_names_beside_date, 0.7, is_last_resort=True),
    _AuthorStrategy("html", shown_authors.read_signatures, 0.8, is_last_resort=True),
    _AuthorStrategy("text", shown_authors.read_signature_lines, 0.8, is_last_resort=True),
    _AuthorStrategy("json-ld", _read_json_ld_organizations, 0.8, is_last_resort=True),
    _AuthorStrategy("meta", _read_meta_organizations, 0.8, is_last_resort=True),
    _AuthorStrategy("site", _read_owner, 0.9, is_last_resort=True, may_be_site=True),
    _AuthorStrategy("text", shown_authors.read_byline_organizations, 0.85, is_last_resort=True, may_be_site=True),
    _AuthorStrategy("text", shown_authors.read_single_names, 0.8, is_last_resort=True),
    _AuthorStrategy("text", shown_authors.read_editors, 0.8, is_last_resort=True),
)
