"""Pages that grow in parsing.

The standard makes a parser open formatting that was left open again in every later paragraph, up to 512 levels deep: a
page of a megabyte can become a tree of a hundred million nodes. Real pages leave a few tags open; the product of what
is left open and what follows is what matters.
"""

from __future__ import annotations

_FORMATTING = ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
_FEW_TAGS = 20_000  # no page of fewer tags can grow beyond 10 million nodes: not worth a look
_MOST_NODES = 5_000_000
_DEEPEST = 512  # of the parser


def limit_growth(html: str, tags: int) -> int:
    """Tell how many of a page's tags may be parsed without its growing beyond bounds; all, for nearly every page."""
    if tags <= _FEW_TAGS:
        return tags
    html = html.lower()
    unclosed = sum(max(_count_opened(html, tag) - html.count(f"</{tag}>"), 0) for tag in _FORMATTING)
    return min(tags, max(_MOST_NODES // max(min(unclosed, _DEEPEST), 1), _FEW_TAGS))


def _count_opened(html: str, tag: str) -> int:
    return sum(html.count(f"<{tag}{end}") for end in (">", " ", "\n", "\t", "/"))
