"""Kinds of containers by their class names and ids (ours). Page authors write these in English in any language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from broadsheet.page import Nodes
from broadsheet.text import split_identifiers

# Kinds, and parts of words that indicate them; "=" marks a whole word. Names of sites and services are left out.
_KIND_WORDS = {
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
KINDS = tuple(_KIND_WORDS)
_WHOLE_WORDS = [frozenset(word[1:] for word in words.split() if word[0] == "=") for words in _KIND_WORDS.values()]
_WORD_PARTS = [tuple(word for word in words.split() if word[0] != "=") for words in _KIND_WORDS.values()]
MAX_NAME_CHARS = 200  # of a class attribute or an id


def read_names(nodes: Nodes) -> dict[int, tuple[int, int]]:
    """Return the kinds of each container by row, as bits: by its names, and by those of all containers around it."""
    rows = list(nodes.outer)
    kinds = {-1: (0, 0)}
    for row, class_name, element_id in zip(rows, nodes.classes, nodes.attrs.get_all(rows, "id"), strict=True):
        row_kinds = 0
        if class_name:
            row_kinds = find_kinds(class_name[:MAX_NAME_CHARS])
        if element_id:
            row_kinds |= find_kinds(element_id[:MAX_NAME_CHARS])
        outer = kinds[nodes.outer[row]]
        kinds[row] = row_kinds, outer[0] | outer[1]
    return kinds


@lru_cache(maxsize=8192)
def find_kinds(name: str) -> int:
    """Return the kinds that a name indicates, as bits in the order of KINDS."""
    bits = 0
    for word in split_identifiers(name, splits_acronyms=False):
        bits |= _find_kinds_of_word(word)
    return bits


@lru_cache(maxsize=8192)
def _find_kinds_of_word(word: str) -> int:
    word = word.lower()
    bits = 0
    for kind, parts in enumerate(_WORD_PARTS):
        if word in _WHOLE_WORDS[kind]:
            bits |= 1 << kind
            continue
        for part in parts:  # a plain loop: `any` takes three times as long
            if part in word:
                bits |= 1 << kind
                break
    return bits


def spread_bits(bits: Sequence[int]) -> dict[str, list[int]]:
    """Convert bits to one column of 0 and 1 for each kind."""
    return {name: [value >> kind & 1 for value in bits] for kind, name in enumerate(KINDS)}
