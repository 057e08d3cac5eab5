"""Hashes of the words of class names and ids."""

from __future__ import annotations

from array import array
from collections.abc import Callable


def _make_crc_table() -> array[int]:
    """Return the table of CRC-32, as `zlib.crc32` computes it."""
    table = array("I")
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ 0xEDB88320 if value & 1 else value >> 1
        table.append(value)
    return table


_CRC_TABLE = _make_crc_table()


def hash_identifiers(name: str, max_words: int, max_chars: int) -> tuple[int, ...]:
    """Return the CRC-32 of the distinct words of a name in lower case: "RSSFeed main-2" is rss, feed, main.

    The words are those of `text.split_identifiers`. Words of one letter or of more than `max_chars` are left out.
    """
    hashes: list[int] = []
    length = len(name)
    start = 0
    while start < length and len(hashes) < max_words:
        stop = find_word_end(name, start, length)
        if 2 <= stop - start <= max_chars:
            value = 0xFFFF_FFFF
            for index in range(start, stop):
                value = value >> 8 ^ _CRC_TABLE[(value ^ (ord(name[index]) | 0x20)) & 0xFF]
            value ^= 0xFFFF_FFFF
            if value != 0 and value not in hashes:
                hashes.append(value)
        start = max(stop, start + 1)
    return tuple(hashes)


def find_word_end(name: str, start: int, length: int) -> int:
    """Return the end of the word that starts at `start`; `start` if no word starts there."""
    stop = start
    while stop < length and "A" <= name[stop] <= "Z":
        stop += 1
    if stop < length and "a" <= name[stop] <= "z":
        if stop - start > 1:  # capitals before a capitalised word
            return stop - 1
        while stop < length and "a" <= name[stop] <= "z":
            stop += 1
    return stop


def list_names(
    class_names: list[str | None],
    ids: list[str | None],
    cache: dict[str, tuple[int, ...]],
    hash_name: Callable[[str], tuple[int, ...]],
) -> list[tuple[int, ...]]:
    """Return the hashes of the distinct words of each class attribute and of the id attribute beside it.

    `hash_name` is called for attributes that are not in the cache, and puts them there.
    """
    names: list[tuple[int, ...]] = []
    no_hashes: tuple[int, ...] = ()
    for index in range(len(class_names)):
        class_name, element_id = class_names[index], ids[index]
        hashes = no_hashes
        if class_name:
            cached = cache.get(class_name)
            hashes = hash_name(class_name) if cached is None else cached
        if element_id:
            cached = cache.get(element_id)
            id_hashes = hash_name(element_id) if cached is None else cached
            hashes = tuple(dict.fromkeys(hashes + id_hashes)) if hashes else id_hashes
        names.append(hashes)
    return names
