"""Find the block that shows the headline that the page's metadata state."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import chain, islice

from broadsheet.page import Metadata, tags
from broadsheet.text.words import fold_words

_PARTS = re.compile(r"\s[|\-–—:·»/]+\s")
_MAX_LENGTH = 400  # of a headline
_MIN_PART = 10  # characters of a part of a title that may be a headline
_MIN_PLAIN = 15  # characters of a block that is no heading


def find_headline(texts: Sequence[str], contexts: Sequence[int], metadata: Metadata) -> int:
    """Find the block that shows the headline: as stated, else the first heading; -1 when there is none."""
    wanted = _list_headlines(metadata)
    lengths = {len(headline) for headline in wanted}
    shortest, longest = (min(lengths), max(lengths) * 2 + 10) if lengths else (1, 0)
    begins = {letter for headline in wanted for letter in (headline[0], unicodedata.normalize("NFD", headline)[0])}
    heading = plain = -1
    for block, (text, context) in enumerate(zip(texts, contexts, strict=True)):
        is_heading = context & tags.HEADING
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
