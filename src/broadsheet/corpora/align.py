"""Align a gold text with the blocks of its page: find the blocks that the text consists of.

Gold texts were copied, retyped or corrected, so they differ from the page in details, and a word such as "Sports"
occurs in the menu as well as in the article. The words of page and text are therefore aligned in order, like a diff:

1. Runs of four words that occur exactly once on both sides are anchors. The longest chain of anchors that ascends on
   both sides is kept, and each anchor is extended in both directions (patience diff, after Bram Cohen).
2. The words between two anchors are aligned by their longest common subsequence.
3. If a diff has two equal choices, it may align a word of the wrong block. A block takes over words that were aligned
   to equal words of a neighbour if they continue its own aligned words.
4. A block is part of the text if most of its words are aligned. A short block is part of the text if all of its words
   are aligned without a gap, and it makes up whole lines of the text or continues the line of another block.
5. Long blocks whose words occur in the text in another order are added at the end.

The time is about linear in the number of words: only the gaps between anchors are compared quadratically, and gaps
above a maximum size are skipped.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from broadsheet.page import Page
from broadsheet.text import fold_words, split_words

ANCHOR_WORDS = 4
SHORT_BLOCK_WORDS = 5  # in a block of fewer words, all words must be aligned
MIN_ALIGNED_SHARE = 0.6  # of the words of a longer block
MAX_GAP_CELLS = 40_000_000  # words x words of a gap that is compared: about 0.05 s and 5 MB
MIN_MOVED_WORDS = 8  # in a block that may occur in another order than in the text
MIN_MOVED_SHARE = 0.8  # of the word runs of such a block
_UNALIGNED = -1


def align_text(blocks: Sequence[str], text: str) -> list[bool]:
    """Return for each block whether the text contains it."""
    page = _split_pieces(blocks)
    gold = _split_pieces(text.split("\n"))
    if not page.words or not gold.words:
        return [False] * len(blocks)
    partner = _align_words(page.words, gold.words)
    _take_over_words(page, gold, partner)
    spans = [_find_span(page, partner, block) for block in range(len(blocks))]
    is_in_text = _check_short_blocks(gold, spans)
    _add_moved_blocks(page, gold, partner, is_in_text)
    return is_in_text


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of several pieces (blocks or lines), concatenated."""

    words: list[str]
    starts: list[int]  # index of the first word of each piece, and the total

    def piece(self, number: int) -> range:
        return range(self.starts[number], self.starts[number + 1])


@dataclass(frozen=True, slots=True)
class _Span:
    """The part of the text that a block is aligned to: indices of its first and last word."""

    first: int
    last: int
    is_short: bool


def _split_pieces(pieces: Sequence[str]) -> _Words:
    words: list[str] = []
    starts = [0]
    for piece in pieces:
        words += split_words(piece)
        starts.append(len(words))
    return _Words(words, starts)


def _align_words(page: list[str], gold: list[str]) -> list[int]:
    """Return for each word of the page the index of its partner in the text, or _UNALIGNED."""
    partner = [_UNALIGNED] * len(page)
    page_start = gold_start = 0  # end of what the previous anchor covers
    for page_index, gold_index in [*_find_anchors(page, gold), (len(page), len(gold))]:
        if page_index < page_start or gold_index < gold_start:
            continue  # covered by the previous anchor
        at, to = page_index, gold_index
        while at > page_start and to > gold_start and page[at - 1] == gold[to - 1]:
            at, to = at - 1, to - 1
        _align_gap(page, gold, partner, range(page_start, at), range(gold_start, to))
        while at < len(page) and to < len(gold) and page[at] == gold[to]:
            partner[at] = to
            at, to = at + 1, to + 1
        page_start, gold_start = at, to
    return partner


def _find_anchors(page: list[str], gold: list[str]) -> list[tuple[int, int]]:
    """Return the indices of word runs that are unique on both sides, ascending on both."""
    in_page, in_gold = _index_unique_runs(page), _index_unique_runs(gold)
    pairs = sorted((at, in_gold[run]) for run, at in in_page.items() if at >= 0 and in_gold.get(run, -1) >= 0)
    return _find_longest_ascent(pairs)


def _index_unique_runs(words: list[str]) -> dict[tuple[str, ...], int]:
    """Return the index of each run of words, or -1 for a run that occurs more than once."""
    runs: dict[tuple[str, ...], int] = {}
    columns = (words[shift:] for shift in range(ANCHOR_WORDS))
    for index, run in enumerate(zip(*columns, strict=False)):
        runs[run] = -1 if run in runs else index
    return runs


def _find_longest_ascent(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence in which the second numbers ascend (patience sorting)."""
    tops: list[int] = []  # smallest last value of an ascent of each length
    ends: list[int] = []  # number of the pair with that value
    previous: list[int] = []
    for number, (_, value) in enumerate(pairs):
        pile = bisect_right(tops, value)
        if pile == len(tops):
            tops.append(value)
            ends.append(number)
        else:
            tops[pile] = value
            ends[pile] = number
        previous.append(ends[pile - 1] if pile else -1)
    chain: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append(pairs[number])
        number = previous[number]
    return chain[::-1]


def _align_gap(page: list[str], gold: list[str], partner: list[int], page_gap: range, gold_gap: range) -> None:
    """Align the words between two anchors."""
    if not page_gap or not gold_gap or len(page_gap) * len(gold_gap) > MAX_GAP_CELLS:
        return
    page_words, gold_words = page[page_gap.start : page_gap.stop], gold[gold_gap.start : gold_gap.stop]
    for operation in LCSseq.opcodes(page_words, gold_words):
        if operation.tag == "equal":
            shift = gold_gap.start + operation.dest_start - operation.src_start
            for index in range(operation.src_start, operation.src_end):
                partner[page_gap.start + index] = index + shift


def _take_over_words(page: _Words, gold: _Words, partner: list[int]) -> None:
    """Extend the aligned runs of each block over words that equal words of other blocks are aligned to."""
    transfer = _Transfer(page.words, gold.words, partner)
    for block in range(len(page.starts) - 1):
        words = page.piece(block)
        if _UNALIGNED not in partner[words.start : words.stop]:
            continue
        for step, order in ((-1, words), (1, reversed(words))):
            for index in order:
                if partner[index] >= 0 and index + step in words:
                    transfer.extend(index, step, words)


class _Transfer:
    """Moves partners from one word of the page to another."""

    def __init__(self, page: list[str], gold: list[str], partner: list[int]) -> None:
        self.page, self.gold, self.partner = page, gold, partner
        self.owner = [_UNALIGNED] * len(gold)  # word of the page that each word of the text is aligned to
        for index, to in enumerate(partner):
            if to >= 0:
                self.owner[to] = index

    def extend(self, index: int, step: int, block: range) -> None:
        """Align the unaligned words beside an aligned word of a block, up to the first that differs."""
        page, gold, partner, owner = self.page, self.gold, self.partner, self.owner
        to = partner[index] + step
        index += step
        while index in block and partner[index] < 0 and 0 <= to < len(gold) and page[index] == gold[to]:
            other = owner[to]
            if other >= 0:
                if other in block:
                    return
                partner[other] = _UNALIGNED
            partner[index], owner[to] = to, index
            index, to = index + step, to + step


def _find_span(page: _Words, partner: list[int], block: int) -> _Span | None:
    """Return the part of the text that a block is aligned to, or None if too few of its words are aligned."""
    words = page.piece(block)
    partners = [to for to in partner[words.start : words.stop] if to >= 0]
    if not partners:
        return None
    if len(words) < SHORT_BLOCK_WORDS:
        is_whole = len(partners) == len(words) and partners[-1] - partners[0] == len(words) - 1
        return _Span(partners[0], partners[-1], is_short=True) if is_whole else None
    is_aligned = len(partners) >= MIN_ALIGNED_SHARE * len(words)
    return _Span(partners[0], partners[-1], is_short=False) if is_aligned else None


def _check_short_blocks(gold: _Words, spans: list[_Span | None]) -> list[bool]:
    """Accept a short block only if it makes up whole lines or continues the line of another block."""
    starts = set(gold.starts)
    adjacent = {index for span in spans if span for index in (span.first - 1, span.last + 1)}
    is_accepted = []
    for span in spans:
        if span is None:
            is_accepted.append(False)
        elif span.is_short:
            is_start = span.first in starts or span.first in adjacent
            is_end = span.last + 1 in starts or span.last in adjacent
            is_accepted.append(is_start and is_end)
        else:
            is_accepted.append(True)
    return is_accepted


def _add_moved_blocks(page: _Words, gold: _Words, partner: list[int], is_in_text: list[bool]) -> None:
    """Accept long blocks that occur in the text, but in another order."""
    aligned = set(partner)
    free = [word if index not in aligned else "" for index, word in enumerate(gold.words)]
    runs = {run for run in _index_unique_runs(free) if "" not in run}
    if not runs:
        return
    for block, is_accepted in enumerate(is_in_text):
        words = page.words[page.starts[block] : page.starts[block + 1]]
        if is_accepted or len(words) < MIN_MOVED_WORDS:
            continue
        count = len(words) - ANCHOR_WORDS + 1
        common = sum(tuple(words[index : index + ANCHOR_WORDS]) in runs for index in range(count))
        is_in_text[block] = common >= MIN_MOVED_SHARE * count


# Remove the headline from texts before they are compared.
# Some gold texts and some extractors begin with the headline, others leave it out. The first line of a text is removed
# if it is the headline: if, folded to lower-case words, it equals the gold title, an `<h1>` of the page, its `<title>`,
# or a part of the `<title>` between separators (` - `, ` | `, `: `, ...).
# Not shared with fields/site_name.py: the separators there may change, whereas the reference figures of the labelled
# pages were computed with these.
_SEPARATOR = re.compile(r"\s[-–—|:·•»«/~]+\s|[|]|:\s")


def find_headlines(page: Page, title: str | None = None) -> frozenset[str]:
    """Return every text that counts as the headline of the page, folded to lower-case words."""
    headlines = {title} if title else set()
    nodes = page.nodes
    for row, tag in enumerate(nodes.tag):
        if tag == "h1":
            headlines.add(nodes.text_of(row))
        elif tag == "title":
            text = nodes.text_of(row)
            headlines.add(text)
            headlines.update(_SEPARATOR.split(text))
    return frozenset(filter(None, map(fold_words, headlines)))


def drop_headline(text: str, headlines: frozenset[str]) -> str:
    """Return the text without empty lines, and without its first line if that is a headline."""
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and fold_words(lines[0]) in headlines:
        del lines[0]
    return "\n".join(lines)
