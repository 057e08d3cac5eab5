"""How much text a page shows."""

from __future__ import annotations

from broadsheet.page.nodes import Nodes

_MAX_SHOWN_CHARS = 1_500  # of all visible text: menus and footers
_MAX_SHOWN_PROSE_CHARS = 500  # in runs of at least _MIN_PROSE_CHARS
_MIN_PROSE_CHARS = 80


def shows_little_text(nodes: Nodes) -> bool:
    """Tell whether a page shows no article. Stops as soon as enough text was seen: on most pages, after a few runs."""
    chars = prose = 0
    texts = nodes.text
    for _, rows, link_rows, _ in nodes.runs:
        run_chars = sum([len(texts[row]) for row in rows])
        chars += run_chars
        if run_chars >= _MIN_PROSE_CHARS and len(link_rows) < len(rows):
            prose += run_chars
        if chars > _MAX_SHOWN_CHARS or prose > _MAX_SHOWN_PROSE_CHARS:
            return False
    return bool(nodes.rows["script"])


def count_shown_prose(nodes: Nodes) -> int:
    """Return the number of characters in runs that are long enough to be paragraphs."""
    lengths = (sum([len(nodes.text[row]) for row in rows]) for _, rows, _, _ in nodes.runs)
    return sum(length for length in lengths if length >= _MIN_PROSE_CHARS)
