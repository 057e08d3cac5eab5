"""Blocks: the smallest pieces of a page that are either article or not. All methods label these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Tag and class-name paths from the root, each stored once: equal numbers are equal paths."""

    parent: Sequence[int]  # number of the path without its last step; path 0 is the empty one
    step: Sequence[str]  # the last step

    def steps(self, path: int) -> tuple[str, ...]:
        """Write a path out, the root first."""
        found: list[str] = []
        while path:
            found.append(self.step[path])
            path = self.parent[path]
        return tuple(reversed(found))


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The blocks of a page in order, as columns; row b of each column belongs to block b."""

    text: Sequence[str]  # white space folded; a lone <br> is a line break
    first: Sequence[int]  # node row of its first text
    last: Sequence[int]  # node row of its last text
    container: Sequence[int]  # node row of the innermost container (group 3) around it
    link_chars: Sequence[int]  # characters of its text that stand in links
    meaning: Sequence[int]  # bits of blocks.tags: what it stands in
    tag_path: Sequence[int]  # containers from the root to it, a number in `tag_paths`
    class_path: Sequence[int]  # class names from the root to it, a number in `class_paths`
    group: Sequence[int]  # text block that the combine phase puts it into, counted from 0
    tag_paths: Paths
    class_paths: Paths

    def __len__(self) -> int:
        return len(self.text)

    def has(self, block: int, meaning: int) -> bool:
        """Tell whether a block stands in something, e.g. `blocks.has(3, tags.LIST)`."""
        return bool(self.meaning[block] & meaning)

    def link_share(self, block: int) -> float:
        """Share of the block's characters that stand in links."""
        return self.link_chars[block] / max(len(self.text[block]), 1)
