"""Title extraction (section III-B, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from rapidfuzz.distance import LCSseq, Levenshtein

from broadsheet.blocks import tags
from broadsheet.methods.twcem.config import TwcemConfig
from broadsheet.page import Nodes, Page
from broadsheet.text import fold_text

_META_TITLE_NAMES = ("og:title", "title", "twitter:title", "dc.title")
_MAX_TITLE_CHARS = 300  # a longer candidate is not a headline
_MAX_RAW_CHARS = 3000  # of a candidate, with white space; longer ones are not read
_MAX_CANDIDATE_NODES = 200
_MAX_CANDIDATES = 500


def extract_title(page: Page, config: TwcemConfig) -> str | None:
    """Find the title: the text of a home page's link, else the heading nearest to the meta title, else by id or class.

    A page with none of these has no title (Algorithm 2), or its meta title with `has_default_title`.
    """
    for link_title in page.link_titles:
        if _is_normal(link_title):
            return fold_text(link_title)
    meta_title = find_meta_title(page.nodes)
    headings = [text for text in _read_headings(page.nodes, with_hidden=config.keeps_hidden) if _is_normal(text)]
    if headings:
        return choose_nearest(meta_title, headings, config) if meta_title else headings[0]
    named = next((text for text in _read_named_titles(page.nodes) if _is_normal(text)), None)
    return named or (meta_title if config.has_default_title else None)


def choose_nearest(meta_title: str, candidates: list[str], config: TwcemConfig) -> str:
    """Return the candidate with the smallest edit distance to the meta title (Equation 1).

    The printed equation also adds 1 for a match: by it, the shortest candidates are nearest. It is a switch,
    `counts_matches`. A change then costs as much as a deletion and an insertion, so the printed distance is the sum of
    the lengths without the longest common subsequence.
    """
    if config.counts_matches:
        return min(candidates, key=lambda candidate: len(candidate) - LCSseq.similarity(meta_title, candidate))
    return min(candidates, key=lambda candidate: Levenshtein.distance(meta_title, candidate))


def find_meta_title(nodes: Nodes) -> str | None:
    """Return the first valid title in the head of the page: `<meta>` first, then `<title>`."""
    contents: dict[str, str] = {}
    for row in nodes.rows["meta"]:
        name = nodes.attr(row, "property") or nodes.attr(row, "name")
        contents.setdefault(name.lower(), nodes.attr(row, "content"))
    candidates = [contents.get(name, "") for name in _META_TITLE_NAMES]
    candidates += (_read_text(nodes, row) for row in nodes.rows["title"] if nodes.tag[nodes.parent[row]] != "svg")
    return next((text for text in map(fold_text, candidates) if _is_normal(text)), None)


def _read_headings(nodes: Nodes, *, with_hidden: bool) -> Iterator[str]:
    rows = sorted(row for tag in tags.HEADINGS for row in nodes.rows[tag])
    for row in rows[:_MAX_CANDIDATES]:
        if with_hidden or not _is_hidden(nodes, row):
            yield _read_text(nodes, row)


def _read_named_titles(nodes: Nodes) -> Iterator[str]:
    """Yield the texts of elements that match [id^=title], [id$=title] or [class^=title]."""
    rows = nodes.attrs.rows_containing(("id", "class"), ("title",))
    for row in islice((row for row in rows if _is_named_title(nodes, row)), _MAX_CANDIDATES):
        yield _read_text(nodes, row)


def _is_named_title(nodes: Nodes, row: int) -> bool:
    name = nodes.attr(row, "id")
    return name.startswith("title") or name.endswith("title") or nodes.attr(row, "class").startswith("title")


def _read_text(nodes: Nodes, row: int) -> str:
    """Return the text of an element; "" if it is far too long for a title."""
    pieces = nodes.text[row : min(nodes.end[row], row + _MAX_CANDIDATE_NODES)]
    return fold_text("".join(pieces)) if sum(map(len, pieces)) <= _MAX_RAW_CHARS else ""


def _is_hidden(nodes: Nodes, row: int) -> bool:
    return bool(nodes.hidden) and (row in nodes.hidden or any(above in nodes.hidden for above in nodes.ancestors(row)))


def _is_normal(text: str) -> bool:
    """Tell whether a title is neither empty nor abnormal (Algorithm 2, lines 2, 5 and 7)."""
    return 0 < len(text) <= _MAX_TITLE_CHARS and "\ufffd" not in text and any(map(str.isalpha, text))
