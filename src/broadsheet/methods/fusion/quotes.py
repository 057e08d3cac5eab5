"""What a page's metadata quote of its blocks: the headline, the description, the text."""

from __future__ import annotations

from itertools import islice

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks
from broadsheet.page import Metadata
from broadsheet.text.words import fold_words

_MAX_BODY = 200_000
_MIN_BODY = 200
_QUOTED = 120  # characters by which a block is looked up
_MIN_QUOTED = 20
_MAX_SEARCHED = 200_000_000  # characters of text times blocks that are looked up in it
_DESCRIBED = 60  # characters by which a block is looked up in the description


def stands_in_body(blocks: Blocks, metadata: Metadata) -> NDArray[np.bool_] | None:
    """Tell for each block whether the stated text of the article has it; None when none is stated."""
    stated = " ".join(islice(metadata.article_texts("articleBody"), 5))[:_MAX_BODY]
    if len(stated) < _MIN_BODY or len(body := fold_words(stated)) < _MIN_BODY:
        return None
    return _find_quotes(blocks, body)


def _list_searched(blocks: Blocks, text: str) -> range:
    """The blocks that are looked up in a text: all, unless a hostile page makes both very long."""
    return range(min(len(blocks), _MAX_SEARCHED // len(text)))


def is_described(blocks: Blocks, metadata: Metadata) -> NDArray[np.bool_]:
    """Tell for each block whether the page's description has its beginning, letter by letter."""
    found = np.zeros(len(blocks), bool)
    for text in dict.fromkeys(islice(metadata.meta_texts("description", "og:description"), 2)):
        stated = " ".join(text[:_MAX_BODY].split())
        if len(stated) >= _MIN_QUOTED:
            for block in _list_searched(blocks, stated):
                own = blocks.text[block]
                if len(own) >= _MIN_QUOTED and own[:_DESCRIBED] in stated:
                    found[block] = True
    return found


def find_stated(metadata: Metadata) -> tuple[str, str]:
    """Find the title and the description that a page states; "" for none."""
    title = next(metadata.meta_texts("og:title"), "") or metadata.title
    return title, next(metadata.meta_texts("description", "og:description"), "")


def _find_quotes(blocks: Blocks, body: str) -> NDArray[np.bool_]:
    found = np.zeros(len(blocks), bool)
    for block in _list_searched(blocks, body):
        text = blocks.text[block]
        if len(text) >= _MIN_QUOTED and (quote := fold_words(text[:_QUOTED])):
            found[block] = quote in body
    return found
