"""The elements that show a figure: what each of them shows, and at which address."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from broadsheet.fields.clean import clean_text
from broadsheet.fields.embeds import find_kind, find_page
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.image_elements import find_address, is_small_image
from broadsheet.fields.value import Figure, FigureKind
from broadsheet.page import Nodes
from broadsheet.text.identifiers import split_identifiers
from broadsheet.text.patterns import compile_later

_MAX_TITLE_CHARS = 1_000
_PORTRAIT = compile_later(
    r"[/._-](?:authors?|contributors?|headshots?|bylines?|mugshots?|profile[_-]?(?:photo|pic|image)s?)[/._-]|/avatars?[/._-]"
)
_PORTRAIT_WORDS = ("author", "contributor", "headshot", "byline", "mugshot", "profile", "avatar")
_MAX_NAME_CHARS = 400  # of class and id
_FRAME_ATTRIBUTES = ("src", "data-src", "data-lazy-src", "data-iframe-src")
# Titles that players give to every video.
_GENERIC_TITLE = compile_later(
    r"(?:youtube|vimeo|video|embed(?:ded)?|iframe|player|media|content|twitter|post|facebook|instagram|soundcloud|spotify"
    r"|from|by|a|an|the|lecteur|vidéo|externer|inhalt|\W)*",
    re.IGNORECASE,
)
_POST_CLASS = compile_later(
    r"twitter-(?:tweet|video)|instagram-media|tiktok-embed|fb-(?:post|video)|reddit-|bluesky-embed"
)
_POST_ADDRESS_ATTRIBUTES = ("data-instgrm-permalink", "data-bluesky-uri", "data-href", "cite")
# Words in class and id of an element, or of the elements around it, that show no content of the article.
_OTHER_WORDS = frozenset(
    """ad ads adslot advert advertisement advertising sponsor sponsored promo promoted avatar gravatar author authors
    byline bio contributor profile icon icons logo logos emoji smiley social share sharing follow newsletter signup
    subscribe subscription related recirc recirculation recommended recommendation recommendations teaser teasers
    trending outbrain taboola sidebar comment comments reply navigation menu breadcrumb breadcrumbs tracking pixel badge
    rating stars button arrow""".split()
)
_BANNER_SIZES = frozenset(("728x90", "468x60", "160x600", "120x600", "970x250", "970x90", "320x50", "320x100"))


@lru_cache(maxsize=1024)  # the elements of a page share a few class names
def has_other_name(names: str) -> bool:
    """Tell whether class and id name something that is not a figure of the article."""
    words = " ".join(split_identifiers(names[:_MAX_NAME_CHARS])).lower().split()
    return not _OTHER_WORDS.isdisjoint(words)


def _read_image(evidence: Evidence, row: int) -> Figure | None:
    nodes = evidence.page.nodes
    attributes = nodes.attrs.read_all(row)
    if is_small_image(attributes) or _is_banner(attributes):
        return None
    if has_other_name(f"{attributes.get('class', '')} {attributes.get('id', '')}"):
        return None
    address = find_address(nodes, row, attributes)
    url = evidence.resolve(address) if address else ""
    if not url or _is_portrait(url.lower()):
        return None
    return Figure(url, title=_clean_title(attributes.get("alt", "")))


def _is_portrait(url: str) -> bool:
    # The words are faster to search for.
    return any(word in url for word in _PORTRAIT_WORDS) and _PORTRAIT.search(url) is not None


def _is_banner(attributes: Mapping[str, str]) -> bool:
    return f"{attributes.get('width', '')}x{attributes.get('height', '')}" in _BANNER_SIZES


def _read_frame(evidence: Evidence, row: int) -> Figure | None:
    nodes = evidence.page.nodes
    for name in _FRAME_ATTRIBUTES:
        url = evidence.resolve(nodes.attr(row, name))
        if url and (kind := find_kind(url)):
            title = _clean_title(nodes.attr(row, "title"))
            return Figure(find_page(url), kind, "" if _GENERIC_TITLE.fullmatch(title) else title)
    return None


def _read_player(evidence: Evidence, row: int) -> Figure | None:
    nodes = evidence.page.nodes
    kind: FigureKind = "audio" if nodes.tag[row] == "audio" else "video"
    sources = [nodes.attr(inner, "src") for inner in range(row, nodes.end[row]) if nodes.tag[inner] in (kind, "source")]
    url = next(filter(None, map(evidence.resolve, sources)), "")
    title = _clean_title(nodes.attr(row, "title") or nodes.attr(row, "aria-label"))
    return Figure(url, kind, title, preview_url=evidence.resolve(nodes.attr(row, "poster"))) if url else None


def _read_youtube(evidence: Evidence, row: int) -> Figure | None:
    nodes = evidence.page.nodes
    video = nodes.attr(row, "videoid") or nodes.attr(row, "data-videoid")
    url = f"https://www.youtube.com/embed/{video}"
    return Figure(find_page(url), "video", _clean_title(nodes.attr(row, "playlabel"))) if find_kind(url) else None


def is_post(nodes: Nodes, row: int) -> bool:
    """Tell whether a quote is an embedded post, for browsers without scripts."""
    return _POST_CLASS.search(nodes.attr(row, "class")) is not None


def _read_post(evidence: Evidence, row: int) -> Figure | None:
    """Read an embedded post that the page quotes. The last link leads to the post."""
    nodes = evidence.page.nodes
    if not is_post(nodes, row):
        return None
    links = [nodes.attr(inner, "href") for inner in range(nodes.end[row] - 1, row, -1) if nodes.tag[inner] == "a"]
    addresses = [*(nodes.attr(row, name) for name in _POST_ADDRESS_ATTRIBUTES), *links]
    url = next(filter(None, map(evidence.resolve, addresses)), "")
    return Figure(url, "post", _clean_title(evidence.text_below(row, gap=" "))) if url else None


def _clean_title(text: str) -> str:
    return clean_text(text)[:_MAX_TITLE_CHARS] if text else ""


# By tag; all of them are in `tags.INDEXED`.
READERS: Mapping[str, Callable[[Evidence, int], Figure | None]] = {
    "img": _read_image,
    "amp-img": _read_image,
    "iframe": _read_frame,
    "amp-iframe": _read_frame,
    "video": _read_player,
    "audio": _read_player,
    "amp-youtube": _read_youtube,
    "lite-youtube": _read_youtube,
    "blockquote": _read_post,
}
