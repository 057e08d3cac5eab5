"""The metadata of a page: JSON-LD, meta elements, microdata and links. Collected here, interpreted in `fields`.

Only rows that can hold metadata are read: those that the node table lists by tag or by attribute. Microdata and links
of the text are read when a field first asks for them. All counts are bounded, so that a hostile page cannot slow down
the readers, which go through the metadata several times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

from broadsheet.page.addresses import strip_www
from broadsheet.page.json_ld import Item, JsonLd, read_json_ld
from broadsheet.page.nodes import Nodes
from broadsheet.text import fold_words

_MAX_PROPERTIES = 500
_MAX_VALUES = 200  # of one name
_MAX_ARTICLES = 20
_MAX_THINGS = 100  # values of one property in all articles; references can repeat
_MAX_TITLES = 10  # of the page and of an item, when they are compared
_MAX_TITLE_CHARS = 500
_MIN_HEADLINE_CHARS = 10  # a shorter one may be in the title by chance
# A microdata property with more text is the article itself, not a fact about it.
_MAX_TEXT_ROWS = 40
_MAX_TEXT_CHARS = 5_000


class Property(NamedTuple):  # created faster than a dataclass
    """A microdata property, or an RDFa property in the same notation: its value, and the item it belongs to."""

    name: str
    value: str
    row: int
    scope: int  # row of the item, -1 for none
    type: str  # of the item, without the address of the vocabulary; "" for none
    value_type: str = ""  # if the value is itself an item: the type of that item


@dataclass(frozen=True, eq=False)
class Metadata:
    """The metadata of a page."""

    nodes: Nodes = field(repr=False)
    json_ld: JsonLd
    articles: tuple[Item, ...]  # JSON-LD items that describe this page as an article, in document order
    pages: tuple[Item, ...]  # JSON-LD items that describe it as a page (WebPage)
    meta: Mapping[str, tuple[str, ...]]  # lower-case name, property, itemprop or http-equiv -> contents
    links: Mapping[str, tuple[str, ...]]  # <link>: rel -> addresses as written
    language: str  # <html lang>
    title: str  # <title>

    @cached_property
    def microdata(self) -> tuple[Property, ...]:
        """Microdata, and RDFa in the same notation."""
        rows = self.nodes.rows["[itemprop]"]
        return tuple(_PropertyReader(self.nodes).read(rows)) if rows else ()  # most pages have none

    @cached_property
    def anchors(self) -> Mapping[str, tuple[int, ...]]:
        """`<a>`: rel -> node rows."""
        anchors: dict[str, list[int]] = {}
        rows = self.nodes.rows["a[rel]"]
        for row, names in zip(rows, self.nodes.attrs.get_all(rows, "rel"), strict=True):
            for name in (names or "").lower().split():
                anchors.setdefault(name, []).append(row)
        return {name: tuple(rows) for name, rows in anchors.items()}

    def article_texts(self, name: str) -> list[str]:
        """Return all strings of a property of the article items."""
        return [text for item in self.articles for text in item.texts(name)]

    def article_things(self, name: str) -> list[str | Item]:
        """Return all strings and items of a property of the article items."""
        return self._list_things(self.articles, name)

    def page_things(self, name: str) -> list[str | Item]:
        """Return all strings and items of a property of the page items."""
        return self._list_things(self.pages, name)

    def page_texts(self, name: str) -> list[str]:
        """Return all strings of a property of the page items."""
        return [text for item in self.pages for text in item.texts(name)]

    def meta_texts(self, *names: str) -> Iterator[str]:
        """Yield the contents of the meta elements with these names, in the order of the names."""
        meta = self.meta
        for name in names:
            if name in meta:
                yield from meta[name]

    def _list_things(self, items: Iterable[Item], name: str) -> list[str | Item]:
        things = (thing for item in items for thing in self.json_ld.things(item, name))
        return list(islice(things, _MAX_THINGS))


def read_metadata(nodes: Nodes, url: str | None) -> Metadata:
    """Collect all metadata of a page. Never raises."""
    json_ld = read_json_ld(_read_scripts(nodes))
    meta, links = _read_meta(nodes), _read_links(nodes)
    title = _find_title(nodes)
    urls = (url or "", *links.get("canonical", ()), *meta.get("og:url", ()))
    titles = (title, *meta.get("og:title", ()))
    return Metadata(
        nodes=nodes,
        json_ld=json_ld,
        articles=tuple(_choose_articles(json_ld, urls, titles)[:_MAX_ARTICLES]),
        pages=tuple(item for item in json_ld.items if not item.parent_property and _is_page(item))[:_MAX_ARTICLES],
        meta={name: tuple(values[:_MAX_VALUES]) for name, values in meta.items()},
        links={name: tuple(values[:_MAX_VALUES]) for name, values in links.items()},
        language=nodes.attr(0, "lang") or nodes.attr(0, "xml:lang"),
        title=title,
    )


# "name" holds one name, those that follow may hold several.
_META_ATTRIBUTES = ("content", "value", "name", "property", "itemprop", "http-equiv")
_PROPERTY_ATTRIBUTES = ("itemprop", "property", "itemtype", "typeof", "itemscope")
_VOCABULARY_END = re.compile(r"[/#:]")
_ADDRESS_ATTRIBUTES = {  # tag -> the attribute that holds its microdata value
    **dict.fromkeys(("a", "area", "link"), "href"),
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    "object": "data",
    "data": "value",
    "meter": "value",
}


def _read_scripts(nodes: Nodes) -> list[str]:
    """Return the texts of the JSON-LD scripts."""
    rows = nodes.rows["script"]
    kinds = zip(rows, nodes.attrs.get_all(rows, "type"), strict=True)
    return ["".join(nodes.text[row : nodes.end[row]]) for row, kind in kinds if kind and "ld+json" in kind.lower()]


def _read_meta(nodes: Nodes) -> dict[str, list[str]]:
    """Return the contents of the meta elements by name."""
    meta: dict[str, list[str]] = {}
    rows = nodes.rows["meta"]
    for content, value, name, *others in nodes.attrs.get_rows(rows, _META_ATTRIBUTES):
        text = content or value
        if not text:
            continue
        if name:
            meta.setdefault(_fold_name(name), []).append(text)
        for names in filter(None, others):
            for other in names.split():
                meta.setdefault(_fold_name(other), []).append(text)
    return meta


def _read_links(nodes: Nodes) -> dict[str, list[str]]:
    """Return the addresses of the link elements by relation."""
    links: dict[str, list[str]] = {}
    for href, names in nodes.attrs.get_rows(nodes.rows["link"], ("href", "rel")):
        if href and names:
            for name in names.lower().split():
                links.setdefault(name, []).append(href)
    return links


class _PropertyReader:
    """Reads microdata, and RDFa in the same notation."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.properties: list[Property] = []
        self.scopes: list[tuple[int, int, str]] = []  # open items: row, end, type

    def read(self, rows: Sequence[int]) -> list[Property]:
        values = self.nodes.attrs.get_rows(rows, _PROPERTY_ATTRIBUTES)
        for row, (itemprop, rdfa_name, itemtype, rdfa_type, itemscope) in zip(rows, values, strict=True):
            value_type = _strip_vocabulary(itemtype or rdfa_type or "")
            self._read_property(row, itemprop or rdfa_name or "", value_type, is_item=itemscope is not None)
        return self.properties

    def _read_property(self, row: int, names: str, value_type: str, *, is_item: bool) -> None:
        while self.scopes and row >= self.scopes[-1][1]:
            self.scopes.pop()
        scope, _, scope_type = self.scopes[-1] if self.scopes else (-1, 0, "")
        budget = _MAX_PROPERTIES - len(self.properties)
        if names and budget > 0 and row > 0:
            value = self._read_value(row, is_item=is_item)
            for name in names.split(None, budget)[:budget]:
                short = _strip_vocabulary(name) if "/" in name or ":" in name else name
                self.properties.append(Property(short.lower(), value, row, scope, scope_type, value_type))
        if is_item:
            self.scopes.append((row, self.nodes.end[row], value_type))

    def _read_value(self, row: int, *, is_item: bool) -> str:
        """Read a value in the order of the HTML standard: content, address, time, text."""
        nodes = self.nodes
        if content := nodes.attr(row, "content"):
            return content
        tag = nodes.tag_of(row)
        if tag in _ADDRESS_ATTRIBUTES and not is_item:
            return nodes.attr(row, _ADDRESS_ATTRIBUTES[tag])
        if tag == "time" and (timestamp := nodes.attr(row, "datetime")):
            return timestamp
        texts = nodes.text[row : min(nodes.end[row], row + _MAX_TEXT_ROWS + 1)]
        if len(texts) > _MAX_TEXT_ROWS or sum(map(len, texts)) > _MAX_TEXT_CHARS:
            return ""
        return " ".join("".join(texts).split())


@lru_cache(maxsize=2048)  # pages share names
def _fold_name(name: str) -> str:
    name = name.strip().lower()
    if "#" in name:  # RDFa with the whole address: http://ogp.me/ns/article#author
        vocabulary, _, name = name.rpartition("#")
        name = f"article:{name}" if vocabulary.endswith("article") else f"og:{name}"
    return name


@lru_cache(maxsize=1024)
def _strip_vocabulary(name: str) -> str:
    """Reduce "http://schema.org/Person" or "schema:Person" to "Person"."""
    first = name.split(None, 1)[0] if name.strip() else ""
    return _VOCABULARY_END.split(first.rstrip("/"))[-1] if first else ""


def _find_title(nodes: Nodes) -> str:
    """Return the text of the first `<title>` that is not part of an SVG image."""
    for row in nodes.rows["title"]:
        if nodes.tag_of(nodes.parent[row]) not in ("svg", "g", "symbol", "defs", "a", "use", "path"):
            return nodes.text_of(row)
    return ""


# Choice of the JSON-LD items that describe the page.

_ARTICLE_TYPES = frozenset(("BlogPosting", "SocialMediaPosting", "LiveBlogPosting", "DiscussionForumPosting", "Report"))
_WEAK_TYPES = frozenset(("CreativeWork", "Review", "Recipe", "HowTo", "PodcastEpisode"))
_MAIN_PROPERTIES = frozenset(("", "mainEntity", "mainEntityOfPage", "article"))


def is_article_type(name: str) -> bool:
    """Tell whether a schema.org type is an article: NewsArticle, BlogPosting, ..."""
    return name.lower().endswith("article") or name in _ARTICLE_TYPES


def _is_page(item: Item) -> bool:
    return any(name.endswith("Page") for name in item.types)


def _choose_articles(json_ld: JsonLd, urls: Iterable[str], titles: Iterable[str]) -> list[Item]:
    """Choose the items that describe this page, not another page that it mentions."""
    candidates = [
        item
        for item in json_ld.items
        if item.parent_property in _MAIN_PROPERTIES and any(map(is_article_type, item.types))
    ]
    if not candidates:
        candidates = [
            item for item in json_ld.items if not item.parent_property and not _WEAK_TYPES.isdisjoint(item.types)
        ]
    if len(candidates) < 2:
        return candidates
    page_urls = {folded for url in urls if (folded := _fold_url(url))}
    page_titles = [folded for title in islice(dict.fromkeys(titles), _MAX_TITLES) if (folded := _fold_title(title))]
    matches = [item for item in candidates if _has_url(item, page_urls) or _has_title(item, page_titles)]
    if matches:
        return matches
    headlines = {_fold_title(text) for item in candidates for text in item.texts("headline")}
    if len(headlines) < 2:
        return candidates
    # Of two items, the first is the page's. More items with different headlines are a list of other articles.
    return candidates[:1] if len(candidates) < 3 else []


def _has_url(item: Item, page_urls: set[str]) -> bool:
    urls = [*item.texts("url"), *item.texts("@id")]
    main = item.values.get("mainEntityOfPage")
    if isinstance(main, str):
        urls.append(main)
    elif isinstance(main, dict):
        urls += (value for key in ("@id", "url") if isinstance(value := main.get(key), str))
    return any(_fold_url(url) in page_urls for url in urls)


def _has_title(item: Item, page_titles: list[str]) -> bool:
    texts = (*item.texts("headline")[:_MAX_TITLES], *item.texts("name")[:_MAX_TITLES])
    headlines = [headline for headline in map(_fold_title, texts) if len(headline) > _MIN_HEADLINE_CHARS]
    return any(headline in title for headline in headlines for title in page_titles)


def _fold_url(url: str) -> str:
    return strip_www(url.partition("#")[0].rpartition("://")[2]).rstrip("/").lower()


def _fold_title(title: str) -> str:
    return fold_words(title[:_MAX_TITLE_CHARS])


# Whether a page states or shows that its article is not free.

_PAID_TIERS = frozenset(("locked", "metered", "premium", "subscription", "paid"))
_PAID_VALUES = ("false", "no", "0")  # of isAccessibleForFree
_PAYWALL_WORDS = ("paywall", "regwall")
_NO_PAYWALL = re.compile(r"(?<![a-z])(?:no|non|off|free|without|hide|hidden)(?![a-z])", re.IGNORECASE)
_MAX_PAYWALLS = 20  # elements checked
_MAX_NAME_CHARS = 400  # of class and id


def is_paid(metadata: Metadata) -> bool:
    """Tell whether the metadata mark the article as not free."""
    stated = (item.values.get("isAccessibleForFree") for item in (*metadata.articles, *metadata.pages))
    if any(str(value).strip().lower() in _PAID_VALUES for value in stated):
        return True
    return any(tier.strip().lower() in _PAID_TIERS for tier in metadata.meta_texts("article:content_tier"))


def shows_paywall(nodes: Nodes) -> bool:
    """Tell whether an element with text has "paywall" in its class or id, but not "no-paywall"."""
    for row in nodes.attrs.rows_containing(("class", "id"), _PAYWALL_WORDS)[:_MAX_PAYWALLS]:
        names = f"{nodes.attr(row, 'class')} {nodes.attr(row, 'id')}"[:_MAX_NAME_CHARS]
        if nodes.text_of(row).strip() and not _NO_PAYWALL.search(names):
            return True
    return False
