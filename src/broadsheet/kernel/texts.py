# cython: boundscheck=False, wraparound=False
"""Characters and words of the blocks of a page: kinds of characters, hashes of words, and features made of them.

Indices are numbers of blocks, features and words, and codes of characters up to LAST_CODE: none is outside its array.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from enum import IntEnum
from math import log1p
from typing import Any


class Kind(IntEnum):
    """A kind of character."""

    UPPER = 0
    LOWER = 1  # and letters of scripts without case
    UNSPACED = 2  # letters of scripts without spaces between words
    DIGIT = 3  # kinds up to this one are parts of words
    COMMA = 4
    END = 5  # of a sentence
    COLON = 6
    QUOTE = 7
    BAR = 8  # separators and bullets of menus
    MARK = 9  # other punctuation
    SPACE = 10
    OTHER = 11


MAX_CHARS = 160  # characters of a text that are read for words
MAX_BLOCK_WORDS = 12  # words of a block that the network reads
MIN_LONG_CHARS = 80  # a block of this length with few links is probably prose
MAX_LONG_LINK_SHARE = 0.3
SUMS = 5  # values of a block that are summed over containers: see `measure_texts`
LAST_CODE = 0x10000  # one entry for all characters beyond the basic plane, mostly emoji

# The features of a text, in the order in which `measure_texts` writes them. Shares of rare kinds are multiplied by 10;
# "chars", "words", "commas", "ends" and "lines" are logarithmic.
TEXT_NAMES = (
    *("chars", "words", "word_chars", "links"),
    *("upper_share", "digit_share", "unspaced_share"),
    *("comma_share", "end_share", "colon_share", "quote_share", "bar_share", "mark_share", "other_share"),
    *("commas", "ends", "ends_sentence", "ends_colon", "ends_lower", "ends_cut"),
    *("starts_upper", "starts_lower", "starts_digit", "starts_bar", "starts_quote", "lines"),
)
# Kinds of the shares, of the shares of rare kinds, and of the first characters in TEXT_NAMES.
SHARES = bytes((Kind.UPPER, Kind.DIGIT, Kind.UNSPACED))
RARE_SHARES = bytes((Kind.COMMA, Kind.END, Kind.COLON, Kind.QUOTE, Kind.BAR, Kind.MARK, Kind.OTHER))
STARTS = bytes((Kind.UPPER, Kind.LOWER, Kind.DIGIT, Kind.BAR, Kind.QUOTE))
# The features of the words that a text shares with title, description and authors of the page.
SHARED_NAMES = ("title_share", "description_share", "author_share")

_LAST_CODE, _MAX_CHARS, _MAX_BLOCK_WORDS, _KINDS = LAST_CODE, MAX_CHARS, MAX_BLOCK_WORDS, len(Kind)
_STATED_SLOTS = 4096  # a power of 2
_HASH_FACTOR = 0x9E3779B97F4A7C15
_HASH_MASK = 0xFFFF_FFFF_FFFF_FFFF
_MIN_LONG_CHARS, _MAX_LONG_LINK_SHARE = MIN_LONG_CHARS, MAX_LONG_LINK_SHARE
_SHARES, _RARE_SHARES, _STARTS = SHARES, RARE_SHARES, STARTS
# Plain integers, which are compared faster than enum members.
_UNSPACED, _DIGIT, _LOWER, _COMMA, _END, _COLON, _QUOTE, _SPACE = map(
    int, (Kind.UNSPACED, Kind.DIGIT, Kind.LOWER, Kind.COMMA, Kind.END, Kind.COLON, Kind.QUOTE, Kind.SPACE)
)


def make_powers() -> array[int]:
    """Return the powers of a polynomial hash, modulo 2 ** 64."""
    power = 1
    powers = array("Q")
    for _ in range(MAX_CHARS):
        power = power * _HASH_FACTOR & 0xFFFF_FFFF_FFFF_FFFF
        powers.append(power)
    return powers


def make_logs() -> array[float]:
    """Return log(1 + x) for x = 0, 0.5, 1, ...: most counts are small."""
    return array("f", [log1p(half / 2) for half in range(8192)])


_POWERS = make_powers()
_LOGS = make_logs()
_LOG_COUNT = len(_LOGS)


FloatBuffer = Any  # a memoryview; its type in Python allows only integers


class CharacterTables:
    """Kind and lower-case code of each character up to LAST_CODE."""

    __slots__ = ("kinds", "lower")

    def __init__(self, kinds: bytes, lower: array[int]) -> None:
        self.kinds = kinds
        self.lower = lower


class StatedWords:
    """The words of title, description and authors, as hashes."""

    def __init__(self, tables: CharacterTables, title: str, description: str, authors: str) -> None:
        self.reader = TextReader(tables)
        self.bits: dict[int, int] = {}  # hash -> 1: in the title, 2: in the description, 4: in the authors
        self.slots = bytearray(_STATED_SLOTS)  # not 0 at the last bits of each hash: rejects most other words at once
        self.add(title, 1)
        self.add(description, 2)
        self.author_count = max(self.add(authors, 4), 1)

    def add(self, text: str, bit: int) -> int:
        """Add the words in the first MAX_CHARS characters of a text; return their number."""
        count = self.reader.read_words(text)
        for word in range(count):
            word_hash: int = self.reader.hashes[word]
            self.bits[word_hash] = self.bits.get(word_hash, 0) | bit
            self.slots[word_hash % _STATED_SLOTS] = 1
        return count


class TextOutput:
    """The arrays that `measure_texts` writes for n texts, as flat buffers."""

    __slots__ = ("features", "shared", "sums", "words")

    def __init__(self, features: FloatBuffer, shared: int, words: memoryview, sums: FloatBuffer) -> None:
        self.features = features  # float32, (names, n): TEXT_NAMES are the first columns
        self.shared = shared  # the first column of SHARED_NAMES
        self.words = words  # uint32, (n, MAX_BLOCK_WORDS); zeros
        self.sums = sums  # float64, (SUMS, n + 1); zeros


class TextReader:
    """Counts the characters of a text, and hashes its words."""

    def __init__(self, tables: CharacterTables) -> None:
        self.kinds: Any = tables.kinds
        self.lower: Any = tables.lower
        self.hashes: Any = array("I", [0]) * MAX_CHARS  # of the words of the text
        self.counts: Any = array("i", [0]) * len(Kind)  # of the characters of each kind

    def read_words(self, text: str) -> int:
        """Write the hashes of the words in the first MAX_CHARS characters of a text; return their number.

        Words are sequences of letters and digits; in scripts without spaces, each character is a word.
        """
        count = 0
        total, offset = 0, 0  # of the current word
        previous = -1
        length = min(len(text), _MAX_CHARS)
        for index in range(length):
            code = ord(text[index])
            if code > _LAST_CODE:
                code = _LAST_CODE
            kind = self.kinds[code]
            if offset and (kind > _DIGIT or kind == _UNSPACED or previous == _UNSPACED):
                self.hashes[count] = (total & _HASH_MASK) >> 32
                count += 1
                total, offset = 0, 0
            if kind <= _DIGIT:
                total += self.lower[code] * _POWERS[offset]
                offset += 1
            previous = kind
        if offset:
            self.hashes[count] = (total & _HASH_MASK) >> 32
            count += 1
        return count

    def count_kinds(self, text: str) -> None:
        """Count the characters of each kind."""
        for kind in range(_KINDS):
            self.counts[kind] = 0
        for index in range(len(text)):
            code = ord(text[index])
            if code > _LAST_CODE:
                code = _LAST_CODE
            self.counts[self.kinds[code]] += 1

    def find_kind(self, text: str, index: int) -> int:
        """Return the kind of a character."""
        code = ord(text[index])
        return self.kinds[min(code, _LAST_CODE)]  # type: ignore[no-any-return]


def measure_texts(texts: Sequence[str], link_chars: Any, stated: StatedWords, output: TextOutput) -> None:
    """Compute the features of texts, and the hashes of their first words.

    `sums[:, i]` becomes the sums over the texts before text i of: characters, characters in links, commas and sentence
    ends, long texts with few links, characters in these. No text may be empty.
    """
    writer = TextWriter(stated, output, len(texts))
    for index in range(len(texts)):
        text, links = texts[index], link_chars[index]
        writer.reader.count_kinds(text)
        writer.write_text(text, links, index)
        writer.write_sums(len(text), links, index)
        writer.write_words(text, index)


class TextWriter:
    """Writes the features of one text after the other."""

    def __init__(self, stated: StatedWords, output: TextOutput, number: int) -> None:
        self.reader = stated.reader
        self.counts: Any = self.reader.counts
        self.features: Any = output.features
        self.sums: Any = output.sums
        self.shared = output.shared
        self.words: Any = output.words
        self.slots: Any = stated.slots
        self.bits = stated.bits
        self.author_count = stated.author_count
        self.number = number

    def write_words(self, text: str, index: int) -> None:
        """Write the hashes of the first words, and the shares of the words that the metadata state."""
        count, number = self.reader.read_words(text), self.number
        in_title, in_description, in_authors = 0, 0, 0
        for word in range(count):
            word_hash = self.reader.hashes[word]
            if word < _MAX_BLOCK_WORDS:
                self.words[index * _MAX_BLOCK_WORDS + word] = word_hash
            if self.slots[word_hash % _STATED_SLOTS]:
                bits = self.bits.get(word_hash, 0)
                in_title += bits & 1
                in_description += bits >> 1 & 1
                in_authors += bits >> 2
        at = self.shared * number + index
        self.features[at] = in_title / max(count, 1)
        self.features[at + number] = in_description / max(count, 1)
        # Of the authors' names, not of the block: a biography is longer than a by-line.
        self.features[at + 2 * number] = min(in_authors / self.author_count, 1.0)

    def write_text(self, text: str, links: int, index: int) -> None:
        """Write the features TEXT_NAMES of one text."""
        counts, features, number = self.counts, self.features, self.number
        length = len(text)
        half_words = 2 * counts[_SPACE] + 2 + counts[_UNSPACED]
        first, last = self.reader.find_kind(text, 0), self.reader.find_kind(text, length - 1)
        before_last = self.reader.find_kind(text, max(length - 2, 0))
        at = index
        features[at] = find_log(2 * length)
        at += number
        features[at] = find_log(half_words)
        at += number
        features[at] = min(2 * length / half_words, 20.0) / 10
        at += number
        features[at] = links / length
        for kind in _SHARES:
            at += number
            features[at] = counts[kind] / length
        for kind in _RARE_SHARES:
            at += number
            features[at] = counts[kind] * 10 / length
        at += number
        features[at] = find_log(2 * counts[_COMMA])
        at += number
        features[at] = find_log(2 * counts[_END])
        at += number
        features[at] = last == _END or (last == _QUOTE and before_last == _END)
        at += number
        features[at] = last == _COLON
        at += number
        features[at] = last == _LOWER
        at += number
        features[at] = is_cut(text)
        for kind in _STARTS:
            at += number
            features[at] = first == kind
        at += number
        features[at] = find_log(2 * text.count("\n"))

    def write_sums(self, length: int, links: int, index: int) -> None:
        """Write the running sums after one text."""
        counts, sums, row = self.counts, self.sums, self.number + 1
        is_long = length >= _MIN_LONG_CHARS and links < _MAX_LONG_LINK_SHARE * length
        at = index
        sums[at + 1] = sums[at] + length
        at += row
        sums[at + 1] = sums[at] + links
        at += row
        sums[at + 1] = sums[at] + counts[_COMMA] + counts[_END]
        at += row
        sums[at + 1] = sums[at] + is_long
        at += row
        sums[at + 1] = sums[at] + (length if is_long else 0)


def is_cut(text: str) -> bool:
    """Tell whether a text ends in an ellipsis, or is two full stops. No text may be empty."""
    end = len(text) - 1
    if text[end] == "…":
        return True
    return end > 0 and text[end] == "." and text[end - 1] == "." and (end == 1 or text[end - 2] == ".")


def find_quotes(texts: Sequence[str], quoted: str, min_chars: int, quote_chars: int) -> list[int]:
    """Return the texts of at least `min_chars` characters whose start is a part of `quoted`."""
    quotes: list[int] = []
    for index in range(len(texts)):
        text = texts[index]
        if len(text) >= min_chars and text[:quote_chars] in quoted:
            quotes.append(index)
    return quotes


def find_log(halves: int) -> float:
    """Return log(1 + halves / 2)."""
    return _LOGS[halves] if halves < _LOG_COUNT else log1p(halves / 2)
