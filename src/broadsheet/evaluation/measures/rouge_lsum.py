"""ROUGE-LSum: longest common subsequences of lines, united for each line of the gold text.

Source: Lin 2004, "ROUGE: a package for automatic evaluation of summaries", section 3.2, with the clipped counts of
Google's `rouge-score` (rougeLsum), as the fundus study uses it. Lines take the place of sentences. Words are split as
everywhere here, so that other scripts count too (rouge-score keeps only a-z and 0-9).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import LCSseq

from broadsheet.evaluation.measures.overlap import Score, score_counts
from broadsheet.text import split_words

# Lines that both sides have alike need no comparison. Where so many others remain that comparing all pairs would take
# seconds, only the lines that are not alike are compared with one another.
MAX_PAIRS = 20_000


def score_rouge_lsum(output: str, gold: str) -> Score:
    """Compare two texts line by line."""
    output_lines, gold_lines = _split_lines(output), _split_lines(gold)
    left_output = Counter(word for line in output_lines for word in line)
    left_gold = Counter(word for line in gold_lines for word in line)
    given, due = left_output.total(), left_gold.total()
    same = set(map(tuple, output_lines))
    open_lines = sum(tuple(line) not in same for line in gold_lines)
    if open_lines * len(output_lines) > MAX_PAIRS:
        wanted = set(map(tuple, gold_lines))
        output_lines = [line for line in output_lines if tuple(line) not in wanted][: MAX_PAIRS // open_lines + 1]
    hits = 0
    for line in gold_lines:
        for word in line if tuple(line) in same else _unite(line, output_lines):
            if left_output[word] > 0 and left_gold[word] > 0:
                hits += 1
                left_output[word] -= 1
                left_gold[word] -= 1
    return score_counts(hits, given, due)


def _split_lines(text: str) -> list[list[str]]:
    return [words for line in text.split("\n") if (words := split_words(line))]


def _unite(line: Sequence[str], others: Sequence[Sequence[str]]) -> list[str]:
    """Words of a line that are in its longest common subsequence with any of the others."""
    found: set[int] = set()
    words = set(line)
    for other in others:
        if words.isdisjoint(other):
            continue
        for operation in LCSseq.opcodes(line, other):
            if operation.tag == "equal":
                found.update(range(operation.src_start, operation.src_end))
        if len(found) == len(line):
            break
    return [line[at] for at in sorted(found)]
