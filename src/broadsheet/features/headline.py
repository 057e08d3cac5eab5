"""What a page's metadata quote of its blocks: the headline, the description, the text."""

from __future__ import annotations

import re
import unicodedata
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, tags
from broadsheet.features.words import fold_words
from broadsheet.page import Metadata

_PARTS = re.compile(r"\s[|\-–—:·»/]+\s")
_MAX_LENGTH = 400  # of a headline
_MIN_PART = 10  # characters of a part of a title that may be a headline
_MIN_PLAIN = 15  # characters of a block that is no heading
_MAX_BODY = 200_000
_MIN_BODY = 200
_QUOTED = 120  # characters by which a block is looked up
_MIN_QUOTED = 20
_MAX_SEARCHED = 200_000_000  # characters of text times blocks that are looked up in it
_DESCRIBED = 60  # characters by which a block is looked up in the description


def find_headline(blocks: Blocks, metadata: Metadata) -> int:
    """Find the block that shows the headline: as stated, else the first heading; -1 when there is none."""
    wanted = _list_headlines(metadata)
    lengths = {len(headline) for headline in wanted}
    shortest, longest = (min(lengths), max(lengths) * 2 + 10) if lengths else (1, 0)
    begins = {letter for headline in wanted for letter in (headline[0], unicodedata.normalize("NFD", headline)[0])}
    heading = plain = -1
    for block, (text, meaning) in enumerate(zip(blocks.text, blocks.meaning, strict=True)):
        is_heading = meaning & tags.HEADING
        if is_heading:
            if heading < 0:
                heading = block
        elif plain >= 0 or len(text) <= _MIN_PLAIN:
            continue
        # The first letter already tells that most are no headline.
        if shortest <= len(text) <= longest and (text[0].lower()[0] in begins or not text[0].isalnum()):
            folded = fold_words(text)
            if len(folded) in lengths and folded in wanted:
                if is_heading:
                    return block
                plain = block
    return plain if plain >= 0 else heading


def _list_headlines(metadata: Metadata) -> set[str]:
    stated = chain(metadata.article_texts("headline"), metadata.meta_texts("og:title", "twitter:title"))
    wanted: set[str] = set()
    for text in (*islice(stated, 3), metadata.title):
        text = text[:_MAX_LENGTH]
        parts = (part for part in map(fold_words, _PARTS.split(text)) if len(part) > _MIN_PART)
        wanted.update((fold_words(text), *parts))
    wanted.discard("")
    return wanted


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
