"""Gold text to blocks: which blocks of a page does a text consist of?

Gold texts were copied, typed over, repaired: they differ from the page in small ways, and a word such as "Sports"
stands in the menu as well as in the article. So the words of page and text are aligned in order, as a diff does it:

1. runs of four words that both sides have exactly once are anchors; the longest ascending chain of them is kept and
   each is grown in both directions (patience diff, after Bram Cohen);
2. what lies between two anchors is aligned by its longest common subsequence;
3. a block takes back words that an equal word of a neighbour was aligned to (a diff may choose either);
4. a block belongs to the text when most of its words are aligned; a short one when all of them are, without a gap,
   and it makes up whole lines of the text or touches another block's part of the line;
5. blocks whose run of words is in the text, but in another order, are added at the end.

About linear in the words: only the gaps are compared quadratically, and a gap too large for that is skipped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from broadsheet.text import split_words

ANCHOR_WORDS = 4
SHORT_BLOCK = 5  # words; fewer: all of them must be aligned
MIN_SHARE = 0.6  # of the words of a longer block
MAX_GAP_CELLS = 40_000_000  # words x words of a gap that is still compared: about 0.05 s and 5 MB
STRAY_WORDS = 8  # a block of that many words may stand in another order than in the text
STRAY_SHARE = 0.8


def align_text(blocks: Sequence[str], text: str) -> list[bool]:
    """Tell for each block whether the text contains it."""
    page = _split_blocks(blocks)
    gold = _split_lines(text)
    if not page.words or not gold.words:
        return [False] * len(blocks)
    partner = _align_words(page.words, gold.words)
    _take_back(page, gold, partner)
    spans = [_judge(page, partner, block) for block in range(len(blocks))]
    kept = _drop_loose(gold, spans)
    _add_strays(page, gold, partner, kept)
    return kept


@dataclass(frozen=True, slots=True)
class _Words:
    """Words of several pieces (blocks, or lines), one after the other."""

    words: list[str]
    starts: list[int]  # where each piece begins; one more at the end

    def piece(self, at: int) -> range:
        return range(self.starts[at], self.starts[at + 1])


@dataclass(frozen=True, slots=True)
class _Span:
    """The part of the text that a block is aligned to."""

    first: int
    last: int
    is_short: bool


def _split_blocks(pieces: Sequence[str]) -> _Words:
    words: list[str] = []
    starts = [0]
    for piece in pieces:
        words += split_words(piece)
        starts.append(len(words))
    return _Words(words, starts)


def _split_lines(text: str) -> _Words:
    return _split_blocks(text.split("\n"))


def _align_words(page: list[str], gold: list[str]) -> list[int]:
    """For each word of the page the place of its partner in the text, or -1."""
    partner = [-1] * len(page)
    before_page = before_gold = 0
    for start, place in [*_find_anchors(page, gold), (len(page), len(gold))]:
        if start < before_page or place < before_gold:
            continue  # inside what an earlier anchor has grown over
        at, to = start, place
        while at > before_page and to > before_gold and page[at - 1] == gold[to - 1]:
            at, to = at - 1, to - 1
        _fill_gap(page, gold, partner, range(before_page, at), range(before_gold, to))
        while at < len(page) and to < len(gold) and page[at] == gold[to]:
            partner[at] = to
            at, to = at + 1, to + 1
        before_page, before_gold = at, to
    return partner


def _find_anchors(page: list[str], gold: list[str]) -> list[tuple[int, int]]:
    """Places of word runs that both sides have once, ascending on both."""
    in_page, in_gold = _find_unique_runs(page), _find_unique_runs(gold)
    pairs = sorted((at, in_gold[run]) for run, at in in_page.items() if at >= 0 and in_gold.get(run, -1) >= 0)
    return _longest_ascent(pairs)


def _find_unique_runs(words: list[str]) -> dict[tuple[str, ...], int]:
    """Place of each run of words; -1 where it stands more than once."""
    runs: dict[tuple[str, ...], int] = {}
    columns = (words[shift:] for shift in range(ANCHOR_WORDS))
    for at, run in enumerate(zip(*columns, strict=False)):
        runs[run] = -1 if run in runs else at
    return runs


def _longest_ascent(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Longest subsequence with ascending second parts (patience sorting)."""
    tops: list[int] = []  # smallest end of an ascent of each length
    ends: list[int] = []  # the pair that stands there
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        pile = bisect_right(tops, place)
        if pile == len(tops):
            tops.append(place)
            ends.append(number)
        else:
            tops[pile] = place
            ends[pile] = number
        before.append(ends[pile - 1] if pile else -1)
    chain: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _fill_gap(page: list[str], gold: list[str], partner: list[int], here: range, there: range) -> None:
    """Align what lies between two anchors."""
    if not here or not there or len(here) * len(there) > MAX_GAP_CELLS:
        return
    left, right = page[here.start : here.stop], gold[there.start : there.stop]
    for operation in LCSseq.opcodes(left, right):
        if operation.tag == "equal":
            shift = there.start + operation.dest_start - operation.src_start
            for at in range(operation.src_start, operation.src_end):
                partner[here.start + at] = at + shift


def _take_back(page: _Words, gold: _Words, partner: list[int]) -> None:
    """Let each run of aligned words grow over words of the same block that a neighbour's equal words hold."""
    holder = [-1] * len(gold.words)
    for at, place in enumerate(partner):
        if place >= 0:
            holder[place] = at
    for block in range(len(page.starts) - 1):
        words = page.piece(block)
        if -1 not in partner[words.start : words.stop]:
            continue
        for step, order in ((-1, words), (1, reversed(words))):
            for at in order:
                beside = at + step
                if partner[at] >= 0 and beside in words:
                    _grow(page, gold, partner, holder, at, step, words)


def _grow(page: _Words, gold: _Words, partner: list[int], holder: list[int], at: int, step: int, words: range) -> None:
    place = partner[at] + step
    at += step
    while at in words and partner[at] < 0 and 0 <= place < len(gold.words) and page.words[at] == gold.words[place]:
        other = holder[place]
        if other >= 0:
            if other in words:
                return
            partner[other] = -1
        partner[at], holder[place] = place, at
        at, place = at + step, place + step


def _judge(page: _Words, partner: list[int], block: int) -> _Span | None:
    """Where in the text a block stands, if enough of it does."""
    words = page.piece(block)
    places = [place for place in partner[words.start : words.stop] if place >= 0]
    if not places:
        return None
    if len(words) < SHORT_BLOCK:
        is_whole = len(places) == len(words) and places[-1] - places[0] == len(words) - 1
        return _Span(places[0], places[-1], is_short=True) if is_whole else None
    return _Span(places[0], places[-1], is_short=False) if len(places) >= MIN_SHARE * len(words) else None


def _drop_loose(gold: _Words, spans: list[_Span | None]) -> list[bool]:
    """Keep a short block only where it fills lines, or continues the line of another block."""
    starts = set(gold.starts)
    touching = {end for span in spans if span for end in (span.first - 1, span.last + 1)}
    kept = []
    for span in spans:
        if span is None:
            kept.append(False)
        elif span.is_short:
            begins = span.first in starts or span.first in touching
            ends = span.last + 1 in starts or span.last in touching
            kept.append(begins and ends)
        else:
            kept.append(True)
    return kept


def _add_strays(page: _Words, gold: _Words, partner: list[int], kept: list[bool]) -> None:
    """Add long blocks that stand in the text, but in another order."""
    taken = set(partner)
    free = [word if place not in taken else "" for place, word in enumerate(gold.words)]
    runs = {run for run in _find_unique_runs(free) if "" not in run}
    if not runs:
        return
    for block, is_kept in enumerate(kept):
        words = page.words[page.starts[block] : page.starts[block + 1]]
        if is_kept or len(words) < STRAY_WORDS:
            continue
        count = len(words) - ANCHOR_WORDS + 1
        found = sum(tuple(words[at : at + ANCHOR_WORDS]) in runs for at in range(count))
        kept[block] = found >= STRAY_SHARE * count
