"""Units of a page and their three word strings (sections III-B to III-D), each distinct string once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from broadsheet.blocks import Blocks, Paths
from broadsheet.blocks.places import find_places
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
    """Make the word strings of all units, by kind."""
    firsts = _find_firsts(find_units(blocks, config))
    readers: dict[str, Callable[[], Strings]] = {
        "tags": lambda: _read_paths(blocks.tag_paths, [blocks.tag_path[at] for at in firsts], split_tag, config),
        "classes": lambda: _read_classes(page.nodes, blocks, firsts, config),
        "texts": lambda: _read_texts(blocks, firsts, config),
    }
    return {kind: readers[kind]() for kind in config.strings}


def _find_firsts(units: Sequence[int]) -> list[int]:
    """First block of each unit; units are runs of blocks."""
    return [at for at, unit in enumerate(units) if not at or units[at - 1] != unit]


def _read_classes(nodes: Nodes, blocks: Blocks, firsts: list[int], config: SemtextConfig) -> Strings:
    if not config.has_ids:
        return _read_paths(blocks.class_paths, [blocks.class_path[at] for at in firsts], split_names, config)
    classes, ids = nodes.attrs.get_all(nodes.outer, "class"), nodes.attrs.get_all(nodes.outer, "id")
    names = [f"{own or ''} {other}" if other else own or "" for own, other in zip(classes, ids, strict=True)]
    places = find_places(nodes.outer, names, names, [blocks.container[at] for at in firsts])
    return _read_paths(places.class_paths, places.class_path, split_names, config)


def _read_paths(paths: Paths, of_unit: Sequence[int], split: Callable[[str], Words], config: SemtextConfig) -> Strings:
    """Write paths out as words. A path goes on from the one above it, so that depth costs nothing."""
    stop = load_stop_words() if config.drops_stop_words else frozenset()
    most = config.max_words
    written: list[Words] = [()]
    for parent, step in zip(paths.parent[1:], paths.step[1:], strict=True):
        above = written[parent]
        own = tuple(word for word in split(step) if word not in stop)
        if not config.keeps_path_end:
            written.append((above + own)[:most] if len(above) < most else above)
        else:
            written.append((above + own)[-most:])
    return _number([written[path] for path in of_unit])


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
