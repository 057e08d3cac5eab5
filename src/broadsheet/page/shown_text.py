"""How much text a page shows."""

from __future__ import annotations

from broadsheet.kernel.segments import count_shown
from broadsheet.page.nodes import Nodes

_MAX_SHOWN_CHARS = 1_500  # of all visible text: menus and footers
_MAX_SHOWN_PROSE_CHARS = 500  # in runs of at least _MIN_PROSE_CHARS
_MIN_PROSE_CHARS = 80


def shows_little_text(nodes: Nodes) -> bool:
    """Tell whether a page shows no article."""
    chars, prose = count_shown(nodes.table, _MIN_PROSE_CHARS, _MAX_SHOWN_CHARS, skip_links=True)
    if chars > _MAX_SHOWN_CHARS or prose > _MAX_SHOWN_PROSE_CHARS:
        return False
    return bool(nodes.rows["script"])


def count_shown_prose(nodes: Nodes) -> int:
    """Return the number of characters in runs that are long enough to be paragraphs."""
    return count_shown(nodes.table, _MIN_PROSE_CHARS, skip_links=False)[1]
