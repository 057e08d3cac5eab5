"""A field of your own: the kicker, the short line above a headline."""

import broadsheet
from broadsheet.page import read_page

SELECTOR = ".kicker, .rubrique, .overline"


def find_kicker(html: str | bytes) -> str | None:
    """Find the text of the first element that is named as a kicker."""
    nodes = read_page(html).nodes
    for row in nodes.select(SELECTOR):
        if text := nodes.text_of(row).strip():
            return text
    return None


def extract_record(html: str | bytes, url: str | None = None) -> dict[str, object]:
    """Extract a page as a record with the kicker."""
    return {**broadsheet.extract(html, url).to_dict(), "kicker": find_kicker(html)}
