"""Where blocks stand: their tag and class-name paths, and the text blocks that SCS combines them into.

Methods that read only text need none of this, so it is worked out when first asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from broadsheet.page import Nodes


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Paths from the root, each stored once: equal numbers are equal paths."""

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
class Places:
    """Columns of blocks.Blocks that tell where a block stands."""

    tag_path: Sequence[int]
    class_path: Sequence[int]
    group: Sequence[int]
    tag_paths: Paths
    class_paths: Paths


class LazyPlaces:
    """The places of a page's blocks, worked out once, when they are needed. Pickled, they are worked out first."""

    __slots__ = ("_containers", "_nodes", "_places")

    def __init__(self, nodes: Nodes | None, containers: Sequence[int], places: Places | None = None) -> None:
        self._nodes = nodes
        self._containers = containers
        self._places = places

    def get(self) -> Places:
        """The places; the same each time."""
        if self._places is None:
            assert self._nodes is not None
            self._places, self._nodes = find_places(self._nodes, self._containers), None
        return self._places

    def __reduce__(self) -> tuple[type[LazyPlaces], tuple[None, Sequence[int], Places]]:
        return LazyPlaces, (None, (), self.get())


def find_places(nodes: Nodes, containers: Sequence[int]) -> Places:
    """Tell where blocks stand that are directly in these containers."""
    tag_paths, class_paths = _PathBuilder(), _PathBuilder()
    path_of = {-1: (0, 0)}  # container row -> its tag path and its class path
    class_names = nodes.attrs.get_all(nodes.outer, "class")
    for (row, outer), class_name in zip(nodes.outer.items(), class_names, strict=True):
        tag_path, class_path = path_of[outer]
        if class_name:
            class_path = class_paths.extend(class_path, class_name)
        path_of[row] = tag_paths.extend(tag_path, nodes.tag[row]), class_path
    return Places(
        tag_path=[path_of[row][0] for row in containers],
        class_path=[path_of[row][1] for row in containers],
        group=_combine(nodes, containers, path_of),
        tag_paths=tag_paths.build(),
        class_paths=class_paths.build(),
    )


class _PathBuilder:
    """Numbers paths, giving the same number to the same path."""

    def __init__(self) -> None:
        self.parents = [0]
        self.steps = [""]
        self.known: dict[tuple[int, str], int] = {}

    def extend(self, path: int, step: str) -> int:
        found = self.known.get((path, step))
        if found is None:
            found = self.known[path, step] = len(self.steps)
            self.parents.append(path)
            self.steps.append(step)
        return found

    def build(self) -> Paths:
        return Paths(self.parents, self.steps)


def _combine(nodes: Nodes, containers: Sequence[int], path_of: dict[int, tuple[int, int]]) -> list[int]:
    """Number the text blocks that the combine phase makes of neighbouring blocks (SemText, section III-A).

    Its four cases, for a block y after the group of block x, whose containers are given:
    1. leaf siblings with the same tag path and class path belong together;
    2. so does y, if a leaf and the only child of x, with the same class path;
    3. and 4. all else stays apart.
    """
    outer, children = nodes.outer, Counter(nodes.outer.values())
    groups: list[int] = []
    group, x, is_x_leaf = -1, -1, False
    for y in containers:
        is_y_leaf = not children[y]
        if groups and path_of[x][1] == path_of[y][1]:
            is_sibling = path_of[x][0] == path_of[y][0] and outer.get(x) == outer.get(y)
            is_only_child = outer.get(y) == x and children[x] == 1
            belongs = x == y or (is_y_leaf and (is_only_child or (is_sibling and is_x_leaf)))
        else:
            belongs = False
        if belongs:  # x == y: parted by <br><br> only
            is_x_leaf = True
        else:
            group, x, is_x_leaf = group + 1, y, is_y_leaf
        groups.append(group)
    return groups
