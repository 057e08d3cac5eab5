"""Long pages in pieces (section IV-B), and how the pieces overlap (ours: the open problem of section V)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from broadsheet.methods.semtext.config import SemtextConfig


@dataclass(frozen=True, slots=True)
class Window:
    """Units that the network reads, and those among them that it labels."""

    first: int
    beyond: int
    own_first: int
    own_beyond: int

    def __len__(self) -> int:
        return self.beyond - self.first


def split_evenly(count: int, most: int) -> Iterator[range]:
    """Split a sequence into as few parts as hold at most so many, as evenly as possible, in order."""
    parts = -(-count // most)
    for part in range(parts):
        yield range(count * part // parts, count * (part + 1) // parts)


def make_windows(count: int, config: SemtextConfig) -> list[Window]:
    """Split a page of so many units. Each window sees `overlap` units beyond its own on either side."""
    return [
        Window(max(part.start - config.overlap, 0), min(part.stop + config.overlap, count), part.start, part.stop)
        for part in split_evenly(count, config.max_blocks)
    ]
