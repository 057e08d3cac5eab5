"""The place of a figure: among the kept blocks, above them, or in another part of the page; and its caption."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice
from typing import NamedTuple

from broadsheet.blocks import Role, tags
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.figure_elements import has_other_name
from broadsheet.text import compile_later

_MAX_LEVELS = 12  # from an element up to the element that it shares with kept blocks
_MAX_FIGURE_LEVELS = 4  # from an element with a caption up to its <figure>
_MAX_CAPTION_BLOCKS = 4
_MAX_INNER_BLOCKS = 40  # in an element without kept blocks; one with more text is another part of the page
_MAX_BESIDE_CHARS = 200  # of text beside a figure that is neither kept nor a caption
_MAX_BESIDE_LINK_CHARS = 15  # of one block; a longer link is the headline of a teaser
_MIN_CAPTION_CHARS = 25  # of a block without a caption's name; shorter ones are labels such as "Advertisement"
_MAX_CAPTION_CHARS = 500
_CAPTION_CLASS = compile_later(r"caption|credit|legend|copyright|bildunterschrift|cutline", re.IGNORECASE)
_HEAD_ROLES = frozenset((Role.TITLE, Role.SUBTITLE, Role.BYLINE, Role.DATE))
_OTHER_TAGS = frozenset(("html", "body", "nav", "footer", "form", "button"))
_ARTICLE_TAGS = frozenset(("article", "main"))


class Place(NamedTuple):  # created faster than a dataclass
    """The place of a figure."""

    wrapper: int  # row of the outermost element around the figure and its caption only
    captions: tuple[int, ...]  # blocks
    is_lead: bool  # above the first kept block
    is_below_headline: bool
    is_figure: bool  # in a <figure>
    is_in_line: bool  # with text


class _Surroundings(NamedTuple):
    """What an element around a figure contains."""

    has_article: bool = False  # kept blocks or the headline
    is_other: bool = False  # it is another part of the page
    is_wrapper: bool = False  # no text but captions
    captions: tuple[int, ...] = ()


_HAS_ARTICLE = _Surroundings(has_article=True)
_IS_OTHER = _Surroundings(is_other=True)


class FigurePlaces:
    """Finds the places of elements."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._nodes, self._blocks = evidence.page.nodes, evidence.blocks
        self._kept = [block for block in evidence.body if block != evidence.title_block]
        self._kept_set = frozenset(self._kept)
        self._first = self._blocks.first
        self._kept_rows = [self._first[block] for block in self._kept]
        self._surroundings: dict[int, _Surroundings] = {}  # by row
        self._title_row = self._first[evidence.title_block] if evidence.title_block >= 0 else -1

    def rows(self) -> range:
        """Return the node rows where figures of the article can be: from the headline to the end of the text."""
        if not self._kept:
            return range(0)
        return range(self._find_start(), self._find_stop())

    def block_below(self, row: int) -> int:
        """Return the first block below a row."""
        return bisect_left(self._first, row)

    def find(self, row: int) -> Place | None:
        """Return the place of an element; None if it is not in the article."""
        nodes = self._nodes
        if nodes.end[row] > row + 1 and self._holds_article(row):  # a post whose text is kept as a quote
            return None
        wrapper, is_complete, is_figure = row, False, False
        captions: tuple[int, ...] = ()
        parent = row
        for _ in range(_MAX_LEVELS):
            parent = nodes.parent[parent]
            surroundings = self._surroundings.get(parent) or self._examine(parent)
            if surroundings.has_article:
                break
            if surroundings.is_other:
                return None
            if not is_complete and surroundings.is_wrapper:
                wrapper, captions = parent, surroundings.captions
                is_complete = nodes.tag[parent] == "figure" or (bool(captions) and not self._is_in_figure(parent))
            is_figure = is_figure or nodes.tag[parent] == "figure"
        else:
            return None
        captions = captions or self._find_caption_below(wrapper)
        return Place(
            wrapper, captions, row < self._kept_rows[0], row > self._title_row >= 0, is_figure, self._is_in_line(row)
        )

    def _is_in_figure(self, row: int) -> bool:
        """Tell whether a `<figure>` is around a row: then its caption may follow the credit in a part of it."""
        tag = self._nodes.tag
        return any(tag[above] == "figure" for above in islice(self._nodes.ancestors(row), _MAX_FIGURE_LEVELS))

    def _is_in_line(self, row: int) -> bool:
        """Tell whether text follows an element in the same container, as it follows a sign before a date or a name."""
        below = self.block_below(row)
        return below < len(self._blocks) and self._blocks.container[below] == self._nodes.parent[row]

    def _examine(self, row: int) -> _Surroundings:
        """Examine an element around a figure; the result is cached, because many figures share it."""
        result = _HAS_ARTICLE if self._holds_article(row) else self._examine_wrapper(row)
        self._surroundings[row] = result
        return result

    def _examine_wrapper(self, row: int) -> _Surroundings:
        nodes = self._nodes
        if nodes.tag[row] in _OTHER_TAGS or row in nodes.hidden:
            return _IS_OTHER
        if has_other_name(f"{nodes.attr(row, 'class')} {nodes.attr(row, 'id')}"):
            return _IS_OTHER
        inner = self._blocks_in(row)
        if len(inner) > _MAX_INNER_BLOCKS:
            return _IS_OTHER
        captions = tuple([block for block in inner if self._is_caption(block, row)])
        if len(captions) < len(inner) and self._is_other_content(set(inner).difference(captions)):
            return _IS_OTHER
        # In a <figure>, other short text is that of a button.
        has_captions_only = len(captions) == len(inner) or (bool(captions) and nodes.tag[row] == "figure")
        is_wrapper = has_captions_only and len(captions) <= _MAX_CAPTION_BLOCKS
        return _Surroundings(captions=captions, is_wrapper=is_wrapper)

    def _find_start(self) -> int:
        """Return the row of the headline's container, or of the `<article>` around it: a picture may be above it."""
        nodes, first = self._nodes, self._kept_rows[0]
        if not 0 <= self._title_row < first:
            container = self._blocks.container[self._kept[0]]
            return max(nodes.container_around(container), 0)
        for row in islice(nodes.ancestors(self._title_row), _MAX_LEVELS):
            if nodes.tag[row] in _ARTICLE_TAGS and first < nodes.end[row]:
                return row
        return self._title_row

    def _find_stop(self) -> int:
        """Return the row of the first block below the text, or the end of the element around the last block."""
        nodes, blocks, last = self._nodes, self._blocks, self._kept[-1]
        outer = nodes.container_around(blocks.container[last])
        is_page = outer < 0 or nodes.tag[outer] in _OTHER_TAGS  # what follows in it is not part of the article
        end = blocks.last[last] + 1 if is_page else nodes.end[outer]
        below = last + 1
        while below < len(blocks) and self._first[below] < end and self._is_caption(below, outer):
            below += 1
        return min(end, self._first[below]) if below < len(blocks) else end

    def _blocks_in(self, row: int) -> range:
        return range(bisect_left(self._first, row), bisect_left(self._first, self._nodes.end[row]))

    def _holds_article(self, row: int) -> bool:
        """Tell whether an element contains a kept block, or the headline."""
        end = self._nodes.end[row]
        if row < self._title_row < end:
            return True
        index = bisect_left(self._kept_rows, row)
        return index < len(self._kept_rows) and self._kept_rows[index] < end

    def _is_caption(self, block: int, wrapper: int) -> bool:
        """Tell whether a block beside a figure, inside an element, is its caption: by label, tag, name or length."""
        if block in self._kept_set:
            return False
        blocks = self._blocks
        if self._evidence.labels.roles[block] is Role.CAPTION or blocks.context[block] & tags.CAPTION:
            return True
        container = blocks.container[block]
        names = self._nodes.attr(container, "class") if container > wrapper else ""
        if _CAPTION_CLASS.search(names):
            return True
        chars, link_chars = len(blocks.text[block]), blocks.link_chars[block]
        return _MIN_CAPTION_CHARS <= chars <= _MAX_CAPTION_CHARS and link_chars < _MAX_BESIDE_LINK_CHARS

    def _is_other_content(self, beside: set[int]) -> bool:
        """Tell whether text beside a figure shows that both are a teaser or another part of the page."""
        roles, blocks = self._evidence.labels.roles, self._blocks
        beside = {block for block in beside if roles[block] not in _HEAD_ROLES}
        link_chars = max((blocks.link_chars[block] for block in beside), default=0)  # short ones are buttons
        return (
            link_chars > _MAX_BESIDE_LINK_CHARS or sum(len(blocks.text[block]) for block in beside) > _MAX_BESIDE_CHARS
        )

    def _find_caption_below(self, row: int) -> tuple[int, ...]:
        """Return the caption that follows a figure without an element around both."""
        block = self.block_below(self._nodes.end[row])
        if block >= len(self._blocks) or block in self._kept_set:
            return ()
        parent = self._nodes.parent[row]
        is_caption = self._evidence.labels.roles[block] is Role.CAPTION
        return (block,) if is_caption and self._first[block] < self._nodes.end[parent] else ()
