"""Title extraction (section III-B, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Iterator

from rapidfuzz.distance import Levenshtein

from broadsheet.blocks import fold_text, tags
from broadsheet.page import Nodes, Page

_META_TITLES = ("og:title", "title", "twitter:title", "dc.title")
_MAX_TITLE = 300  # characters; a longer candidate is no headline


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
    """Read the title that the page's head states."""
    stated: dict[str, str] = {}
    for row in nodes.rows["meta"]:
        name = nodes.attr(row, "property") or nodes.attr(row, "name")
        stated.setdefault(name.lower(), nodes.attr(row, "content"))
    title = nodes.text_of(nodes.rows["title"][0]) if nodes.rows["title"] else ""
    found = next((stated[name] for name in _META_TITLES if stated.get(name)), title)
    return fold_text(found) if _is_normal(found) else None


def _read_headings(nodes: Nodes) -> Iterator[str]:
    for row in sorted(row for tag in tags.HEADINGS for row in nodes.rows[tag]):
        yield fold_text("".join(nodes.text[row : nodes.end[row]]))


def _read_named_titles(nodes: Nodes) -> Iterator[str]:
    """Texts of elements that match [id^=title], [id$=title] or [class^=title]."""
    for row in nodes.select("[id^=title], [id$=title], [class^=title]"):
        yield fold_text("".join(nodes.text[row : nodes.end[row]]))


def _is_normal(text: str) -> bool:
    """Tell a title from an empty or abnormal string (Algorithm 2, lines 2, 5 and 7)."""
    return 0 < len(text) <= _MAX_TITLE and "\ufffd" not in text and any(map(str.isalpha, text))
