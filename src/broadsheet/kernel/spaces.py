"""White space and words of texts."""

from __future__ import annotations

INVISIBLE_CHARS = "\u00ad\u200b\u2060\ufeff"  # soft hyphen, zero-width space, word joiner, byte-order mark
_REMOVAL_TABLE = {ord(char): None for char in INVISIBLE_CHARS}
# The lower case of each ASCII letter, digit and underscore; 0 for the other characters.
_WORD_CHARACTERS = bytes(ord(char.lower()) if char.isalnum() or char == "_" else 0 for char in map(chr, range(128)))


def fold_spaces(text: str) -> str:
    """Collapse white space to single spaces, strip it at both ends, and remove invisible characters.

    Most texts need no change inside: they are cut at both ends, without a list of their words.
    """
    length = len(text)
    start = 0
    while start < length and text[start].isspace():
        start += 1
    stop = length
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    is_after_space = False
    for index in range(start, stop):
        character = text[index]
        if character.isspace():
            if is_after_space or character != " ":
                return split_and_join(text)
            is_after_space = True
        else:
            is_after_space = False
            if character > "\x7f" and character in "\u00ad\u200b\u2060\ufeff":
                return split_and_join(text)
    return text if stop - start == length else text[start:stop]


def split_and_join(text: str) -> str:
    """Do the same as `fold_spaces`, for any text; faster in plain Python."""
    if not text.isascii() and has_invisible(text):
        text = text.translate(_REMOVAL_TABLE)
    return " ".join(text.split())


def has_invisible(text: str) -> bool:
    """Tell whether a text has invisible characters."""
    return "\u00ad" in text or "\u200b" in text or "\u2060" in text or "\ufeff" in text


def fold_ascii_words(text: str) -> str:
    """Return the lower-case words of an ASCII text, with single spaces between them."""
    folded = bytearray(len(text))
    length = 0
    is_after_word = False
    for index in range(len(text)):
        character = _WORD_CHARACTERS[ord(text[index])]
        if character:
            if length and not is_after_word:
                folded[length] = 32
                length += 1
            folded[length] = character
            length += 1
        is_after_word = character != 0
    return folded[:length].decode("ascii")


def drop_invisible(text: str) -> str:
    """Remove invisible characters."""
    return text.translate(_REMOVAL_TABLE) if not text.isascii() and has_invisible(text) else text
