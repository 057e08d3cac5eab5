"""Rows as published: lines of the HTML source without its tags (section III-A, Algorithm 1, and Definition 1)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from html import unescape
from itertools import accumulate

_START = re.compile(r"<!--|<(script|style)\b", re.IGNORECASE)
_ENDS = {
    "": re.compile("-->"),
    "script": re.compile(r"</script[^<>]*>", re.IGNORECASE),
    "style": re.compile(r"</style[^<>]*>", re.IGNORECASE),
}
_TAG = re.compile("<[^<>]*>")
_MAX_GAP = 5_000  # characters of lines without a block between two blocks, such as options of a form
_MIN_KEPT_SHARE = 0.5  # of a block's characters in kept lines


def read_lines(source: str) -> list[str]:
    """Return the lines of a page after scripts, styles, comments and tags are removed (Algorithm 1)."""
    return unescape(_TAG.sub("", _remove_scripts(source))).split("\n")


def _remove_scripts(source: str) -> str:
    pieces: list[str] = []
    position = 0
    while start := _START.search(source, position):
        pieces.append(source[position : start.start()])
        end = _ENDS[(start[1] or "").lower()].search(source, start.end())
        if end is None:
            return "".join(pieces)
        position = end.end()
    pieces.append(source[position:])
    return "".join(pieces)


def find_blocks_in_lines(texts: Sequence[str], lines: Sequence[str], kept: Collection[int]) -> list[int]:
    """Return the indices of the block texts that are mostly in the kept lines.

    Blocks and lines have the same order, and differ in white space. A text that is not found is not kept.
    """
    packed_lines = ["".join(line.split()) for line in lines]
    packed = "".join(packed_lines)
    kept_chars = [len(line) if number in kept else 0 for number, line in enumerate(packed_lines)]
    line_starts = [0, *accumulate(map(len, packed_lines))]
    is_kept = bytearray(len(packed))
    for number in kept:
        is_kept[line_starts[number] : line_starts[number + 1]] = b"\1" * kept_chars[number]
    kept_blocks: list[int] = []
    position = 0
    for block, text in enumerate(texts):
        packed_text = "".join(text.split())
        length = len(packed_text)
        start = packed.find(packed_text, position, position + length + _MAX_GAP)
        if start >= 0:
            position = start + length
            if is_kept.count(1, start, position) > _MIN_KEPT_SHARE * length:
                kept_blocks.append(block)
    return kept_blocks
