"""Blocks that the page's metadata quote: in the description or in the `articleBody` of JSON-LD."""

from __future__ import annotations

from itertools import islice

from broadsheet.blocks import Blocks
from broadsheet.kernel.texts import find_quotes
from broadsheet.page import Metadata
from broadsheet.text import fold_words

MIN_BODY_CHARS = 200  # of a stated article text
MAX_BODY_CHARS = 200_000
MIN_QUOTE_CHARS = 20  # of a block; shorter ones match by chance
BODY_QUOTE_CHARS = 120  # start of a block that is searched for in the stated text
DESCRIPTION_QUOTE_CHARS = 60  # start of a block that is searched for in the description
MAX_AUTHORS = 5
_MAX_COMPARISONS = 200_000_000  # characters of text times blocks; bounds the time on hostile pages


def find_body_quotes(blocks: Blocks, metadata: Metadata) -> list[int] | None:
    """Find the blocks whose text is in the stated article text; None if the page states none."""
    stated = " ".join(islice(metadata.article_texts("articleBody"), 5))[:MAX_BODY_CHARS]
    if len(stated) < MIN_BODY_CHARS or len(body := fold_words(stated)) < MIN_BODY_CHARS:
        return None
    return [
        block
        for block, text in enumerate(_list_searched_texts(blocks, body))
        if len(text) >= MIN_QUOTE_CHARS and (quote := fold_words(text[:BODY_QUOTE_CHARS])) and quote in body
    ]


def find_description_quotes(blocks: Blocks, metadata: Metadata) -> list[int]:
    """Find the blocks whose first characters are in the page's description, letter by letter."""
    quotes: list[int] = []
    for text in dict.fromkeys(islice(metadata.meta_texts("description", "og:description"), 2)):
        description = " ".join(text[:MAX_BODY_CHARS].split())
        if len(description) >= MIN_QUOTE_CHARS:
            texts = _list_searched_texts(blocks, description)
            quotes += find_quotes(texts, description, MIN_QUOTE_CHARS, DESCRIPTION_QUOTE_CHARS)
    return quotes


def read_stated_title(metadata: Metadata) -> str:
    """Return the title that the page states; "" if there is none."""
    return next(metadata.meta_texts("og:title"), "") or metadata.title


def read_stated_description(metadata: Metadata) -> str:
    """Return the description that the page states; "" if there is none."""
    return next(metadata.meta_texts("description", "og:description"), "")


def read_stated_authors(metadata: Metadata) -> str:
    """Return the names of the authors that the page states, in one text; "" if there are none."""
    names = [*islice(metadata.meta_texts("author"), 1)]
    for thing in metadata.article_things("author")[:MAX_AUTHORS]:
        names += [thing] if isinstance(thing, str) else thing.texts("name")[:1]
    return " ".join(dict.fromkeys(names))


def _list_searched_texts(blocks: Blocks, text: str) -> list[str]:
    """Return the texts of the first blocks, as many as `_MAX_COMPARISONS` allows: all of them on ordinary pages."""
    max_blocks = _MAX_COMPARISONS // len(text)
    return blocks.text if len(blocks) <= max_blocks else blocks.text[:max_blocks]
