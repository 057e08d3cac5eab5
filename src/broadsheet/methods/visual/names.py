"""What the class names and ids around a block say of it: authors of pages write them in one language, code (ours)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from broadsheet.page import Nodes

# A kind of place, and pieces of the names that such places have. No name of a site or of a service is among them.
KINDS = {
    "comment": r"comment|respond|repl(?:y|ies)|discuss|feedback|thread",
    "frame": r"nav|menu|foot|header|masthead|breadcrumb|cookie|consent|banner|pop-?up|modal|login|toolbar|pagination|search",
    "side": r"side|aside|rail|widget|column|box|module",
    "share": r"share|sharing|social|follow|print|e-?mail|subscri|newsletter|sign-?up",
    "more": r"relat|recommend|more|popular|trend|teaser|promo|sponsor|advert|(?:^|[\s_-])ads?(?:$|[\s_-])|most|latest|also|next|list",
    "meta": r"by-?line|author|date|time|meta|(?:^|[\s_-])tags?(?:$|[\s_-])|categor|credit|source|info|copyright|disclaim",
    "picture": r"caption|figure|photo|gallery|image|media|video|slide|thumb|player",
    "text": r"article|story|content|entry|post|body|text|main|paragraph",
    "head": r"title|headline|heading|(?:^|[\s_-])h(?:ea)?d|intro|lead|summary|deck|standfirst|abstract",
}
_PATTERN = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in KINDS.items()), re.IGNORECASE)
_BIT = {kind: 1 << at for at, kind in enumerate(KINDS)}
_MAX_CHARS = 200


def read_names(nodes: Nodes) -> dict[int, tuple[int, int]]:
    """For each container: bits of the kinds that its own names tell, and bits of those of all containers around it."""
    rows = list(nodes.outer)
    classes, ids = nodes.attrs.get_all(rows, "class"), nodes.attrs.get_all(rows, "id")
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
    for match in _PATTERN.finditer(name):
        bits |= _BIT[match.lastgroup or ""]
    return bits


def spread_bits(bits: Sequence[int]) -> list[list[int]]:
    """Write bits as one column for each kind."""
    return [[value >> at & 1 for value in bits] for at in range(len(KINDS))]
