"""Title extraction (section III-B, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Iterator

from rapidfuzz.distance import Levenshtein

from broadsheet.blocks import tags
from broadsheet.page import Nodes, Page
from broadsheet.text import fold_text

_META_TITLES = ("og:title", "title", "twitter:title", "dc.title")
_MAX_TITLE = 300  # characters; a longer candidate is no headline
_MAX_RAW = 3000  # characters with white space that are still looked at
_MAX_ROWS = 200  # nodes of one candidate that are looked at
_MAX_CANDIDATES = 500


def extract_title(page: Page) -> str | None:
    """Find the page's title: a home page's link text, else the heading nearest to the meta title, else by id or class.

    Departure: a page with none of these keeps its meta title, where the document gives up.
    """
    for link_title in page.link_titles:
        if _is_normal(link_title):
            return fold_text(link_title)
    meta_title = find_meta_title(page.nodes)
    headings = [text for text in _read_headings(page.nodes) if _is_normal(text)]
    if headings:
        return choose_nearest(meta_title, headings) if meta_title else headings[0]
    named = next((text for text in _read_named_titles(page.nodes) if _is_normal(text)), None)
    return named or meta_title


def choose_nearest(meta_title: str, candidates: list[str]) -> str:
    """Choose the candidate with the least edit distance to the meta title (Equation 1).

    The printed equation adds 1 to a match, too: taken for a slip, since an equal title would not be the nearest.
    """
    return min(candidates, key=lambda candidate: Levenshtein.distance(meta_title, candidate))


def find_meta_title(nodes: Nodes) -> str | None:
    """Read the title that the page's head states: the first that is a title at all."""
    stated: dict[str, str] = {}
    for row in nodes.rows["meta"]:
        name = nodes.attr(row, "property") or nodes.attr(row, "name")
        stated.setdefault(name.lower(), nodes.attr(row, "content"))
    candidates = [stated.get(name, "") for name in _META_TITLES]
    candidates += (_read_text(nodes, row) for row in nodes.rows["title"] if nodes.tag[nodes.parent[row]] != "svg")
    return next((text for text in map(fold_text, candidates) if _is_normal(text)), None)


def _read_headings(nodes: Nodes) -> Iterator[str]:
    rows = sorted(row for tag in tags.HEADINGS for row in nodes.rows[tag])
    for row in rows[:_MAX_CANDIDATES]:
        if not _is_hidden(nodes, row):
            yield _read_text(nodes, row)


def _read_named_titles(nodes: Nodes) -> Iterator[str]:
    """Texts of elements that match [id^=title], [id$=title] or [class^=title]."""
    for row in nodes.select("[id^=title], [id$=title], [class^=title]")[:_MAX_CANDIDATES]:
        yield _read_text(nodes, row)


def _read_text(nodes: Nodes, row: int) -> str:
    """Text of an element; "" when it is far too long for a title."""
    pieces = nodes.text[row : min(nodes.end[row], row + _MAX_ROWS)]
    return fold_text("".join(pieces)) if sum(map(len, pieces)) <= _MAX_RAW else ""


def _is_hidden(nodes: Nodes, row: int) -> bool:
    return bool(nodes.hidden) and (row in nodes.hidden or any(above in nodes.hidden for above in nodes.ancestors(row)))


def _is_normal(text: str) -> bool:
    """Tell a title from an empty or abnormal string (Algorithm 2, lines 2, 5 and 7)."""
    return 0 < len(text) <= _MAX_TITLE and "\ufffd" not in text and any(map(str.isalpha, text))
