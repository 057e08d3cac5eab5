"""What a page says of itself, for machines: JSON-LD, meta elements, microdata, links. Collected, not interpreted.

Only the rows that can state something are read: those the node table lists by tag, and what a selector finds.
Everything is bounded, so that a page cannot make its readers slow: they may go through what is here more than once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from broadsheet.page.json_ld import Item, JsonLd, read_json_ld
from broadsheet.page.nodes import Nodes

_MAX_PROPERTIES = 500
_MAX_VALUES = 200  # of one name
_MAX_ARTICLES = 20
_MAX_THINGS = 100  # that the articles give one property; references can name the same thing again and again
_MAX_TITLES = 10  # that an item is compared with, and that it has
# A property that spans more is the article itself, not a fact about it.
_MAX_ROWS_OF_TEXT = 40
_MAX_CHARS_OF_TEXT = 5_000


@dataclass(frozen=True, slots=True)
class Property:
    """A microdata property (or RDFa's, which reads alike): its value, and the item it belongs to."""

    name: str
    value: str
    row: int
    scope: int  # row of the item, -1 for none
    type: str  # of the item, without its address; "" for none
    own_type: str = ""  # of the item that the property itself opens


@dataclass(frozen=True, slots=True, eq=False)
class Metadata:
    """The metadata of a page."""

    json_ld: JsonLd
    articles: tuple[Item, ...]  # the items of JSON-LD that describe this page as an article, the best first
    pages: tuple[Item, ...]  # those that describe it as a page
    meta: Mapping[str, tuple[str, ...]]  # lower-case name, property, itemprop or http-equiv -> contents
    microdata: tuple[Property, ...]
    links: Mapping[str, tuple[str, ...]]  # <link>: rel -> addresses as written
    anchors: Mapping[str, tuple[int, ...]]  # <a>: rel -> node rows
    language: str  # <html lang>
    title: str  # <title>

    def article_texts(self, name: str) -> list[str]:
        """All strings that the page's article items give a property, the best item's first."""
        return [text for item in self.articles for text in item.texts(name)]

    def article_things(self, name: str) -> list[str | Item]:
        """All strings and items that the page's article items give a property."""
        return self._list_things(self.articles, name)

    def page_things(self, name: str) -> list[str | Item]:
        """All strings and items that items like WebPage give a property."""
        return self._list_things(self.pages, name)

    def page_texts(self, name: str) -> list[str]:
        """All strings that items like WebPage give a property."""
        return [text for item in self.pages for text in item.texts(name)]

    def meta_texts(self, *names: str) -> Iterator[str]:
        """Contents of the meta elements of these names, in the order of the names."""
        for name in names:
            yield from self.meta.get(name, ())

    def _list_things(self, items: Iterable[Item], name: str) -> list[str | Item]:
        things = (thing for item in items for thing in self.json_ld.things(item, name))
        return list(islice(things, _MAX_THINGS))


def read_metadata(nodes: Nodes, url: str | None) -> Metadata:
    """Collect all metadata of a page. Never raises, whatever the page contains."""
    collected = _Collected(nodes)
    collected.read_head()
    collected.read_properties()
    json_ld = read_json_ld(collected.scripts)
    title = _find_title(nodes)
    urls = (url or "", *collected.links.get("canonical", ()), *collected.meta.get("og:url", ()))
    names = (title, *collected.meta.get("og:title", ()))
    return Metadata(
        json_ld=json_ld,
        articles=tuple(_choose_articles(json_ld, urls, names)[:_MAX_ARTICLES]),
        pages=tuple(item for item in json_ld.items if not item.place and _is_page(item))[:_MAX_ARTICLES],
        meta={name: tuple(values[:_MAX_VALUES]) for name, values in collected.meta.items()},
        microdata=tuple(collected.properties),
        links={name: tuple(values[:_MAX_VALUES]) for name, values in collected.links.items()},
        anchors={name: tuple(rows) for name, rows in collected.anchors.items()},
        language=nodes.attr(0, "lang") or nodes.attr(0, "xml:lang"),
        title=title,
    )


_META_KEYS = ("name", "property", "itemprop", "http-equiv")  # the first is one name, the others may be several
_ADDRESS_TAGS = {
    **dict.fromkeys(("a", "area", "link"), "href"),
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    "object": "data",
    "data": "value",
    "meter": "value",
}


class _Collected:
    """What has been found so far."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.scripts: list[str] = []
        self.meta: dict[str, list[str]] = {}
        self.properties: list[Property] = []
        self.links: dict[str, list[str]] = {}
        self.anchors: dict[str, list[int]] = {}
        self.scopes: list[tuple[int, int, str]] = []  # open items: row, end, type

    def read_head(self) -> None:
        """Read scripts of data, meta and link elements, and what anchors say of where they lead."""
        nodes = self.nodes
        get_all = nodes.attrs.get_all  # whole columns: one call instead of hundreds
        scripts = nodes.rows["script"]
        for row, kind in zip(scripts, get_all(scripts, "type"), strict=True):
            if kind and "ld+json" in kind.lower():
                self.scripts.append("".join(nodes.text[row : nodes.end[row]]))
        self._read_meta(nodes.rows["meta"])
        links = nodes.rows["link"]
        for href, names in zip(get_all(links, "href"), get_all(links, "rel"), strict=True):
            if href and names:
                for name in names.lower().split():
                    self.links.setdefault(name, []).append(href)
        anchors = nodes.rows["a[rel]"]
        for row, names in zip(anchors, get_all(anchors, "rel"), strict=True):
            for name in (names or "").lower().split():
                self.anchors.setdefault(name, []).append(row)

    def _read_meta(self, rows: Sequence[int]) -> None:
        get_all, meta = self.nodes.attrs.get_all, self.meta
        columns = [get_all(rows, key) for key in _META_KEYS]
        for row, content, name, *others in zip(rows, get_all(rows, "content"), *columns, strict=True):
            value = content or self.nodes.attr(row, "value")
            if not value:
                continue
            if name:
                meta.setdefault(_fold_name(name), []).append(value)
            for names in filter(None, others):
                for other in names.split():
                    meta.setdefault(_fold_name(other), []).append(value)

    def read_properties(self) -> None:
        """Read microdata, and RDFa as far as it is written the same way."""
        for row in self.nodes.select("[itemprop], [itemscope], [property]:not(meta)"):
            self._read_property(row)

    def _read_property(self, row: int) -> None:
        attr = self.nodes.attr
        while self.scopes and row >= self.scopes[-1][1]:
            self.scopes.pop()
        scope, _, scope_type = self.scopes[-1] if self.scopes else (-1, 0, "")
        own_type = _last_step(attr(row, "itemtype") or attr(row, "typeof"))
        names = attr(row, "itemprop") or attr(row, "property")
        room = _MAX_PROPERTIES - len(self.properties)
        if names and room > 0 and self.nodes.tag[row] != "html":
            value = self._read_value(row)
            for name in names.split(None, room)[:room]:
                folded = _last_step(name) if "/" in name or ":" in name else name
                self.properties.append(Property(folded.lower(), value, row, scope, scope_type, own_type))
        if self.nodes.has_attr(row, "itemscope"):
            self.scopes.append((row, self.nodes.end[row], own_type))

    def _read_value(self, row: int) -> str:
        """Read a value by the rules of HTML: content, address, time, else the text."""
        nodes = self.nodes
        if content := nodes.attr(row, "content"):
            return content
        tag = nodes.tag[row]
        if tag in _ADDRESS_TAGS and not nodes.has_attr(row, "itemscope"):
            return nodes.attr(row, _ADDRESS_TAGS[tag])
        if tag == "time" and (moment := nodes.attr(row, "datetime")):
            return moment
        texts = nodes.text[row : min(nodes.end[row], row + _MAX_ROWS_OF_TEXT + 1)]
        if len(texts) > _MAX_ROWS_OF_TEXT or sum(map(len, texts)) > _MAX_CHARS_OF_TEXT:
            return ""
        return " ".join("".join(texts).split())


def _fold_name(name: str) -> str:
    name = name.strip().lower()
    if "#" in name:  # RDFa written out: http://ogp.me/ns/article#author
        space, _, name = name.rpartition("#")
        name = f"article:{name}" if space.endswith("article") else f"og:{name}"
    return name


def _last_step(name: str) -> str:
    """Cut "http://schema.org/Person" or "schema:Person" to "Person"."""
    first = name.split(None, 1)[0] if name.strip() else ""
    return re.split(r"[/#:]", first.rstrip("/"))[-1]


def _find_title(nodes: Nodes) -> str:
    """Text of the first `<title>` that is not part of a drawing."""
    for row in nodes.rows["title"]:
        if nodes.tag[nodes.parent[row]] not in ("svg", "g", "symbol", "defs", "a", "use", "path"):
            return nodes.text_of(row)
    return ""


# Which items of JSON-LD describe the page.

_ARTICLE_TYPES = frozenset(("BlogPosting", "SocialMediaPosting", "LiveBlogPosting", "DiscussionForumPosting", "Report"))
_WEAK_TYPES = frozenset(("CreativeWork", "Review", "Recipe", "HowTo", "PodcastEpisode"))
_MAIN_PLACES = frozenset(("", "mainEntity", "mainEntityOfPage", "article"))


def is_article_type(name: str) -> bool:
    """Tell whether a type of schema.org is an article: NewsArticle, BlogPosting, ..."""
    return name.lower().endswith("article") or name in _ARTICLE_TYPES


def _is_page(item: Item) -> bool:
    return any(name.endswith("Page") for name in item.types)


def _choose_articles(json_ld: JsonLd, urls: Iterable[str], names: Iterable[str]) -> list[Item]:
    """Pick the items that are about this page, not about others that it mentions."""
    candidates = [
        item for item in json_ld.items if item.place in _MAIN_PLACES and any(map(is_article_type, item.types))
    ]
    if not candidates:
        candidates = [item for item in json_ld.items if not item.place and not _WEAK_TYPES.isdisjoint(item.types)]
    if len(candidates) < 2:
        return candidates
    here = {folded for url in urls if (folded := _fold_url(url))}
    called = [folded for name in islice(dict.fromkeys(names), _MAX_TITLES) if (folded := _fold_words(name))]
    own = [item for item in candidates if _is_at(item, here) or _is_called(item, called)]
    if own:
        return own
    headlines = {_fold_words(text) for item in candidates for text in item.texts("headline")}
    # Several headlines and none of them this page's: a list of articles, unless the first stands out as the main one.
    return candidates if len(headlines) < 2 else candidates[:1] if len(candidates) < 3 else []


def _is_at(item: Item, urls: set[str]) -> bool:
    places = [*item.texts("url"), *item.texts("@id")]
    main = item.values.get("mainEntityOfPage")
    if isinstance(main, str):
        places.append(main)
    elif isinstance(main, dict):
        places += (value for key in ("@id", "url") if isinstance(value := main.get(key), str))
    return any(_fold_url(place) in urls for place in places)


def _is_called(item: Item, names: list[str]) -> bool:
    texts = (*item.texts("headline")[:_MAX_TITLES], *item.texts("name")[:_MAX_TITLES])
    headlines = map(_fold_words, texts)
    return any(len(headline) > 10 and headline in name for headline in headlines for name in names)


def _fold_url(url: str) -> str:
    return url.partition("#")[0].rpartition("://")[2].removeprefix("www.").rstrip("/").lower()


def _fold_words(text: str) -> str:
    """Fold a title much as `features.fold_words` does, which this folder may not import: it stands below."""
    return " ".join(re.findall(r"\w+", text[:500].lower()))
