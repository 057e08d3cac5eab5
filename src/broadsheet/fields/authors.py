"""Who wrote the article. No author is better than a wrong one.

What is stated for machines counts where the page shows the same name; `shown_authors.py` reads what is shown.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from broadsheet.fields import shown_authors
from broadsheet.fields.clean import clean_texts
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found
from broadsheet.fields.names import clean_names, has_case, is_organization
from broadsheet.fields.site_name import is_site_name
from broadsheet.page.json_ld import Item
from broadsheet.page.metadata import is_article_type
from broadsheet.text import fold_words

_MAX_AUTHORS = 20
_MAX_NAMES = 5  # of one organisation
_MAX_ITEMS = 50  # of microdata
_MAX_LINE = 300  # of a block that may show a name
_Strategy = Callable[[Evidence], Iterable[str]]


def find_authors(evidence: Evidence) -> Found[tuple[str, ...]] | None:
    """Find the authors' names: as stated where the page shows them, else as shown, else as stated."""
    title, sites = fold_words(evidence.title), _list_site_words(evidence)
    unseen: Found[tuple[str, ...]] | None = None
    shown = ""
    for source, strategy, confidence in _STRATEGIES:
        if strategy in _LAST and unseen:
            return unseen
        names: dict[str, str] = {}
        for name in strategy(evidence):
            words = fold_words(name)
            if words == title or _is_initialled(words, evidence):
                continue
            if words not in sites or strategy in _MAY_BE_SITE:
                names.setdefault(words, name)
        if not names:
            continue
        found = Found(tuple(names.values())[:_MAX_AUTHORS], source, confidence)
        if strategy not in _SEEN:
            is_login = unseen and not any(" " in name or not has_case(name) for name in found.value)
            return unseen if is_login else found
        shown = shown or _write_head(evidence)
        if any(_is_shown(name, shown) for name in found.value):
            return found
        unseen = unseen or Found(found.value, source, _SEEN[strategy])
    return unseen


def _is_shown(name: str, text: str) -> bool:
    """Tell whether a name is in a plain text, maybe without the middle ones."""
    plain = _write_plainly(name)
    if not has_case(name):  # nor spaces around it
        return plain.strip() in text
    words = plain.split()
    return plain in text or (len(words) > 2 and f" {words[0]} " in text and f" {words[-1]} " in text)


def _write_plainly(text: str) -> str:
    """Write words in small letters without accents, a space around each."""
    if not text.isascii():
        text = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return f" {fold_words(text)} "


def _write_head(evidence: Evidence) -> str:
    """Text around the headline, written plainly; never empty."""
    return _write_plainly("\n".join(evidence.blocks.text[block][:_MAX_LINE] for block in evidence.head()))


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
        yield from _read_stated(text, evidence)


def _read_stated(text: str, evidence: Evidence, *, is_surname_first: bool = False) -> list[str]:
    """Read stated names; "Doe, Jane" is one person where the page shows "Jane Doe"."""
    names = clean_names(text, is_surname_first=is_surname_first)
    if names or is_surname_first or "," not in text:
        return names
    turned, shown = clean_names(text, is_surname_first=True), _write_head(evidence)
    return [name for name in turned if _is_shown(name, shown)]


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
        names = [name for text in texts for name in _read_stated(text, evidence, is_surname_first=is_surname_first)]
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
        and not item.value_type.endswith("Organization")
    ]
    if len(authors) > 1:  # those of other articles or of comments may be among them
        head, body = evidence.head_rows(), evidence.body_rows()
        own = [item for item in authors if item.row in head] or [item for item in authors if item.row in body]
        node_end = evidence.page.nodes.end
        authors = own or [item for item in authors if 0 <= item.scope <= body.start < node_end[item.scope]][:1]
    for author in authors[:_MAX_ITEMS]:
        text = name_in.get(author.row)
        if text is None:
            text = author.value or evidence.text_below(author.row, gap=" ")
        yield from clean_names(text)


def _is_initialled(words: str, evidence: Evidence) -> bool:
    """Tell whether the host name is the initials of some words: "Daily Planet" at dp.example; never en. or .co."""
    initials = "".join(word[0] for word in words.split())
    return len(initials) > 1 and initials == max(evidence.host.split(".")[:-1], key=len, default="")


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


# Source, strategy, and the share of its answers that are right on train pages (as if nine of ten more were); less
# where few have it and those read by eye on pages without labels were worse.
_STRATEGIES: tuple[tuple[str, _Strategy, float], ...] = (
    ("json-ld", _persons_in_json_ld, 0.97),
    ("meta", _in_meta, 0.94),
    ("microdata", _in_microdata, 0.88),
    ("link", shown_authors.read_author_links, 0.91),
    ("html", shown_authors.read_byline_elements, 0.93),
    ("text", shown_authors.read_byline_blocks, 0.95),
    ("link", shown_authors.read_profile_links, 0.92),
    ("link", shown_authors.read_first_names, 0.9),
    ("text", shown_authors.read_beside_date, 0.7),
    ("html", shown_authors.read_signatures, 0.8),
    ("json-ld", _organizations_in_json_ld, 0.8),
    ("meta", _organizations_in_meta, 0.8),
    ("site", _owner, 0.9),
    ("text", shown_authors.read_editors, 0.8),
)
# Statements that count when the names also stand around the headline, and how sure they are when they do not.
_SEEN: dict[_Strategy, float] = {_persons_in_json_ld: 0.9, _in_meta: 0.8}
_LAST = frozenset(
    (
        shown_authors.read_first_names,
        shown_authors.read_beside_date,
        shown_authors.read_signatures,
        _organizations_in_json_ld,
        _organizations_in_meta,
        _owner,
        shown_authors.read_editors,
    )
)
_MAY_BE_SITE = frozenset((_owner,))
