"""Body blocks that repeat the title. They are left out of the body of the article."""

from __future__ import annotations

from broadsheet.blocks import tags
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.title.stated import read_reliable_titles
from broadsheet.text import fold_words, split_words

_MAX_LENGTH_DIFFERENCE = 10  # characters by which two spellings of a title may differ: quotes, dashes, a full stop
_MAX_BLOCKS_ABOVE = 2  # body blocks above a headline: a kicker, a standfirst
_MAX_KICKER_WORDS = 8  # in the element of the headline, before or after the title


def find_title_blocks(evidence: Evidence) -> frozenset[int]:
    """Find the body blocks that have the same words as the title, and the headline in another wording."""
    title, texts = evidence.title, evidence.blocks.text
    candidates = [block for block in evidence.body if abs(len(texts[block]) - len(title)) <= _MAX_LENGTH_DIFFERENCE]
    words = split_words(title)
    if not words:
        return frozenset()
    same = [block for block in candidates if split_words(texts[block]) == words]
    return frozenset((*same, *_find_headlines(evidence, words)))


def _find_headlines(evidence: Evidence, title_words: list[str]) -> list[int]:
    """Find headings at the top of the body that show the headline: with a kicker, or as another source states it.

    A heading above the headline is its kicker.
    """
    blocks = evidence.blocks
    headings = [block for block in evidence.body[: _MAX_BLOCKS_ABOVE + 1] if blocks.context[block] & tags.HEADING]
    if not headings:
        return []
    stated = {title.words for title in read_reliable_titles(evidence)}
    while headings:
        last = headings[-1]
        if fold_words(blocks.text[last]) in stated or _is_title_with_kicker(evidence, last, title_words):
            break
        headings.pop()
    return headings


def _is_title_with_kicker(evidence: Evidence, block: int, title_words: list[str]) -> bool:
    nodes = evidence.page.nodes
    container = evidence.blocks.container[block]
    if "h1" not in (nodes.tag_of(container), nodes.tag_of(nodes.parent[container])):
        return False
    words = split_words(evidence.blocks.text[block])
    extra = len(words) - len(title_words)
    has_title = words[extra:] == title_words or words[: len(title_words)] == title_words
    return 0 < extra <= min(_MAX_KICKER_WORDS, len(title_words)) and has_title
