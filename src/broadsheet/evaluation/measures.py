"""Measures of a page, each with its source: text, blocks, snippets, title, date, authors, calibration, speed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from rapidfuzz.distance import Indel, LCSseq

from broadsheet.blocks import Blocks
from broadsheet.text import fold_words, split_words


@dataclass(frozen=True, slots=True)
class Score:
    """Precision and recall."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return harmonic_mean(self.precision, self.recall)


def harmonic_mean(left: float, right: float) -> float:
    """Return 2lr / (l + r), or 0 if both are 0."""
    return 2 * left * right / (left + right) if left + right else 0.0


def score_bags(output: Counter[Hashable], gold: Counter[Hashable]) -> Score:
    """Compare two multisets. Two empty ones score 1; one empty and one not score 0."""
    small, large = (output, gold) if len(output) < len(gold) else (gold, output)
    common = sum(min(count, large[item]) for item, count in small.items())
    return score_counts(common, output.total(), gold.total())


def score_counts(common: float, output: float, gold: float) -> Score:
    """Return the score of counts: items in both, items of the output, items of the gold."""
    if not output and not gold:
        return Score(1.0, 1.0)
    return Score(common / output if output else 0.0, common / gold if gold else 0.0)


# Word P/R/F1: multisets of lower-case words, or of characters in scripts without spaces such as CJK and Thai.
# Source: the token overlap of SQuAD (Rajpurkar et al. 2016) and of WCXB, per page, then averaged over pages.
def score_words(output: Sequence[str], gold: Sequence[str]) -> Score:
    """Compare the words of two texts, regardless of their order."""
    return score_bags(Counter(output), Counter(gold))


# Shingle P/R: multisets of four-word runs, so that the order of words counts.
# Source: scrapinghub/article-extraction-benchmark (`evaluate.py`). F1 of a set of pages is the F1 of the averaged
# precision and the averaged recall. One difference: there, a page without output does not lower the precision; here its
# precision is 0, so that an extractor without output does not get a high precision.
SHINGLE_WORDS = 4


def score_shingles(output: Sequence[str], gold: Sequence[str]) -> Score:
    """Compare the four-word runs of two texts, given as words."""
    return score_bags(_count_shingles(output), _count_shingles(gold))


def _count_shingles(words: Sequence[str]) -> Counter[Hashable]:
    if len(words) < SHINGLE_WORDS:
        return Counter([tuple(words)] if words else [])
    columns = (words[shift:] for shift in range(SHINGLE_WORDS))
    return Counter(zip(*columns, strict=False))


# ROUGE-LSum: longest common subsequences of lines, united for each line of the gold text.
# Source: Lin 2004, "ROUGE: a package for automatic evaluation of summaries", section 3.2, with the clipped counts of
# Google's `rouge-score` (rougeLsum), as in the fundus study. Lines are used instead of sentences. Words are split as in
# the other measures, so that all scripts count (rouge-score keeps only a-z and 0-9).

# Equal lines need no comparison. If comparing all other pairs of lines would take seconds, lines of the output that
# equal a gold line are left out of it.
MAX_PAIRS = 20_000


def score_rouge_lsum(output: str, gold: str) -> Score:
    """Compare two texts line by line."""
    output_lines, gold_lines = _split_lines(output), _split_lines(gold)
    output_left = Counter(word for line in output_lines for word in line)
    gold_left = Counter(word for line in gold_lines for word in line)
    output_total, gold_total = output_left.total(), gold_left.total()
    output_set = set(output_lines)
    open_count = sum(line not in output_set for line in gold_lines)
    if open_count * len(output_lines) > MAX_PAIRS:
        gold_set = set(gold_lines)
        output_lines = [line for line in output_lines if line not in gold_set][: MAX_PAIRS // open_count + 1]
    hits = 0
    for line in gold_lines:
        for word in line if line in output_set else _find_common_words(line, output_lines):
            if output_left[word] > 0 and gold_left[word] > 0:
                hits += 1
                output_left[word] -= 1
                gold_left[word] -= 1
    return score_counts(hits, output_total, gold_total)


def _split_lines(text: str) -> list[tuple[str, ...]]:
    return [tuple(words) for line in text.split("\n") if (words := split_words(line))]


def _find_common_words(line: Sequence[str], others: Sequence[Sequence[str]]) -> list[str]:
    """Return the words of a line that are in its longest common subsequence with any other line."""
    positions: set[int] = set()
    words = set(line)
    for other in others:
        if words.isdisjoint(other):
            continue
        for operation in LCSseq.opcodes(line, other):
            if operation.tag == "equal":
                positions.update(range(operation.src_start, operation.src_end))
        if len(positions) == len(line):
            break
    return [line[position] for position in sorted(positions)]


# Edit distance in characters: insertions and deletions cost 1, a substitution 2.
# Source: the GCN paper (section 6, "Metrics"), averaged over pages; lower is better. With these costs it is the
# insert-delete distance, which rapidfuzz computes 64 characters at a time.

# Of longer texts only the first part is compared: two texts of a million characters would take a minute.
MAX_CHARS = 200_000


def measure_edit_distance(output: str, gold: str) -> float:
    """Return the cost of turning the output into the gold text. Runs of white space count as one space."""
    output, gold = " ".join(output.split()), " ".join(gold.split())
    rest = abs(max(len(output) - MAX_CHARS, 0) - max(len(gold) - MAX_CHARS, 0))
    return float(Indel.distance(output[:MAX_CHARS], gold[:MAX_CHARS]) + rest)


# Block P/R/F1 and node P/R/F1.
# Blocks: all blocks have the same weight, pooled over all pages (SemText, section IV-C). The headline is not counted,
# because only some gold texts include it.
# Nodes: as in the GCN paper (section 6), every element of the page is a sample of one of two classes; an element is
# positive if it contains a block of the article directly. Micro averages pool both classes (always near 1, since few
# elements are positive); macro averages take the mean of the two classes.
@dataclass(frozen=True, slots=True)
class Hits:
    """Counts of a confusion matrix."""

    right: int  # kept, gold
    extra: int  # kept, not gold
    missed: int  # gold, not kept
    left_out: int  # not kept, not gold


def count_blocks(kept: Sequence[bool], gold: Sequence[bool], ignored: Sequence[bool]) -> Hits:
    """Count the blocks of a page."""
    pairs = [
        (is_kept, is_gold) for is_kept, is_gold, is_ignored in zip(kept, gold, ignored, strict=True) if not is_ignored
    ]
    right = sum(is_kept and is_gold for is_kept, is_gold in pairs)
    kept_count, gold_count = sum(is_kept for is_kept, _ in pairs), sum(is_gold for _, is_gold in pairs)
    return Hits(right, kept_count - right, gold_count - right, len(pairs) - kept_count - gold_count + right)


def count_nodes(
    blocks: Blocks, kept: Sequence[bool], gold: Sequence[bool], ignored: Sequence[bool], elements: int
) -> Hits:
    """Count the elements of a page; `elements` is their number."""
    kept_rows: set[int] = set()
    gold_rows: set[int] = set()
    ignored_rows: set[int] = set()
    for row, is_kept, is_gold, is_ignored in zip(blocks.container, kept, gold, ignored, strict=True):
        if is_ignored:
            ignored_rows.add(row)
        else:
            if is_kept:
                kept_rows.add(row)
            if is_gold:
                gold_rows.add(row)
    right, either = len(kept_rows & gold_rows), len(kept_rows | gold_rows)
    left_out = elements - either - len(ignored_rows - kept_rows - gold_rows)
    return Hits(right, len(kept_rows) - right, len(gold_rows) - right, max(left_out, 0))


# Snippet score: pieces of text that the output must, or must not, contain.
# Source: the evaluation of adbar/trafilatura (`tests/evaluate.py`): a required snippet in the output is a true
# positive, one that is missing a false negative, a forbidden one in the output a false positive. Counts are pooled
# over pages. White space and case are folded first.
def count_snippets(output: str, required: Sequence[str], forbidden: Sequence[str]) -> Hits:
    """Count the snippets that are in the output."""
    text = _fold(output)
    right = sum(_fold(snippet) in text for snippet in required)
    extra = sum(_fold(snippet) in text for snippet in forbidden)
    return Hits(right=right, extra=extra, missed=len(required) - right, left_out=len(forbidden) - extra)


def _fold(text: str) -> str:
    return " ".join(text.lower().split())


def score_title(output: str | None, gold: str) -> float:
    """Return 1 if both titles have the same words, else 0. A missing title is not a match."""
    return float(output is not None and fold_words(output) == fold_words(gold))


# Date: the same day, as in the evaluation of htmldate (Barbaresi 2020).
# Days are compared as written. If both dates state a time zone, the same UTC day is a match too.
def score_date(output: str | None, gold: str) -> float:
    """Return 1 if both dates (ISO 8601) are the same day, else 0. A missing date is not a match."""
    if not output:
        return 0.0
    if output[:10] == gold[:10]:
        return 1.0
    output_time, gold_time = _read_zoned_time(output), _read_zoned_time(gold)
    if output_time is None or gold_time is None:
        return 0.0
    return float(output_time.astimezone(UTC).date() == gold_time.astimezone(UTC).date())


def _read_zoned_time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else None


def score_authors(output: Sequence[str], gold: Sequence[str]) -> float:
    """Return the F1 of the names, folded to lower-case words."""
    output_names, gold_names = set(map(fold_words, output)), set(map(fold_words, gold))
    return score_bags(Counter(output_names - {""}), Counter(gold_names - {""})).f1


# Calibration of `confidence`: pages of confidence 0.8 should have a mean F1 of 0.8.
# Source: expected calibration error, Guo et al. 2017, "On calibration of modern neural networks"; the page's word F1
# replaces accuracy, because confidence is the expected F1.
BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Pages whose confidence is in one interval."""

    low: float
    high: float
    pages: int
    confidence: float  # mean
    quality: float  # mean word F1


@dataclass(frozen=True, slots=True)
class Calibration:
    """The reliability curve, and the mean distance of pages from its diagonal."""

    error: float
    bins: tuple[Bin, ...]


def measure_calibration(confidences: Sequence[float], qualities: Sequence[float]) -> Calibration | None:
    """Group pages by confidence and compare the means; None if there are no pages."""
    if not confidences:
        return None
    bins: list[list[tuple[float, float]]] = [[] for _ in range(BINS)]
    for confidence, quality in zip(confidences, qualities, strict=True):
        bins[min(int(confidence * BINS), BINS - 1)].append((confidence, quality))
    filled = [_summarise_bin(number, pairs) for number, pairs in enumerate(bins) if pairs]
    error = sum(filled_bin.pages * abs(filled_bin.confidence - filled_bin.quality) for filled_bin in filled)
    return Calibration(error / len(confidences), tuple(filled))


def _summarise_bin(number: int, pairs: Sequence[tuple[float, float]]) -> Bin:
    return Bin(
        low=number / BINS,
        high=(number + 1) / BINS,
        pages=len(pairs),
        confidence=sum(confidence for confidence, _ in pairs) / len(pairs),
        quality=sum(quality for _, quality in pairs) / len(pairs),
    )


@dataclass(frozen=True, slots=True)
class Speed:
    """Milliseconds per page."""

    median: float
    p95: float


def measure_speed(seconds: Sequence[float]) -> Speed | None:
    """Summarise the times of pages; None if there are no pages."""
    if not seconds:
        return None
    median, p95 = np.percentile(seconds, (50, 95)) * 1000
    return Speed(float(median), float(p95))
