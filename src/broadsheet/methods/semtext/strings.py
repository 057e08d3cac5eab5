"""Units of a page and their three word strings (sections III-B to III-D), each distinct string once."""

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
    """Word strings of one kind: the distinct ones, and which of them each unit has."""

    words: Sequence[Words]
    of_unit: Sequence[int]


def find_units(blocks: Blocks, config: SemtextConfig) -> Sequence[int]:
    """Tell for each block which unit of the sequence it belongs to."""
    return blocks.group if config.combines else range(len(blocks))


def read_strings(page: Page, blocks: Blocks, config: SemtextConfig) -> dict[str, Strings]:
    """Make the word strings of all units, by kind: those of STRINGS, whatever the network reads of them."""
    firsts = _find_firsts(find_units(blocks, config))
    containers = [blocks.container[at] for at in firsts]
    nodes = page.nodes
    return {
        "tags": _read_paths(nodes, [nodes.tag[row] for row in nodes.outer], split_tag, containers, config),
        "classes": _read_paths(nodes, _read_names(nodes, config), split_names, containers, config),
        "texts": _read_texts(blocks, firsts, config),
    }


def _find_firsts(units: Sequence[int]) -> list[int]:
    """First block of each unit; units are runs of blocks."""
    return [at for at, unit in enumerate(units) if not at or units[at - 1] != unit]


def _read_names(nodes: Nodes, config: SemtextConfig) -> list[str]:
    """Class names of all containers, with ids if wanted."""
    classes = nodes.classes
    if not config.has_ids:
        return [own or "" for own in classes]
    ids = nodes.attrs.get_all(nodes.outer, "id")
    return [f"{own or ''} {other}" if other else own or "" for own, other in zip(classes, ids, strict=True)]


def _read_paths(
    nodes: Nodes, steps: list[str], split: Callable[[str], Words], containers: list[int], config: SemtextConfig
) -> Strings:
    """Write the paths to containers out as words. A path goes on from the one above it, so that depth costs nothing."""
    stop = load_stop_words() if config.drops_stop_words else frozenset()
    most = config.max_words
    own_words: dict[str, Words] = {"": ()}
    written: dict[int, Words] = {-1: ()}
    for (row, outer), step in zip(nodes.outer.items(), steps, strict=True):
        above = written[outer]
        own = own_words.get(step)
        if own is None:
            own = own_words[step] = tuple(word for word in split(step) if word not in stop)
        path = above + own if own else above
        if len(path) > most:
            path = path[-most:] if config.keeps_path_end else path[:most]
        written[row] = path
    return _number([written[row] for row in containers])


def _read_texts(blocks: Blocks, firsts: list[int], config: SemtextConfig) -> Strings:
    stop = load_stop_words() if config.drops_stop_words else frozenset()
    most, texts = config.max_words, blocks.text
    found: list[Words] = []
    for first, beyond in zip(firsts, [*firsts[1:], len(blocks)], strict=True):
        words = [word for word in split_text(texts[first]) if word not in stop]
        for at in range(first + 1, beyond):
            if len(words) >= most:
                break
            words += [word for word in split_text(texts[at]) if word not in stop]
        found.append(tuple(words[:most]))
    return _number(found)


def _number(strings: list[Words]) -> Strings:
    """Put equal strings together."""
    number: dict[Words, int] = {}
    of_unit = [number.setdefault(words, len(number)) for words in strings]
    return Strings(list(number), of_unit)
