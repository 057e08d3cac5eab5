"""Splitting of long pages (section IV-B), with overlap (ours: the open problem of section V)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from broadsheet.methods.semtext.config import SemtextConfig


@dataclass(frozen=True, slots=True)
class Window:
    """Units `first` to `end` - 1, which the network reads, and the part of them that it labels."""

    first: int
    end: int
    label_first: int
    label_end: int

    def __len__(self) -> int:
        return self.end - self.first


def split_evenly(count: int, max_size: int) -> Iterator[range]:
    """Split a sequence into as few parts of at most `max_size` as possible, as evenly as possible."""
    parts = -(-count // max_size)
    for part in range(parts):
        yield range(count * part // parts, count * (part + 1) // parts)


def make_windows(count: int, config: SemtextConfig) -> list[Window]:
    """Split a page of `count` units. A window reads `overlap` units on either side of those that it labels."""
    return [
        Window(max(part.start - config.overlap, 0), min(part.stop + config.overlap, count), part.start, part.stop)
        for part in split_evenly(count, config.max_blocks)
    ]
