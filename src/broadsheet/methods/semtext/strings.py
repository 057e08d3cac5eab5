"""The units of a page and their three word strings (sections III-B to III-D). Equal strings are stored once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from broadsheet.blocks import Blocks
from broadsheet.methods.semtext.config import SemtextConfig
from broadsheet.methods.semtext.words import load_stop_words, split_names, split_tag, split_text
from broadsheet.page import Nodes, Page

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Strings:
    """Word strings of one kind."""

    words: Sequence[Words]  # distinct strings
    of_unit: Sequence[int]  # the index of each unit's string


def find_units(blocks: Blocks, config: SemtextConfig) -> Sequence[int]:
    """Return the unit of each block."""
    return blocks.group if config.combines else range(len(blocks))


def read_strings(page: Page, blocks: Blocks, config: SemtextConfig) -> dict[str, Strings]:
    """Return the word strings of all units, by kind: all of STRINGS, even if the network reads fewer."""
    first_blocks = _find_first_blocks(find_units(blocks, config))
    containers = [blocks.container[block] for block in first_blocks]
    nodes = page.nodes
    return {
        "tags": _read_paths(nodes, [nodes.tag[row] for row in nodes.outer], split_tag, containers, config),
        "classes": _read_paths(nodes, _read_names(nodes, config), split_names, containers, config),
        "texts": _read_texts(blocks, first_blocks, config),
    }


def _find_first_blocks(units: Sequence[int]) -> list[int]:
    """Return the first block of each unit. The blocks of a unit are adjacent."""
    return [block for block, unit in enumerate(units) if not block or units[block - 1] != unit]


def _read_names(nodes: Nodes, config: SemtextConfig) -> list[str]:
    """Return the class names of all containers, followed by their ids if `has_ids`."""
    classes = nodes.classes
    if not config.has_ids:
        return [names or "" for names in classes]
    ids = nodes.attrs.get_all(nodes.outer, "id")
    return [
        f"{names or ''} {element_id}" if element_id else names or ""
        for names, element_id in zip(classes, ids, strict=True)
    ]


def _read_paths(
    nodes: Nodes, steps: list[str], split: Callable[[str], Words], containers: list[int], config: SemtextConfig
) -> Strings:
    """Return the paths to containers as words. A path extends that of the outer container, so depth costs nothing."""
    stop_words = load_stop_words() if config.drops_stop_words else frozenset()
    max_words = config.max_words
    step_words: dict[str, Words] = {"": ()}
    paths: dict[int, Words] = {-1: ()}
    for (row, outer), step in zip(nodes.outer.items(), steps, strict=True):
        words = step_words.get(step)
        if words is None:
            words = step_words[step] = tuple(word for word in split(step) if word not in stop_words)
        path = paths[outer] + words if words else paths[outer]
        if len(path) > max_words:
            path = path[-max_words:] if config.keeps_path_end else path[:max_words]
        paths[row] = path
    return _merge_equal([paths[row] for row in containers])


def _read_texts(blocks: Blocks, first_blocks: list[int], config: SemtextConfig) -> Strings:
    stop_words = load_stop_words() if config.drops_stop_words else frozenset()
    max_words, texts = config.max_words, blocks.text
    strings: list[Words] = []
    for first, end in zip(first_blocks, [*first_blocks[1:], len(blocks)], strict=True):
        words = [word for word in split_text(texts[first]) if word not in stop_words]
        for block in range(first + 1, end):
            if len(words) >= max_words:
                break
            words += [word for word in split_text(texts[block]) if word not in stop_words]
        strings.append(tuple(words[:max_words]))
    return _merge_equal(strings)


def _merge_equal(strings: list[Words]) -> Strings:
    """Store equal strings once."""
    index_of: dict[Words, int] = {}
    of_unit = [index_of.setdefault(words, len(index_of)) for words in strings]
    return Strings(list(index_of), of_unit)
