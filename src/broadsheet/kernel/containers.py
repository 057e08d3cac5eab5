"""The containers around the blocks of a page, and their positions."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence


class ContainerArrays:
    """Arrays for n blocks and at most c containers with text, as flat buffers of intp."""

    __slots__ = ("enclosing", "end_block", "first_block", "outer", "position")

    def __init__(
        self,
        outer: memoryview,
        first_block: memoryview,
        end_block: memoryview,
        position: memoryview,
        enclosing: memoryview,
    ) -> None:
        self.outer = outer  # (c + 1,) the number of the container around each; that of the page for the outermost ones
        self.first_block = first_block  # (c + 1,)
        self.end_block = end_block  # (c + 1,) one after the last block; zeros
        self.position = position  # (c + 1,)
        self.enclosing = enclosing  # (levels, n) the containers around each block, the innermost first


def find_containers(  # noqa: C901 - one pass over the blocks, one over the containers, one over the levels
    block_rows: Sequence[int], outer_rows: Mapping[int, int], row_count: int, levels: int, arrays: ContainerArrays
) -> list[int]:
    """Number the containers with text in document order, and return their rows. The page has the number after them.

    `block_rows` are the rows of the innermost containers around the blocks, -1 for none, and `outer_rows` maps the row
    of a container to the row of the one around it; all rows are less than `row_count`. Fills all arrays but the
    positions.
    """
    outer, first_block, end_block = arrays.outer, arrays.first_block, arrays.end_block
    enclosing = arrays.enclosing
    number = len(block_rows)
    rows: list[int] = []
    numbers = array("i", bytes(4 * row_count))  # row of a container -> its number + 1; 0: none yet
    new_rows: list[int] = []  # of containers that start with the block, the innermost first
    for block in range(number):
        row = block_rows[block]
        while row >= 0 and not numbers[row]:
            new_rows.append(row)
            row = outer_rows[row]
        around = numbers[row] - 1 if row >= 0 else -1
        while new_rows:
            row = new_rows.pop()
            container = len(rows)
            rows.append(row)
            numbers[row] = container + 1
            outer[container] = around
            first_block[container] = block
            around = container
        enclosing[block] = around
        if around >= 0:
            end_block[around] = block + 1
    count = len(rows)
    for container in range(count - 1, -1, -1):
        around = outer[container]
        if around < 0:
            outer[container] = count
        elif end_block[around] < end_block[container]:
            end_block[around] = end_block[container]
    outer[count], first_block[count], end_block[count] = count, 0, number
    for block in range(number):
        around = enclosing[block]
        if around < 0:
            around = enclosing[block] = count
        for level in range(1, levels):
            around = outer[around]
            enclosing[level * number + block] = around
    return rows


class ContainerNames:
    """Tags, class names and ids of containers."""

    __slots__ = ("all_classes", "all_rows", "ids", "tags")

    def __init__(
        self, tags: Sequence[str], ids: list[str | None], all_rows: list[int], all_classes: Sequence[str | None]
    ) -> None:
        self.tags = tags  # of all rows of the page
        self.ids = ids  # of the containers with text
        self.all_rows = all_rows  # of all containers, those without text included
        self.all_classes = all_classes  # of the same


class PositionColumns:
    """The positions of a page: one item each in every list."""

    __slots__ = ("class_names", "depths", "ids", "outer", "tags")

    def __init__(self) -> None:
        self.outer: list[int] = []  # position of the container around, always a smaller number; -1 for none
        self.tags: list[str] = []
        self.class_names: list[str | None] = []
        self.ids: list[str | None] = []
        self.depths: list[int] = []


def group_positions(
    rows: list[int],
    names: ContainerNames,
    arrays: ContainerArrays,
) -> PositionColumns:
    """Group containers whose tags, class names, ids and outer positions are equal. The page has position 0.

    `rows` are in ascending order. Fills `arrays.position`.
    """
    outer, position = arrays.outer, arrays.position
    tags, ids, all_rows, all_classes = names.tags, names.ids, names.all_rows, names.all_classes
    columns = PositionColumns()
    position_outer, position_tags, position_classes = columns.outer, columns.tags, columns.class_names
    position_ids, depths = columns.ids, columns.depths
    numbers: dict[tuple[int, str, str | None, str | None], int] = {}
    count, index = len(rows), 0
    for container in range(count):
        row, element_id = rows[container], ids[container]
        all_row = all_rows[index]
        while all_row != row:
            index += 1
            all_row = all_rows[index]
        tag, class_name = tags[row], all_classes[index]
        around = outer[container]
        outer_position = position[around] if around < count else -1
        key = (outer_position, tag, class_name, element_id)
        number = numbers.get(key, -1)
        if number < 0:
            number = len(depths)
            numbers[key] = number
            position_outer.append(outer_position)
            position_tags.append(tag)
            position_classes.append(class_name)
            position_ids.append(element_id)
            depths.append(depths[outer_position] + 1 if outer_position >= 0 else 0)
        position[container] = number
    if not depths:
        position_outer.append(-1)
        position_tags.append("")
        position_classes.append(None)
        position_ids.append(None)
        depths.append(0)
    position[count] = 0
    return columns
