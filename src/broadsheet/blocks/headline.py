"""Find the block that shows the headline, as the page's metadata give it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import chain, islice

from broadsheet.page import Metadata, tags
from broadsheet.text import fold_words

_SEPARATOR = re.compile(r"\s[|\-–—:·»/]+\s")
_MAX_HEADLINE_CHARS = 400
_MIN_PART_CHARS = 10  # of a part of a title that may be the headline
_MIN_TEXT_CHARS = 15  # of a block that is not a heading
_MAX_STATED = 3  # headlines taken from metadata, besides <title>


def find_headline(texts: Sequence[str], contexts: Sequence[int], metadata: Metadata) -> int:
    """Return the block that shows the headline, -1 if there is none.

    The order is: the longest heading that equals a headline of the metadata or a part of it, because the name of the
    site may be a part, too; the first other block that does; the first heading.
    """
    headlines = _list_headlines(metadata)
    lengths = {len(headline) for headline in headlines}
    min_chars, max_chars = (min(lengths), max(lengths) * 2 + 10) if lengths else (1, 0)
    first_letters = {
        letter for headline in headlines for letter in (headline[0], unicodedata.normalize("NFD", headline)[0])
    }
    # Length and first letter rule out most blocks before their words are compared.
    candidates = [block for block, text in enumerate(texts) if min_chars <= len(text) <= max_chars]
    best_heading, best_chars, first_match = -1, 0, -1
    for block in candidates:
        text, is_heading = texts[block], contexts[block] & tags.HEADING
        if not is_heading and (first_match >= 0 or len(text) <= _MIN_TEXT_CHARS):
            continue
        if text[0].lower()[0] in first_letters or not text[0].isalnum():
            words = fold_words(text)
            if len(words) in lengths and words in headlines:
                if not is_heading:
                    first_match = block
                elif len(words) > best_chars:
                    best_heading, best_chars = block, len(words)
    if max(best_heading, first_match) >= 0:
        return best_heading if best_heading >= 0 else first_match
    return next((block for block, context in enumerate(contexts) if context & tags.HEADING), -1)


def _list_headlines(metadata: Metadata) -> set[str]:
    stated = chain(metadata.article_texts("headline"), metadata.meta_texts("og:title", "twitter:title"))
    headlines: set[str] = set()
    for text in (*islice(stated, _MAX_STATED), metadata.title):
        text = text[:_MAX_HEADLINE_CHARS]
        parts = (part for part in map(fold_words, _SEPARATOR.split(text)) if len(part) > _MIN_PART_CHARS)
        headlines.update((fold_words(text), *parts))
    headlines.discard("")
    return headlines
