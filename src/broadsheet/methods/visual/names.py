"""What the class names and ids around a block say of it: authors of pages write them in one language, code (ours)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from broadsheet.page import Nodes
from broadsheet.text import split_identifiers

# A kind of place, and pieces of the words that name such places; "=" before a piece: the whole word. No name of a site
# or of a service is among them.
_PIECES = {
    "comment": "comment respond reply replies discuss feedback thread",
    "frame": "nav menu foot header masthead breadcrumb cookie consent banner popup modal login toolbar pagin search",
    "side": "side rail widget column =col box module",
    "share": "share sharing social follow print mail subscri newsletter signup",
    "more": "relat recommend more popular trend teaser promo sponsor advert =ad =ads most latest also next list",
    "meta": "byline author =by meta =tag =tags categor credit source info copyright disclaim",
    "date": "date time publi stamp posted =on",
    "change": "updat modif chang edited",
    "picture": "caption figure photo gallery image =img media video slide thumb player",
    "text": "article story content entry post body text main paragraph",
    "head": "title headline heading =hd =head intro lead summary deck standfirst abstract",
}
KINDS = tuple(_PIECES)
_WHOLE = [frozenset(piece[1:] for piece in pieces.split() if piece[0] == "=") for pieces in _PIECES.values()]
_PARTS = [tuple(piece for piece in pieces.split() if piece[0] != "=") for pieces in _PIECES.values()]
_MAX_CHARS = 200


def read_names(nodes: Nodes) -> dict[int, tuple[int, int]]:
    """For each container: bits of the kinds that its own names tell, and bits of those of all containers around it."""
    rows = list(nodes.outer)
    classes, ids = nodes.classes, nodes.attrs.get_all(rows, "id")
    found = {-1: (0, 0)}
    for row, class_name, own_id in zip(rows, classes, ids, strict=True):
        own = 0
        if class_name:
            own = find_kinds(class_name[:_MAX_CHARS])
        if own_id:
            own |= find_kinds(own_id[:_MAX_CHARS])
        above = found[nodes.outer[row]]
        found[row] = own, above[0] | above[1]
    return found


@lru_cache(maxsize=8192)
def find_kinds(name: str) -> int:
    """Tell which kinds of places a name speaks of, as bits in the order of KINDS."""
    bits = 0
    for word in split_identifiers(name, splits_acronyms=False):
        bits |= _find_kinds_of_word(word)
    return bits


@lru_cache(maxsize=8192)
def _find_kinds_of_word(word: str) -> int:
    word = word.lower()
    bits = 0
    for at, parts in enumerate(_PARTS):
        if word in _WHOLE[at]:
            bits |= 1 << at
            continue
        for part in parts:  # a plain loop: `any` takes three times as long
            if part in word:
                bits |= 1 << at
                break
    return bits


def spread_bits(bits: Sequence[int]) -> list[list[int]]:
    """Write bits as one column for each kind."""
    return [[value >> at & 1 for value in bits] for at in range(len(KINDS))]
