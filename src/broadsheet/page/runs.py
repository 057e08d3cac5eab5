"""Runs: the visible text of a page, cut at the borders of containers.

This is the first step of segmentation (the search phase of SemText, section III-A):

1. A run collects text nodes and `<br>` elements in document order.
2. Each start tag and each end tag of a container (`tags.CONTAINERS`) ends the run.
3. Text inside dropped elements (`tags.DROPPED`) and hidden inline elements is left out. Text of hidden containers is
   kept; its blocks have the context flag `tags.HIDDEN`.

`page.parser` makes the runs in the pass that fills the node table, to save a second pass over all nodes.
`blocks.segment` makes one block of each run, or several where `<br><br>` separates paragraphs.
"""

from __future__ import annotations

# The row of the innermost container around the run (-1: none), the rows of its text nodes and breaks, those of them
# inside links, and the number of breaks. A plain tuple: a named tuple takes eight times as long to create.
TextRun = tuple[int, list[int], list[int], int]
