"""Remove the headline from texts before they are compared.

Some gold texts and some extractors begin with the headline, others leave it out. The first line of a text is removed
if it is the headline: if, folded to lower-case words, it equals the gold title, an `<h1>` of the page, its `<title>`,
or a part of the `<title>` between separators (` - `, ` | `, `: `, ...).
"""

from __future__ import annotations

import re

from broadsheet.page import Page
from broadsheet.text import fold_words

# Not shared with fields/site_name.py: the separators there may change, whereas the reference figures of the labelled
# pages were computed with these.
_SEPARATOR = re.compile(r"\s[-–—|:·•»«/~]+\s|[|]|:\s")


def find_headlines(page: Page, title: str | None = None) -> frozenset[str]:
    """Return every text that counts as the headline of the page, folded to lower-case words."""
    headlines = {title} if title else set()
    nodes = page.nodes
    for row, tag in enumerate(nodes.tag):
        if tag == "h1":
            headlines.add(nodes.text_of(row))
        elif tag == "title":
            text = nodes.text_of(row)
            headlines.add(text)
            headlines.update(_SEPARATOR.split(text))
    return frozenset(filter(None, map(fold_words, headlines)))


def drop_headline(text: str, headlines: frozenset[str]) -> str:
    """Return the text without empty lines, and without its first line if that is a headline."""
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and fold_words(lines[0]) in headlines:
        del lines[0]
    return "\n".join(lines)
