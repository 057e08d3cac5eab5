"""Guard against pages that grow without bound while they are parsed.

The HTML standard makes a parser reopen unclosed formatting elements in every later paragraph, up to 512 levels deep: a
page of two megabytes can become a tree of fifty million nodes. Real pages leave a few tags open.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)([a-zA-Z]{0,10})")
# The standard's formatting elements without <a>: a new <a> closes the last one, so at most one is open.
_FORMATTING_TAGS = frozenset("b big code em font i nobr s small strike strong tt u".split())
_MIN_TAGS_CHECKED = 10_000  # pages with fewer tags stay below three million nodes
_MAX_REOPENED_NODES = 2_000_000
_MAX_PARSER_DEPTH = 512


def count_safe_tags(html: str, tags: int) -> int:
    """Return how many of a page's `tags` can be parsed before it grows too large: all, for nearly every page."""
    if tags <= _MIN_TAGS_CHECKED:
        return tags
    open_counts = dict.fromkeys(_FORMATTING_TAGS, 0)
    open_total = reopened = 0
    for number, match in enumerate(_TAG.finditer(html)):
        name = match[2].lower()
        if name in open_counts:
            if not match[1]:
                open_counts[name] += 1
                open_total += 1
            elif open_counts[name]:
                open_counts[name] -= 1
                open_total -= 1
        elif not match[1]:
            reopened += min(open_total, _MAX_PARSER_DEPTH)
            if reopened > _MAX_REOPENED_NODES:
                return number
    return tags
