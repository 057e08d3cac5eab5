"""The pictures of the article: what its metadata name, and those that stand in its text, with caption and alt text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from broadsheet.fields.clean import clean_text
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found, Image
from broadsheet.page import Nodes
from broadsheet.page.json_ld import Item

_Attributes = Mapping[str, str | None]
_MAX_IMAGES = 30
_MAX_TRIES = 100
_MAX_CAPTION = 1_000
_MIN_SIDE = 60  # pixels; smaller ones are icons and faces
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-hi-res-src", "data-image", "data-url")
_SETS = ("srcset", "data-srcset", "data-lazy-srcset")
_NOISE = re.compile(
    r"[/._-](?:spacer|blank|pixel|transparent|placeholder|loading|1x1|clear|tracking|beacon|sprite|avatar|gravatar|logo)[/._\-\d?]"
)
_PATH = re.compile(r"[/.]")  # in metadata, an address without either is a number or a word


def find_images(evidence: Evidence) -> Found[tuple[Image, ...]] | None:
    """Find the article's pictures, the main one first, each once."""
    images: dict[str, Image] = {}
    source = ""
    for name, strategy in _STRATEGIES:
        for image in strategy(evidence):
            key = image.url.partition("?")[0]
            known = images.get(key)
            images[key] = _merge(known, image) if known else image
            source = source or name
            if len(images) == _MAX_IMAGES:
                return Found(tuple(images.values()), source)
    return Found(tuple(images.values()), source) if images else None


def _merge(one: Image, other: Image) -> Image:
    return Image(one.url, one.caption or other.caption, one.alt or other.alt)


def _from_json_ld(evidence: Evidence) -> Iterator[Image]:
    for thing in evidence.metadata.article_things("image"):
        if isinstance(thing, str):
            yield from _make(evidence, thing)
        elif isinstance(thing, Item):
            for address in (thing.texts("url") or thing.texts("contentUrl"))[:1]:
                yield from _make(evidence, address, next(iter(thing.texts("caption")), ""))


def _from_opengraph(evidence: Evidence) -> Iterator[Image]:
    metadata = evidence.metadata
    alt = next(metadata.meta_texts("og:image:alt", "twitter:image:alt"), "")
    for address in metadata.meta_texts("og:image", "og:image:url", "og:image:secure_url"):
        yield from _make(evidence, address, alt=alt)
    if "og:image" not in metadata.meta:
        for address in metadata.meta_texts("twitter:image", "twitter:image:src"):
            yield from _make(evidence, address, alt=alt)


def _from_body(evidence: Evidence) -> Iterator[Image]:
    nodes, rows = evidence.page.nodes, evidence.body_rows()
    row = rows.start - 1
    for _ in range(_MAX_TRIES):
        try:
            row = nodes.tag.index("img", row + 1, rows.stop)
        except ValueError:
            return
        if not _is_small(nodes, row) and (address := _find_address(nodes, row)):
            yield from _make(evidence, address, _find_caption(nodes, row), nodes.attr(row, "alt"))


_STRATEGIES = (("json-ld", _from_json_ld), ("opengraph", _from_opengraph), ("html", _from_body))


def _make(evidence: Evidence, address: str, caption: str = "", alt: str = "") -> Iterator[Image]:
    if not _PATH.search(address) or address.startswith("data:") or _NOISE.search(address.lower()):
        return
    if url := evidence.resolve(address):
        yield Image(url, clean_text(caption)[:_MAX_CAPTION] or None, clean_text(alt)[:_MAX_CAPTION] or None)


def _is_small(nodes: Nodes, row: int) -> bool:
    sides = (nodes.attr(row, name).removesuffix("px") for name in ("width", "height"))
    return any(side.isdecimal() and int(side[:6]) < _MIN_SIDE for side in sides)


def _find_address(nodes: Nodes, row: int) -> str:
    """Find the address of a picture, also of one that a program would load later."""
    for name in _LAZY:
        if address := nodes.attr(row, name):
            return address
    address = nodes.attr(row, "src")
    if address and not address.startswith("data:"):
        return address
    for name in _SETS:
        if candidates := nodes.attr(row, name).split(",")[-1].split():  # the largest comes last
            return candidates[0]
    return ""


def _find_caption(nodes: Nodes, row: int) -> str:
    """Text of the caption of the figure around a picture."""
    for steps, above in enumerate(nodes.ancestors(row)):
        if nodes.tag[above] == "figure":
            try:
                return nodes.text_of(nodes.tag.index("figcaption", above, nodes.end[above]))
            except ValueError:
                return ""
        if steps == 8:
            break
    return ""
