"""Block P/R/F1 and node P/R/F1.

Blocks: all blocks have the same weight, pooled over all pages (SemText, section IV-C). The headline is not counted,
because only some gold texts include it.

Nodes: as in the GCN paper (section 6), every element of the page is a sample of one of two classes; an element is
positive if it contains a block of the article directly. Micro averages pool both classes (always near 1, since few
elements are positive); macro averages take the mean of the two classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from broadsheet.blocks import Blocks


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
