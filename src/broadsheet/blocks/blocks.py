"""Blocks: the smallest units of a page that are labelled. All methods label the same blocks."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

from broadsheet.blocks.paths import LazyBlockPaths, PathTable


class BlockRows(Sequence[Sequence[int]]):
    """The node rows of each block, as slices of one array."""

    __slots__ = ("ends", "rows")

    def __init__(self, rows: array[int], ends: array[int]) -> None:
        self.rows = rows  # of all blocks, in sequence
        self.ends = ends  # of each block: the end of its rows

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, key: int) -> Sequence[int]: ...
    @overload
    def __getitem__(self, key: slice) -> list[Sequence[int]]: ...
    def __getitem__(self, key: int | slice) -> Any:
        """Return the rows of a block, or of several."""
        if isinstance(key, slice):
            return [self[block] for block in range(*key.indices(len(self)))]
        block = range(len(self))[key]
        return self.rows[self.ends[block - 1] if block else 0 : self.ends[block]]


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The blocks of a page in document order, as columns: item b of each column belongs to block b."""

    text: list[str]  # white space collapsed; a single <br> is a newline
    rows: BlockRows  # node rows of its text nodes and of the <br> inside it, in order
    first: Sequence[int]  # the first of these rows, always a text node
    last: Sequence[int]  # the last of these rows
    container: Sequence[int]  # node row of the innermost container around it
    link_chars: Sequence[int]  # number of its characters inside links
    context: Sequence[int]  # context flags of page.tags: the elements it is inside
    headline: int  # the block that shows the headline, -1 if there is none
    paths: LazyBlockPaths

    def __len__(self) -> int:
        return len(self.text)

    def has(self, block: int, flags: int) -> bool:
        """Tell whether a block has one of the context flags, e.g. `blocks.has(3, tags.LIST)`."""
        return bool(self.context[block] & flags)

    def link_share(self, block: int) -> float:
        """Return the share of the block's characters that are inside links."""
        return self.link_chars[block] / max(len(self.text[block]), 1)

    @property
    def tag_path(self) -> Sequence[int]:
        """Tag path of each block: its containers from the root, as an index into `tag_paths`."""
        return self.paths.get().tag_path

    @property
    def class_path(self) -> Sequence[int]:
        """Class path of each block: class names from the root, as an index into `class_paths`."""
        return self.paths.get().class_path

    @property
    def group(self) -> Sequence[int]:
        """Group of each block, from 0: the text block that the combine phase of SemText puts it into."""
        return self.paths.get().group

    @property
    def tag_paths(self) -> PathTable:
        """All tag paths; `blocks.tag_paths.steps(blocks.tag_path[3])` gives the tags of block 3."""
        return self.paths.get().tag_paths

    @property
    def class_paths(self) -> PathTable:
        """All class paths; `blocks.class_paths.steps(blocks.class_path[3])` gives the class names of block 3."""
        return self.paths.get().class_paths
