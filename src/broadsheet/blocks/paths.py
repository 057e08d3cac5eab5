"""Tag paths and class paths of blocks, and the groups that the combine phase of SemText puts blocks into.

Methods that read only text do not need them, so they are computed on first use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from broadsheet.page import Nodes


class PathTable(NamedTuple):
    """All different paths from the root, each stored once: equal indices are equal paths. Path 0 is empty."""

    parent: Sequence[int]  # index of the path without its last step
    step: Sequence[str]  # the last step

    def steps(self, path: int) -> tuple[str, ...]:
        """Return the steps of a path, the root first."""
        steps: list[str] = []
        while path:
            steps.append(self.step[path])
            path = self.parent[path]
        return tuple(reversed(steps))


class BlockPaths(NamedTuple):
    """The columns of `Blocks` that describe where each block is in the tree."""

    tag_path: Sequence[int]
    class_path: Sequence[int]
    group: Sequence[int]
    tag_paths: PathTable
    class_paths: PathTable


class LazyBlockPaths:
    """The paths of a page's blocks, computed on first use or when pickled.

    Holds the node table until then, and not after it: an article may outlive its page.
    """

    __slots__ = ("_containers", "_nodes", "_paths")

    def __init__(self, nodes: Nodes, containers: Sequence[int]) -> None:
        self._containers = containers
        self._nodes: Nodes | None = nodes
        self._paths: BlockPaths | None = None

    def get(self) -> BlockPaths:
        """Return the paths; the same object each time."""
        nodes = self._nodes
        if nodes is not None:
            self._paths = find_paths(nodes.outer, nodes.tag, nodes.classes, self._containers)
            self._nodes = None  # last: another thread may read at the same time
        assert self._paths is not None
        return self._paths

    def __getstate__(self) -> BlockPaths:
        return self.get()

    def __setstate__(self, paths: BlockPaths) -> None:
        self._nodes, self._paths = None, paths


def find_paths(
    outer_of: Mapping[int, int], tags: Sequence[str], classes: Sequence[str | None], containers: Sequence[int]
) -> BlockPaths:
    """Find the paths of blocks, given the innermost container of each (see `Nodes` for the other columns)."""
    tag_paths, class_paths = _PathBuilder(), _PathBuilder()
    path_of = {-1: (0, 0)}  # container row -> its tag path and its class path
    for (row, outer), class_name in zip(outer_of.items(), classes, strict=True):
        tag_path, class_path = path_of[outer]
        if class_name:
            class_path = class_paths.extend(class_path, class_name)
        path_of[row] = tag_paths.extend(tag_path, tags[row]), class_path
    return BlockPaths(
        tag_path=[path_of[row][0] for row in containers],
        class_path=[path_of[row][1] for row in containers],
        group=_combine(outer_of, containers, path_of),
        tag_paths=tag_paths.build(),
        class_paths=class_paths.build(),
    )


class _PathBuilder:
    """Builds a path table; the same path gets the same index."""

    def __init__(self) -> None:
        self.parents = [0]
        self.steps = [""]
        self.indices: dict[tuple[int, str], int] = {}

    def extend(self, path: int, step: str) -> int:
        index = self.indices.get((path, step))
        if index is None:
            index = self.indices[path, step] = len(self.steps)
            self.parents.append(path)
            self.steps.append(step)
        return index

    def build(self) -> PathTable:
        return PathTable(self.parents, self.steps)


def _combine(outer: Mapping[int, int], containers: Sequence[int], path_of: Mapping[int, tuple[int, int]]) -> list[int]:
    """Number the groups of neighbouring blocks (the combine phase, SemText, section III-A).

    The cases for a block y after the group of block x, by their containers:
    1. leaf siblings with the same tag path and class path are in one group;
    2. so is y if it is a leaf and the only child of x, with the same class path;
    3. other siblings and only children are in different groups;
    4. otherwise the group of x is complete, and y is compared with its next neighbour. The paper writes this as
       c(x, c(y, z)) and leaves open whether x may then join the group of y; here it does not.
    """
    children = Counter(outer.values())
    groups: list[int] = []
    group, x, is_x_leaf = -1, -1, False
    for y in containers:
        is_y_leaf = not children[y]
        if x == y and groups:
            pass  # the same container: only <br><br> is between them
        elif (
            groups
            and is_y_leaf
            and path_of[x][1] == path_of[y][1]
            and (
                (is_x_leaf and path_of[x][0] == path_of[y][0] and outer.get(x) == outer.get(y))
                or (outer.get(y) == x and children[x] == 1)
            )
        ):
            is_x_leaf = True
        else:
            group, x, is_x_leaf = group + 1, y, is_y_leaf
        groups.append(group)
    return groups
