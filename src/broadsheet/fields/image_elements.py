"""Image elements: the address of an image, also of one that a script loads later, and its stated size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from broadsheet.page import Nodes
from broadsheet.text.patterns import compile_later

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
