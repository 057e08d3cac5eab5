"""ROUGE-LSum: longest common subsequences of lines, united for each line of the gold text.

Source: Lin 2004, "ROUGE: a package for automatic evaluation of summaries", section 3.2, with the clipped counts of
Google's `rouge-score` (rougeLsum), as in the fundus study. Lines are used instead of sentences. Words are split as in
the other measures, so that all scripts count (rouge-score keeps only a-z and 0-9).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

from broadsheet.evaluation.measures.overlap import Score, score_counts
from broadsheet.text import split_words

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
