"""Take the headline off a text before it is compared.

Some gold texts begin with the headline and some do not, and so it is with extractors. The first line of either side is
dropped when it is the headline: when, folded to lower-case words, it equals the gold title, an `<h1>` of the page, its
`<title>`, or a part of the `<title>` between separators (` - `, ` | `, `: `, ...).
"""

from __future__ import annotations

import re

from broadsheet.page import Page
from broadsheet.text import fold_words

# Not those of fields/site_name.py, which find the name of a site and may change for its sake: this is the rule that the
# reference figures of the labelled pages were made with.
_SEPARATOR = re.compile(r"\s[-–—|:·•»«/~]+\s|[|]|:\s")


def find_headlines(page: Page, title: str | None = None) -> frozenset[str]:
    """Everything on the page that counts as its headline, folded."""
    found = {title} if title else set()
    nodes = page.nodes
    for row, tag in enumerate(nodes.tag):
        if tag == "h1":
            found.add(nodes.text_of(row))
        elif tag == "title":
            text = nodes.text_of(row)
            found.add(text)
            found.update(_SEPARATOR.split(text))
    return frozenset(filter(None, map(fold_words, found)))


def drop_headline(text: str, headlines: frozenset[str]) -> str:
    """The text without empty lines, and without its first line where that is the headline."""
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and fold_words(lines[0]) in headlines:
        del lines[0]
    return "\n".join(lines)
