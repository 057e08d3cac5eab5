"""Blocks: the smallest pieces of a page that are either article or not. All methods label these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from broadsheet.blocks.paths import LazyPaths, Paths


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The blocks of a page in order, as columns; row b of each column belongs to block b."""

    text: Sequence[str]  # white space folded; a lone <br> is a line break
    rows: Sequence[Sequence[int]]  # node rows of its text and of breaks inside it, in order
    first: Sequence[int]  # the first of them, which is text
    last: Sequence[int]  # the last of them
    container: Sequence[int]  # node row of the innermost container (group 3) around it
    link_chars: Sequence[int]  # characters of its text that stand in links
    context: Sequence[int]  # bits of page.tags: what it stands in
    headline: int  # the block that shows the headline, -1 when none does
    places: LazyPaths

    def __len__(self) -> int:
        return len(self.text)

    def has(self, block: int, meaning: int) -> bool:
        """Tell whether a block stands in something, e.g. `blocks.has(3, tags.LIST)`."""
        return bool(self.context[block] & meaning)

    def link_share(self, block: int) -> float:
        """Share of the block's characters that stand in links."""
        return self.link_chars[block] / max(len(self.text[block]), 1)

    @property
    def tag_path(self) -> Sequence[int]:
        """Containers from the root to each block, as numbers of `tag_paths`."""
        return self.places.get().tag_path

    @property
    def class_path(self) -> Sequence[int]:
        """Class names from the root to each block, as numbers of `class_paths`."""
        return self.places.get().class_path

    @property
    def group(self) -> Sequence[int]:
        """Text block that the combine phase of SCS puts each block into, counted from 0."""
        return self.places.get().group

    @property
    def tag_paths(self) -> Paths:
        """Write tag paths out: `blocks.tag_paths.steps(blocks.tag_path[3])`."""
        return self.places.get().tag_paths

    @property
    def class_paths(self) -> Paths:
        """Write class paths out: `blocks.class_paths.steps(blocks.class_path[3])`."""
        return self.places.get().class_paths
