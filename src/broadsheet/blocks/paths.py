"""Where blocks stand: their tag and class-name paths, and the text blocks that SCS combines them into.

Methods that read only text need none of this, so it is worked out when first asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
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


class LazyPaths:
    """The places of a page's blocks, worked out once, when they are needed. Pickled, they are worked out first.

    Keeps the few columns that it takes, not the page: an article may be kept for long.
    """

    __slots__ = ("_classes", "_containers", "_outer", "_places", "_tags")

    def __init__(self, nodes: Nodes, containers: Sequence[int]) -> None:
        self._containers = containers
        self._outer, self._tags, self._classes = nodes.outer, nodes.tag, nodes.classes
        self._places: Places | None = None

    def get(self) -> Places:
        """The places; the same each time."""
        if self._places is None:
            self._places = find_places(self._outer, self._tags, self._classes, self._containers)
        return self._places

    def __getstate__(self) -> Places:
        return self.get()

    def __setstate__(self, places: Places) -> None:
        self._places = places


def find_places(
    outer_of: Mapping[int, int], tags: Sequence[str], classes: Sequence[str | None], containers: Sequence[int]
) -> Places:
    """Tell where blocks directly in `containers` stand, given the tags of all rows and the containers' classes."""
    tag_paths, class_paths = _PathBuilder(), _PathBuilder()
    path_of = {-1: (0, 0)}  # container row -> its tag path and its class path
    for (row, outer), class_name in zip(outer_of.items(), classes, strict=True):
        tag_path, class_path = path_of[outer]
        if class_name:
            class_path = class_paths.extend(class_path, class_name)
        path_of[row] = tag_paths.extend(tag_path, tags[row]), class_path
    return Places(
        tag_path=[path_of[row][0] for row in containers],
        class_path=[path_of[row][1] for row in containers],
        group=_combine(outer_of, containers, path_of),
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


def _combine(outer: Mapping[int, int], containers: Sequence[int], path_of: Mapping[int, tuple[int, int]]) -> list[int]:
    """Number the text blocks that the combine phase makes of neighbouring blocks (SemText, section III-A).

    Its cases, for a block y after the group of block x, given their containers:
    1. leaf siblings with the same tag path and class path belong together;
    2. so does y, if a leaf and the only child of x, with the same class path;
    3. other siblings and only children stay apart;
    4. none of these: x stays as it is, and the search goes on with y and its neighbour. The document writes this as
       c(x, c(y, z)), and does not say whether x may then join what y became part of; here it does not.
    """
    children = Counter(outer.values())
    groups: list[int] = []
    group, x, is_x_leaf = -1, -1, False
    for y in containers:
        is_y_leaf = not children[y]
        if x == y and groups:
            pass  # parted by <br><br> only
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
