"""The images of the article: those in the metadata, and those in the body, with caption, credit and alt text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from broadsheet.fields.clean import clean_text
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.strategy import Strategy
from broadsheet.fields.value import FieldValue, Image
from broadsheet.page.json_ld import Item

_MAX_IMAGES = 30
_MAX_IMG_ELEMENTS = 100
_MIN_SIDE_PIXELS = 60  # smaller images are icons and portraits
_LAZY_ATTRIBUTES = (
    "data-src", "data-original", "data-lazy-src", "data-lazy", "data-hi-res-src", "data-image", "data-url",
)  # fmt: skip
_SRCSET_ATTRIBUTES = ("srcset", "data-srcset", "data-lazy-srcset")
_READ_ATTRIBUTES = frozenset((*_LAZY_ATTRIBUTES, *_SRCSET_ATTRIBUTES, "src", "alt"))
_ADDRESS_CHAR = re.compile(r"[/.]")  # a text in metadata without either is a number or a word, not an address
_NON_ADDRESS_STARTS = ("data:", "{", "[")  # inline images, and values for a script of the page
_DECORATION = re.compile(
    r"[/._-](?:spacer|blank|pixel|transparent|placeholder|loading|1x1|clear|tracking|beacon|sprite|avatar|gravatar|logo)[/._\-\d?]"
)

_MAX_SRCSET_CANDIDATES = 50
_SRCSET_ADDRESS = re.compile(r"[\s,]*(\S+)")
_SRCSET_DESCRIPTOR = re.compile(r"(?<!\S)(\d{1,6}(?:\.\d{1,6})?)[wx](?!\S)")

_MAX_CAPTION_CHARS = 1_000
_MAX_CAPTION_ROWS = 40
_MAX_CREDIT_CHARS = 200
_MAX_FIGURE_LEVELS = 9  # from an image up to its figure
_CREDIT_CLASS = re.compile(
    r"credit|copyright|photographer|attribution|(?:^|[\s_-])(?:source|quelle|byline)(?:$|[\s_-])"
)
_CREDIT_LABEL = (
    r"(?:©|\(c\)|(?:(?:photo|image|picture|bild|foto|photograph|fotografie|crédit|credit|credits|bildquelle|quelle|fuente|"
    r"imagen|imago|illustration|fotó|kuva|фото|写真|图|copyright)(?:\s(?:by|courtesy|credit|credits|photo|von|de|di))?\s?[:：©/]))"
)
_CREDIT_AT_START = re.compile(rf"^(?:{_CREDIT_LABEL}\s?)+", re.IGNORECASE)
_CREDIT_AT_END = re.compile(rf"(?:^|(?<=[\s(\[|.,]))(?:{_CREDIT_LABEL}\s?)+([^:]{{2,120}})$", re.IGNORECASE)
_CAPTION_SEPARATORS = " |·•-–—,/"


def find_images(evidence: Evidence) -> FieldValue[tuple[Image, ...]] | None:
    """Find the article's images, the main one first, without duplicates."""
    images: dict[str, Image] = {}  # by address without query
    source = ""
    for strategy in _STRATEGIES:
        for image in filter(None, strategy.read(evidence)):
            key = image.url.partition("?")[0]
            earlier = images.get(key)
            images[key] = _merge_images(earlier, image) if earlier else image
            source = source or strategy.source
            if len(images) == _MAX_IMAGES:
                return FieldValue(tuple(images.values()), source)
    return FieldValue(tuple(images.values()), source) if images else None


def _merge_images(first: Image, second: Image) -> Image:
    """Return the first image, completed from the second."""
    return Image(first.url, first.caption or second.caption, first.alt or second.alt, first.credit or second.credit)


def _read_json_ld(evidence: Evidence) -> Iterator[Image | None]:
    for thing in evidence.metadata.article_things("image"):
        if isinstance(thing, str):
            yield _make_image(evidence, thing)
        elif isinstance(thing, Item):
            for address in (thing.texts("url") or thing.texts("contentUrl"))[:1]:
                caption = _Caption(next(iter(thing.texts("caption")), ""), _read_json_ld_credit(thing))
                yield _make_image(evidence, address, caption)


def _read_json_ld_credit(thing: Item) -> str:
    for name in ("creditText", "creator", "author", "copyrightHolder", "copyrightNotice"):
        if texts := thing.texts(name):
            return texts[0]
        value = thing.values.get(name)
        owner = value[0] if isinstance(value, list) and value else value
        if isinstance(owner, dict) and isinstance(text := owner.get("name"), str):
            return text
    return ""


def _read_opengraph(evidence: Evidence) -> Iterator[Image | None]:
    metadata = evidence.metadata
    alt = next(metadata.meta_texts("og:image:alt", "twitter:image:alt"), "")
    for address in metadata.meta_texts("og:image", "og:image:url", "og:image:secure_url"):
        yield _make_image(evidence, address, alt=alt)
    if "og:image" not in metadata.meta:
        for address in metadata.meta_texts("twitter:image", "twitter:image:src"):
            yield _make_image(evidence, address, alt=alt)


def _read_body(evidence: Evidence) -> Iterator[Image | None]:
    rows = evidence.elements("img", evidence.body_rows())[:_MAX_IMG_ELEMENTS]
    attrs = evidence.page.nodes.attrs
    sizes = zip(rows, attrs.get_all(rows, "width"), attrs.get_all(rows, "height"), strict=True)
    for row in [row for row, width, height in sizes if not (_is_small(width) or _is_small(height))]:
        # An element has few of the dozen attributes: one call lists their names.
        values = {name: attrs.get(row, name) or "" for name in _READ_ATTRIBUTES.intersection(attrs.names(row))}
        if address := _choose_address(values):
            yield _make_image(evidence, address, _find_caption(evidence, row), values.get("alt", ""))


_STRATEGIES: tuple[Strategy[Image | None], ...] = (
    Strategy("json-ld", _read_json_ld),
    Strategy("opengraph", _read_opengraph),
    Strategy("html", _read_body),
)


@dataclass(frozen=True, slots=True)
class _Caption:
    text: str = ""
    credit: str = ""


_NO_CAPTION = _Caption()


def _make_image(evidence: Evidence, address: str, caption: _Caption = _NO_CAPTION, alt: str = "") -> Image | None:
    """Return an image, or None if its address is not one or belongs to a decoration."""
    if not _ADDRESS_CHAR.search(address) or address.startswith(_NON_ADDRESS_STARTS):
        return None
    if _DECORATION.search(address.lower()):
        return None
    url = evidence.resolve(address)
    if not url:
        return None
    credit = _clean_or_none(caption.credit[:_MAX_CREDIT_CHARS])
    return Image(url, _clean_or_none(caption.text), _clean_or_none(alt), credit)


def _clean_or_none(text: str) -> str | None:
    return (clean_text(text)[:_MAX_CAPTION_CHARS] or None) if text else None


def _is_small(side: str | None) -> bool:
    if not side:
        return False
    side = side.removesuffix("px")
    return side.isdecimal() and int(side[:6]) < _MIN_SIDE_PIXELS


def _choose_address(attributes: Mapping[str, str]) -> str:
    """Choose the address of an image, including images that a script loads later; "" if there is none."""
    for name in _LAZY_ATTRIBUTES:
        if address := attributes.get(name):
            return address
    address = attributes.get("src", "")
    if address and not address.startswith("data:"):
        return address
    for name in _SRCSET_ATTRIBUTES:
        if address := _choose_largest(attributes.get(name, "")):
            return address
    return ""


def _choose_largest(srcset: str) -> str:
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


def _find_caption(evidence: Evidence, row: int) -> _Caption:
    """Find the caption of the figure around an image."""
    nodes = evidence.page.nodes
    if not nodes.rows["figcaption"]:
        return _NO_CAPTION
    for ancestor in islice(nodes.ancestors(row), _MAX_FIGURE_LEVELS):
        if nodes.tag[ancestor] == "figure":
            captions = evidence.elements("figcaption", range(ancestor, nodes.end[ancestor]))
            return _read_caption(evidence, captions[0]) if captions else _NO_CAPTION
    return _NO_CAPTION


def _read_caption(evidence: Evidence, row: int) -> _Caption:
    """Separate a caption from its credit: an element with a credit class, or the text after "Photo:" or "©"."""
    nodes = evidence.page.nodes
    text = evidence.text_below(row, gap=" ")
    inner_rows = range(row + 1, min(nodes.end[row], row + _MAX_CAPTION_ROWS))
    for inner_row, name in zip(inner_rows, nodes.attrs.get_all(inner_rows, "class"), strict=True):
        credit = evidence.text_below(inner_row, gap=" ") if name and _CREDIT_CLASS.search(name.lower()) else ""
        if credit and credit in text:
            return _Caption(_strip_separators(text.replace(credit, "", 1)), _CREDIT_AT_START.sub("", credit))
    if match := _CREDIT_AT_END.search(text, max(len(text) - _MAX_CREDIT_CHARS, 0)):
        return _Caption(_strip_separators(text[: match.start()]), _strip_separators(match[1]))
    return _Caption(text)


def _strip_separators(text: str) -> str:
    """Remove the separators between caption and credit, and unpaired brackets, from both ends."""
    text = text.strip(_CAPTION_SEPARATORS)
    for opening, closing in ("()", "[]"):
        if text.count(opening) != text.count(closing):
            text = text.strip(_CAPTION_SEPARATORS + opening + closing)
    return text
