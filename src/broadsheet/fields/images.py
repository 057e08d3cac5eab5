"""The images of the article: those in the metadata, and those in the body, with caption, credit and alt text."""

from __future__ import annotations

from collections.abc import Iterator

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.figure_elements import is_image_address
from broadsheet.fields.figures import NO_CAPTION, Caption, make_key
from broadsheet.fields.stated import Strategy
from broadsheet.fields.value import FieldValue, Image, clean_text
from broadsheet.page.json_ld import Item

_MAX_IMAGES = 30
_MAX_TEXT_CHARS = 1_000  # of a caption, alternative or credit


def find_images(evidence: Evidence) -> FieldValue[tuple[Image, ...]] | None:
    """Find the article's images, the main one first, without duplicates."""
    images: dict[str, Image] = {}  # by key of the address
    source = ""
    for strategy in _STRATEGIES:
        for image in filter(None, strategy.read(evidence)):
            key = make_key(image.url)
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
                caption = Caption(next(iter(thing.texts("caption")), ""), _read_json_ld_credit(thing))
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
    for placed in evidence.figures:
        figure = placed.figure
        if figure.kind == "image":
            yield Image(figure.url, figure.caption or None, figure.title or None, figure.credit or None)


_STRATEGIES: tuple[Strategy[Image | None], ...] = (
    Strategy("json-ld", _read_json_ld),
    Strategy("opengraph", _read_opengraph),
    Strategy("html", _read_body),
)


def _make_image(evidence: Evidence, address: str, caption: Caption = NO_CAPTION, alt: str = "") -> Image | None:
    """Return an image, or None if its address is not one or belongs to a decoration."""
    url = evidence.resolve(address) if is_image_address(address) else ""
    if not url:
        return None
    return Image(url, _clean_or_none(caption.text), _clean_or_none(alt), _clean_or_none(caption.credit))


def _clean_or_none(text: str) -> str | None:
    return (clean_text(text)[:_MAX_TEXT_CHARS] or None) if text else None
