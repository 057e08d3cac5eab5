"""The pictures of the article: what its metadata name, and those that stand in its text, with caption and alt text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from broadsheet.fields.clean import clean_text
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found, Image
from broadsheet.page.json_ld import Item

_MAX_IMAGES = 30
_MAX_TRIES = 100
_MAX_CAPTION = 1_000
_MIN_SIDE = 60  # pixels; smaller ones are icons and faces
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-hi-res-src", "data-image", "data-url")
_SETS = ("srcset", "data-srcset", "data-lazy-srcset")
_READ = frozenset((*_LAZY, *_SETS, "src", "alt"))
_WORD = re.compile(r"[\s,]*(\S+)")
_DESCRIPTOR = re.compile(r"(?<!\S)(\d{1,6}(?:\.\d{1,6})?)[wx](?!\S)")
_MAX_CANDIDATES = 50
_MAX_STEPS = 9  # from a picture up to its figure
_MAX_CAPTION_ROWS = 40
_MAX_CREDIT = 200
_CREDIT_NAME = re.compile(r"credit|copyright|photographer|attribution|(?:^|[\s_-])(?:source|quelle|byline)(?:$|[\s_-])")
_LABEL = (
    r"(?:©|\(c\)|(?:(?:photo|image|picture|bild|foto|photograph|fotografie|crédit|credit|credits|bildquelle|quelle|fuente|"
    r"imagen|imago|illustration|fotó|kuva|фото|写真|图|copyright)(?:\s(?:by|courtesy|credit|credits|photo|von|de|di))?\s?[:：©/]))"
)
_CREDIT = re.compile(rf"(?:^|(?<=[\s(\[|.,]))(?:{_LABEL}\s?)+([^:]{{2,120}})$", re.IGNORECASE)
_CREDIT_MARK = re.compile(rf"^(?:{_LABEL}\s?)+", re.IGNORECASE)
_NOISE = re.compile(
    r"[/._-](?:spacer|blank|pixel|transparent|placeholder|loading|1x1|clear|tracking|beacon|sprite|avatar|gravatar|logo)[/._\-\d?]"
)
_Attributes = Mapping[str, str]
_NO_ADDRESS = ("data:", "{", "[")  # the picture itself, and what a program of the page would read
_PATH = re.compile(r"[/.]")  # in metadata, an address without either is a number or a word


def find_images(evidence: Evidence) -> Found[tuple[Image, ...]] | None:
    """Find the article's pictures, the main one first, each once."""
    images: dict[str, Image] = {}
    source = ""
    for name, strategy in _STRATEGIES:
        for image in filter(None, strategy(evidence)):
            key = image.url.partition("?")[0]
            known = images.get(key)
            images[key] = _merge(known, image) if known else image
            source = source or name
            if len(images) == _MAX_IMAGES:
                return Found(tuple(images.values()), source)
    return Found(tuple(images.values()), source) if images else None


def _merge(one: Image, other: Image) -> Image:
    return Image(one.url, one.caption or other.caption, one.alt or other.alt, one.credit or other.credit)


def _from_json_ld(evidence: Evidence) -> Iterator[Image | None]:
    for thing in evidence.metadata.article_things("image"):
        if isinstance(thing, str):
            yield _make(evidence, thing)
        elif isinstance(thing, Item):
            for address in (thing.texts("url") or thing.texts("contentUrl"))[:1]:
                caption = _Caption(next(iter(thing.texts("caption")), ""), _credit_in_json_ld(thing))
                yield _make(evidence, address, caption)


def _credit_in_json_ld(thing: Item) -> str:
    for name in ("creditText", "creator", "author", "copyrightHolder", "copyrightNotice"):
        if texts := thing.texts(name):
            return texts[0]
        value = thing.values.get(name)
        named = value[0] if isinstance(value, list) and value else value
        if isinstance(named, dict) and isinstance(text := named.get("name"), str):
            return text
    return ""


def _from_opengraph(evidence: Evidence) -> Iterator[Image | None]:
    metadata = evidence.metadata
    alt = next(metadata.meta_texts("og:image:alt", "twitter:image:alt"), "")
    for address in metadata.meta_texts("og:image", "og:image:url", "og:image:secure_url"):
        yield _make(evidence, address, alt=alt)
    if "og:image" not in metadata.meta:
        for address in metadata.meta_texts("twitter:image", "twitter:image:src"):
            yield _make(evidence, address, alt=alt)


def _from_body(evidence: Evidence) -> Iterator[Image | None]:
    rows = evidence.tagged("img", evidence.body_rows())[:_MAX_TRIES]
    attrs = evidence.page.nodes.attrs
    sizes = zip(rows, attrs.get_all(rows, "width"), attrs.get_all(rows, "height"), strict=True)
    for row in [row for row, width, height in sizes if not (_is_small(width) or _is_small(height))]:
        # Few attributes are there of the dozen that may be: their names come with one call.
        stated = {name: attrs.get(row, name) or "" for name in _READ.intersection(attrs.names(row))}
        if address := _find_address(stated):
            yield _make(evidence, address, _find_caption(evidence, row), stated.get("alt", ""))


_STRATEGIES = (("json-ld", _from_json_ld), ("opengraph", _from_opengraph), ("html", _from_body))


@dataclass(frozen=True, slots=True)
class _Caption:
    text: str = ""
    credit: str = ""


_NO_CAPTION = _Caption()


def _make(evidence: Evidence, address: str, caption: _Caption = _NO_CAPTION, alt: str = "") -> Image | None:
    if not _PATH.search(address) or address.startswith(_NO_ADDRESS) or _NOISE.search(address.lower()):
        return None
    if url := evidence.resolve(address):
        return Image(url, _clean_words(caption.text), _clean_words(alt), _clean_words(caption.credit[:_MAX_CREDIT]))
    return None


def _clean_words(text: str) -> str | None:
    return (clean_text(text)[:_MAX_CAPTION] or None) if text else None


def _is_small(side: str | None) -> bool:
    if not side:
        return False
    side = side.removesuffix("px")
    return side.isdecimal() and int(side[:6]) < _MIN_SIDE


def _find_address(stated: _Attributes) -> str:
    """Find the address of a picture, also of one that a program would load later."""
    for name in _LAZY:
        if address := stated.get(name):
            return address
    address = stated.get("src", "")
    if address and not address.startswith("data:"):
        return address
    for name in _SETS:
        if address := _choose_largest(stated.get(name, "")):
            return address
    return ""


def _choose_largest(srcset: str) -> str:
    """Choose the address of the largest picture of "small.jpg 300w, large.jpg 900w"; the first when none says."""
    candidates = islice(_split_srcset(srcset), _MAX_CANDIDATES)
    return max(candidates, key=lambda candidate: _measure(candidate[1]), default=("", ""))[0]


def _split_srcset(srcset: str) -> Iterator[tuple[str, str]]:
    """Give addresses with their descriptors, as HTML has it: an address may hold commas, but ends at white space."""
    at = 0
    while match := _WORD.match(srcset, at):
        address, at = match[1], match.end()
        descriptor = ""
        if not address.endswith(","):
            comma = srcset.find(",", at)
            stop = comma if comma >= 0 else len(srcset)
            descriptor, at = srcset[at:stop], stop
        if address := address.rstrip(","):
            yield address, descriptor


def _measure(descriptor: str) -> float:
    """Read the width or the density; without either, a picture counts as of density 1."""
    match = _DESCRIPTOR.search(descriptor)
    return float(match[1]) if match else 1.0


def _find_caption(evidence: Evidence, row: int) -> _Caption:
    """Text of the caption of the figure around a picture, and the credit in it."""
    nodes = evidence.page.nodes
    if not nodes.rows["figcaption"]:
        return _NO_CAPTION
    for above in islice(nodes.ancestors(row), _MAX_STEPS):
        if nodes.tag[above] == "figure":
            captions = evidence.tagged("figcaption", range(above, nodes.end[above]))
            return _read_caption(evidence, captions[0]) if captions else _NO_CAPTION
    return _NO_CAPTION


_BETWEEN = " |·•-–—,/"


def _read_caption(evidence: Evidence, row: int) -> _Caption:
    """Part a caption from its credit: an element that is called so, else what follows "Photo:" or a copyright mark."""
    nodes = evidence.page.nodes
    text = evidence.text_below(row, gap=" ")
    inner = range(row + 1, min(nodes.end[row], row + _MAX_CAPTION_ROWS))
    for at, name in zip(inner, nodes.attrs.get_all(inner, "class"), strict=True):
        credit = evidence.text_below(at, gap=" ") if name and _CREDIT_NAME.search(name.lower()) else ""
        if credit and credit in text:
            return _Caption(_trim(text.replace(credit, "", 1)), _CREDIT_MARK.sub("", credit))
    if match := _CREDIT.search(text, max(len(text) - _MAX_CREDIT, 0)):
        return _Caption(_trim(text[: match.start()]), _trim(match[1]))
    return _Caption(text)


def _trim(text: str) -> str:
    """Take off what parts a caption from its credit, and a bracket that has lost its other half."""
    text = text.strip(_BETWEEN)
    for opening, closing in ("()", "[]"):
        if text.count(opening) != text.count(closing):
            text = text.strip(_BETWEEN + opening + closing)
    return text
