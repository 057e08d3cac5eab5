"""Loops that select blocks and elements of a page, for the fields and the assembly of the article."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any

from broadsheet.html.table import NodeTable

TABLE_KIND, STRUCTURED_KIND = 1, 2
_TABLE_KIND, _STRUCTURED_KIND = TABLE_KIND, STRUCTURED_KIND


def find_members(values: Sequence[Any], members: Container[Any]) -> list[int]:
    """Return the indices of the values that are in a set."""
    return [index for index, value in enumerate(values) if value in members]


def find_flagged(contexts: Sequence[int], mask: int, flags: int) -> list[int]:
    """Return the indices of the contexts that have exactly these flags among those of the mask."""
    return [index for index, context in enumerate(contexts) if context & mask == flags]


def count_chars(texts: Sequence[str], contexts: Sequence[int], excluded: int) -> int:
    """Return the number of characters of the texts whose context has none of the excluded flags."""
    chars = 0
    for index in range(len(texts)):
        context = contexts[index]
        if not context & excluded:
            text = texts[index]
            chars += len(text)
    return chars


def list_ancestors(
    rows: Sequence[int], parents: Sequence[int], tags: Sequence[str], max_levels: int
) -> list[list[int]]:
    """Return, for each row, the row and those above it, the innermost first: at most so many, and below `<body>`."""
    paths: list[list[int]] = []
    for first in rows:
        row = first
        path: list[int] = []
        while row > 0 and len(path) < max_levels and tags[row] != "body":
            path.append(row)
            row = parents[row]
        paths.append(path)
    return paths


def find_texts_like(texts: Sequence[str], first_letters: dict[int, set[str]]) -> list[int]:
    """Return the indices of the texts with a length, and for that length a first letter, that are listed.

    Texts that begin with another character than a letter, or with a combining accent, count as well.
    """
    indices: list[int] = []
    is_listed = bytearray(max(first_letters, default=0) + 1)  # by length
    for length in first_letters:
        if length > 0:
            is_listed[length] = 1
    for index in range(len(texts)):
        text = texts[index]
        if len(text) < len(is_listed) and is_listed[len(text)]:
            letters = first_letters[len(text)]
            first = text[0]
            if not first.isalnum() or first.lower()[0] in letters or "\u0300" <= text[1:2] <= "\u036f":
                indices.append(index)
    return indices


def find_texts_between(
    texts: Sequence[str], min_chars: int, max_chars: int, first_letters: Container[str]
) -> list[int]:
    """Return the indices of the texts of a length in this range with one of the first letters, in lower case.

    Texts that begin with another character than a letter or a digit count as well.
    """
    indices: list[int] = []
    for index in range(len(texts)):
        text = texts[index]
        if min_chars <= len(text) <= max_chars:
            first = text[0]
            if first.lower()[0] in first_letters or not first.isalnum():
                indices.append(index)
    return indices


def find_numbered_texts(texts: Sequence[str], indices: Iterable[int], max_chars: int) -> list[int]:
    """Return those of the indices whose texts are not longer, and have a digit or a character outside ASCII."""
    numbered: list[int] = []
    for index in indices:
        text = texts[index]
        if len(text) <= max_chars:
            for character in text:
                if "0" <= character <= "9" or character > "\x7f":
                    numbered.append(index)
                    break
    return numbered


def find_tables_around(table: NodeTable, rows: Any, row_end: Any, blocks: Sequence[int], tag_kinds: Any) -> Any:
    """Return the rows of the tables around some blocks; None if one of them is inside a structured or marked element.

    `tag_kinds` gives the kind of each tag in `html.names.TAG_NAMES`: TABLE_KIND, STRUCTURED_KIND or 0.
    """
    tags, parents, tag_count = table.tag, table.parent, len(tag_kinds)
    is_seen = bytearray(len(tags))
    tables: list[int] = []
    for block in blocks:
        for item in range(row_end[block - 1] if block else 0, row_end[block]):
            row = parents[rows[item]]
            while row >= 0 and not is_seen[row]:
                is_seen[row] = 1
                kind = tag_kinds[tags[row]] if tags[row] < tag_count else 0
                if kind == _STRUCTURED_KIND:
                    return None
                if kind == _TABLE_KIND:
                    tables.append(row)
                row = parents[row]
    return tables
