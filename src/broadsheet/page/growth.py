"""Pages that grow in parsing.

The standard makes a parser open formatting that was left open again in every later paragraph, up to 512 levels deep: a
page of two megabytes can become a tree of fifty million nodes. Real pages leave a few tags open.
"""

from __future__ import annotations

import re

# Formatting by the standard. A new <a> closes the last one, so that at most one is open.
_START = re.compile(r"<(/?)([a-zA-Z]{0,10})")
_FORMATTING = frozenset("b big code em font i nobr s small strike strong tt u".split())
_FEW_TAGS = 10_000  # pages of fewer tags stay below three million nodes: not worth a look
_MOST_NODES = 2_000_000
_DEEPEST = 512  # of the parser


def limit_growth(html: str, tags: int) -> int:
    """Tell how many of a page's tags may be parsed without its growing beyond bounds; all, for nearly every page."""
    if tags <= _FEW_TAGS:
        return tags
    opened = dict.fromkeys(_FORMATTING, 0)
    open_now = nodes = 0
    for number, match in enumerate(_START.finditer(html)):
        name = match[2].lower()
        if name in opened:
            if not match[1]:
                opened[name] += 1
                open_now += 1
            elif opened[name]:
                opened[name] -= 1
                open_now -= 1
        elif not match[1]:
            nodes += min(open_now, _DEEPEST)
            if nodes > _MOST_NODES:
                return number
    return tags
