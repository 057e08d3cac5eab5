"""Block P/R/F1 and node P/R/F1.

Blocks: each block of a page counts alike, over all pages together (SemText, section IV-C). A headline is nobody's right
or wrong: gold texts differ in having it.

Nodes: as in the GCN paper (section 6), every element of the page is one sample of two classes; an element is positive
when it holds a block of the article. Micro averages pool both classes (with so few positives they are always near 1),
macro averages take the mean of the two classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from broadsheet.blocks import Blocks


@dataclass(frozen=True, slots=True)
class Hits:
    """Samples by what they are and what they were taken for."""

    right: int  # kept, and gold
    extra: int  # kept, not gold
    missed: int  # gold, not kept
    left_out: int  # neither


def count_blocks(kept: Sequence[bool], gold: Sequence[bool], ignored: Sequence[bool]) -> Hits:
    """Count the blocks of a page."""
    pairs = [(k, g) for k, g, out in zip(kept, gold, ignored, strict=True) if not out]
    return _count(pairs)


def count_nodes(
    blocks: Blocks, kept: Sequence[bool], gold: Sequence[bool], ignored: Sequence[bool], elements: int
) -> Hits:
    """Count the elements of a page: those that directly hold kept or gold blocks, and all the others."""
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


def _count(pairs: Sequence[tuple[bool, bool]]) -> Hits:
    right = sum(k and g for k, g in pairs)
    kept, gold = sum(k for k, _ in pairs), sum(g for _, g in pairs)
    return Hits(right, kept - right, gold - right, len(pairs) - kept - gold + right)
