"""The elements that show a figure: images, videos, posts and graphics of other sites, and their addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from urllib.parse import parse_qs, urlsplit

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.value import Figure, FigureKind, clean_text
from broadsheet.page import Nodes, strip_www
from broadsheet.text import compile_later, split_identifiers

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
_MIN_SIDE_PIXELS = 60  # smaller images are icons and portraits
_LAZY_ATTRIBUTES = (
    "data-src", "data-original", "data-lazy-src", "data-lazy", "data-hi-res-src", "data-image", "data-url",
)  # fmt: skip
_SRCSET_ATTRIBUTES = ("srcset", "data-srcset", "data-lazy-srcset")
_ADDRESS_CHAR = compile_later(r"[/.]")  # a text without either is a number or a word, not an address
_NON_ADDRESS_STARTS = ("data:", "[", "about:", "javascript:", "blob:")
_DECORATION = compile_later(
    r"[/._-](?:spacer|blank|pixel|transparent|placeholder|missing-image|no-?image|loading|1x1|clear|tracking|beacon|sprite|avatar|gravatar|logo)"
    r"[/._\-\d?]"
    r"|/(?:icons?|buttons?|btns?)(?:/|[-_\w]*\.(?:gif|png|svg)(?:$|\?))|[-_](?:icon|btn|button)\.(?:gif|png|svg)(?:$|\?)"
)

# Every match of _DECORATION has one of these; they are faster to search for.
_DECORATION_WORDS = (
    "spacer", "blank", "pixel", "transparent", "placeholder", "image", "loading", "1x1", "clear", "tracking", "beacon",
    "sprite", "avatar", "logo", "icon", "button", "btn",
)  # fmt: skip

_MAX_SRCSET_CANDIDATES = 50
_SRCSET_ADDRESS = compile_later(r"[\s,]*(\S+)")
_SRCSET_DESCRIPTOR = compile_later(r"(?<!\S)(\d{1,6}(?:\.\d{1,6})?)[wx](?!\S)")
_KINDS: dict[FigureKind, str] = {
    "video": """
        youtube.com youtube-nocookie.com vimeo.com dailymotion.com players.brightcove.net jwplatform.com jwplayer.com
        kaltura.com twitch.tv ted.com streamable.com rumble.com rutube.ru vk.com ok.ru wistia.com wistia.net
        bilibili.com v.qq.com youku.com nicovideo.jp mediasite.com loom.com""",
    "audio": """
        soundcloud.com spotify.com podcasts.apple.com simplecast.com megaphone.fm buzzsprout.com acast.com libsyn.com
        audioboom.com anchor.fm art19.com spreaker.com bandcamp.com podbean.com""",
    "post": """
        twitter.com x.com facebook.com instagram.com tiktok.com reddit.com redditmedia.com bsky.app threads.net t.me
        linkedin.com truthsocial.com""",
    "embed": """
        dwcdn.net datawrapper.de flourish.studio infogram.com maps.google.com google.com openstreetmap.org scribd.com
        documentcloud.org tableau.com giphy.com slideshare.net arcgis.com knightlab.com thinglink.com""",
}
_KIND_OF_HOST: dict[str, FigureKind] = {host: kind for kind, hosts in _KINDS.items() for host in hosts.split()}
# Frames of these hosts that are not content: buttons, follow boxes, login.
_PATHS = {
    "youtube.com": compile_later(r"/(?:embed|v|shorts)/(?!videoseries)([\w-]{6,20})"),
    "youtube-nocookie.com": compile_later(r"/embed/([\w-]{6,20})"),
    "vimeo.com": compile_later(r"/(?:video/)?(\d{4,12})"),
    "twitter.com": compile_later(r"/embed/|/status/"),
    "x.com": compile_later(r"/embed/|/status/"),
    "facebook.com": compile_later(r"/plugins/(?:post|video)|/posts/|/videos/"),
    "instagram.com": compile_later(r"/(?:p|reel|tv)/"),
    "linkedin.com": compile_later(r"/embed/"),
    "google.com": compile_later(r"/maps"),
}
_WATCH_ADDRESS = {
    "youtube.com": "https://www.youtube.com/watch?v={}",
    "youtube-nocookie.com": "https://www.youtube.com/watch?v={}",
    "vimeo.com": "https://vimeo.com/{}",
}
_TWEET_ID = compile_later(r"\d{5,25}")


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


def is_small_image(attributes: Mapping[str, str]) -> bool:
    """Tell whether the stated width or height is that of an icon or a portrait."""
    return _is_small(attributes.get("width")) or _is_small(attributes.get("height"))


def _is_small(side: str | None) -> bool:
    if not side:
        return False
    side = side.removesuffix("px")
    return side.isdecimal() and int(side[:6]) < _MIN_SIDE_PIXELS


def find_address(nodes: Nodes, row: int, attributes: Mapping[str, str]) -> str:
    """Return the address of an image, also of one that a script loads later; "" if there is none."""
    address = choose_address(attributes)
    return address or _read_sources(nodes, row)


def choose_address(attributes: Mapping[str, str]) -> str:
    """Choose the address among the attributes; "" if there is none. Placeholders are left out."""
    for name in (*_LAZY_ATTRIBUTES, "src"):
        if (address := attributes.get(name)) and is_image_address(address):
            return address
    for name in _SRCSET_ATTRIBUTES:
        if (address := choose_largest(attributes.get(name, ""))) and is_image_address(address):
            return address
    return ""


def is_image_address(address: str) -> bool:
    """Tell the address of an image from inline data, values for a script, and names of decorations."""
    if address.startswith(_NON_ADDRESS_STARTS) or "{" in address or not _ADDRESS_CHAR.search(address):
        return False
    address = address.lower()
    return not any(word in address for word in _DECORATION_WORDS) or _DECORATION.search(address) is None


def _read_sources(nodes: Nodes, row: int) -> str:
    """Return the address that the `<source>` elements of a `<picture>` give."""
    picture = nodes.parent[row]
    if nodes.tag[picture] != "picture":
        return ""
    for source in range(picture + 1, row):
        for name in _SRCSET_ATTRIBUTES:
            if (address := choose_largest(nodes.attr(source, name))) and is_image_address(address):
                return address
    return ""


def choose_largest(srcset: str) -> str:
    """Choose the largest of "small.jpg 300w, large.jpg 900w"; the first if there are no sizes."""
    candidates = islice(_split_srcset(srcset), _MAX_SRCSET_CANDIDATES)
    return max(candidates, key=lambda candidate: _read_size(candidate[1]), default=("", ""))[0]


def _split_srcset(srcset: str) -> Iterator[tuple[str, str]]:
    """Yield addresses and descriptors, as HTML defines them: an address may contain commas and ends at white space."""
    at = 0
    while match := _SRCSET_ADDRESS.match(srcset, at):
        address, at = match[1], match.end()
        descriptor = ""
        if not address.endswith(","):
            comma = srcset.find(",", at)
            stop = comma if comma >= 0 else len(srcset)
            descriptor, at = srcset[at:stop], stop
        if address := address.rstrip(","):
            yield address, descriptor


def _read_size(descriptor: str) -> float:
    """Read a width or density; without a descriptor the density is 1."""
    match = _SRCSET_DESCRIPTOR.search(descriptor)
    return float(match[1]) if match else 1.0


def find_kind(url: str) -> FigureKind | None:
    """Return the kind of a frame by its address; None for frames that are not content, such as advertisements."""
    host, path = _split(url)
    site = _find_site(host)
    if not site or ((pattern := _PATHS.get(site)) and not pattern.search(path)):
        return None
    return "video" if site == "facebook.com" and "/plugins/video" in path else _KIND_OF_HOST[site]


def find_page(url: str) -> str:
    """Return the address of the page that a frame shows: of the video instead of its player, if that is known."""
    host, path = _split(url)
    site = _find_site(host)
    if (template := _WATCH_ADDRESS.get(site)) and (match := _PATHS[site].search(path)):
        return template.format(match[1])
    query = parse_qs(urlsplit(url).query)
    if site == "facebook.com" and query.get("href", [""])[0].startswith("https://"):
        return query["href"][0]
    if site in ("twitter.com", "x.com") and _TWEET_ID.fullmatch(tweet := query.get("id", [""])[0]):
        return f"https://{site}/i/status/{tweet}"
    return url


def _split(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        return strip_www(parts.hostname or ""), parts.path
    except ValueError:  # for example, a broken IPv6 host
        return "", ""


def _find_site(host: str) -> str:
    """Return the listed host that a host belongs to; "" if none."""
    labels = host.split(".")
    names = (".".join(labels[index:]) for index in range(max(len(labels) - 4, 0), len(labels) - 1))
    return next((name for name in names if name in _KIND_OF_HOST), "")
