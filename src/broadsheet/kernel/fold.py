"""Texts of the arena as blocks show them, in plain Python. `fold.pyx` does the same in C, in one pass over the bytes."""

from __future__ import annotations

from typing import Any

from broadsheet.kernel.spaces import split_and_join


def fold_rows(arena: bytes, starts: Any, ends: Any, rows: Any, first: int, stop: int) -> str:  # noqa: PLR0913, PLR0917
    """Join the texts of rows[first] to rows[stop - 1] and fold them: see `kernel.spaces`."""
    texts = [arena[starts[rows[item]] : ends[rows[item]]] for item in range(first, stop)]
    return split_and_join(b"".join(texts).decode("utf-8", "surrogatepass"))


def count_chars(arena: bytes, start: int, end: int) -> int:
    """Return the number of characters of a text."""
    return len(arena[start:end].decode("utf-8", "surrogatepass"))


def count_stripped_chars(arena: bytes, start: int, end: int) -> int:
    """Return the number of characters of a text without white space at its ends."""
    return len(arena[start:end].decode("utf-8", "surrogatepass").strip())


def is_space(arena: bytes, start: int, end: int) -> bool:
    """Tell whether a text is not empty and has only white space."""
    return arena[start:end].decode("utf-8", "surrogatepass").isspace()
