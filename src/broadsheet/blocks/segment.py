"""Page to blocks: search-and-combine segmentation of SemText, section III-A.

1. The search phase cuts the text at the borders of containers. The parser has done it: `Nodes.runs` (see `page.nodes`).
2. Here, each run becomes a block. Two `<br>` in a row start another block, as old pages separate paragraphs.
3. The combine phase joins similar neighbours. Here it only numbers the groups (`Blocks.group`): blocks stay separate,
   so that a method can reject one paragraph and keep the next.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence
from itertools import accumulate, chain, islice

from broadsheet.blocks.blocks import BlockRows, Blocks
from broadsheet.blocks.paths import LazyBlockPaths
from broadsheet.html.names import TAG_NAMES
from broadsheet.kernel.segments import cut_blocks, find_contexts
from broadsheet.kernel.selection import find_flagged, find_texts_between
from broadsheet.page import Metadata, Page, tags
from broadsheet.text import fold_words

_CONTEXT_OF_TAG = array("i", [tags.CONTEXT.get(name, 0) for name in TAG_NAMES])
# Of the headline:
_SEPARATOR = re.compile(r"\s[|\-–—:·»/]+\s")
_MAX_HEADLINE_CHARS = 400
_MIN_PART_CHARS = 10  # of a part of a title that may be the headline
_MIN_TEXT_CHARS = 15  # of a block that is not a heading
_MAX_STATED = 3  # headlines taken from metadata, besides <title>


def segment(page: Page) -> Blocks:
    """Cut the page into blocks that contain all its visible text once, in order."""
    nodes = page.nodes
    page.deadline.check()
    columns = cut_blocks(nodes.table)
    contexts = find_contexts(nodes.table, columns.container, _CONTEXT_OF_TAG, tags.CELL, tags.HIDDEN)
    return Blocks(
        text=columns.texts,
        rows=BlockRows(columns.rows, columns.row_end),
        first=columns.first,
        last=columns.last,
        container=columns.container,
        link_chars=columns.link_chars,
        context=contexts,
        headline=find_headline(columns.texts, contexts, page.metadata),
        paths=LazyBlockPaths(nodes, columns.container),
    )


def select_blocks(page: Page, blocks: Blocks, indices: Sequence[int]) -> Blocks:
    """Return the blocks with these indices, in their order. Headline, paths and groups are recomputed."""
    containers = array("i", [blocks.container[block] for block in indices])
    texts = [blocks.text[block] for block in indices]
    contexts = array("i", [blocks.context[block] for block in indices])
    return Blocks(
        text=texts,
        rows=_select_rows(blocks.rows, indices),
        first=array("i", [blocks.first[block] for block in indices]),
        last=array("i", [blocks.last[block] for block in indices]),
        container=containers,
        link_chars=array("i", [blocks.link_chars[block] for block in indices]),
        context=contexts,
        headline=find_headline(texts, contexts, page.metadata),
        paths=LazyBlockPaths(page.nodes, containers),
    )


def _select_rows(rows: BlockRows, indices: Sequence[int]) -> BlockRows:
    chosen = [rows[block] for block in indices]
    return BlockRows(array("i", chain.from_iterable(chosen)), array("i", accumulate(map(len, chosen))))


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
    best_heading, best_chars, first_match = -1, 0, -1
    for block in find_texts_between(texts, min_chars, max_chars, first_letters):
        text, is_heading = texts[block], contexts[block] & tags.HEADING
        if not is_heading and (first_match >= 0 or len(text) <= _MIN_TEXT_CHARS):
            continue
        words = fold_words(text)
        if len(words) in lengths and words in headlines:
            if not is_heading:
                first_match = block
            elif len(words) > best_chars:
                best_heading, best_chars = block, len(words)
    if max(best_heading, first_match) >= 0:
        return best_heading if best_heading >= 0 else first_match
    headings = find_flagged(contexts, tags.HEADING, tags.HEADING)
    return headings[0] if headings else -1


def _list_headlines(metadata: Metadata) -> set[str]:
    stated = chain(metadata.article_texts("headline"), metadata.meta_texts("og:title", "twitter:title"))
    headlines: set[str] = set()
    texts = (*islice(stated, _MAX_STATED), metadata.title)
    for text in {text[:_MAX_HEADLINE_CHARS] for text in texts}:  # most pages state one headline several times
        parts = (part for part in map(fold_words, _SEPARATOR.split(text)) if len(part) > _MIN_PART_CHARS)
        headlines.update((fold_words(text), *parts))
    headlines.discard("")
    return headlines
