"""Characters and words of the blocks of a page, in NumPy: see `texts`, which describes the function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.kernel.texts import (
    MAX_BLOCK_WORDS,
    MAX_CHARS,
    MAX_LONG_LINK_SHARE,
    MIN_LONG_CHARS,
    RARE_SHARES,
    SHARED_NAMES,
    SHARES,
    STARTS,
    TEXT_NAMES,
    CharacterTables,
    Kind,
    StatedWords,
    TextOutput,
    make_powers,
)

Floats = NDArray[np.float32]
Indices = NDArray[np.intp]

_ROWS = {name: row for row, name in enumerate(TEXT_NAMES)}
_SHARE_ROWS = slice(_ROWS["upper_share"], _ROWS["other_share"] + 1)
_START_ROWS = slice(_ROWS["starts_upper"], _ROWS["starts_quote"] + 1)
_SHARE_KINDS = np.frombuffer(SHARES + RARE_SHARES, np.uint8).astype(np.intp)
_START_KINDS = np.frombuffer(STARTS, np.uint8)[:, None]
_POWERS = np.array(make_powers(), np.uint64)
_WORD_NUMBERS = np.arange(MAX_BLOCK_WORDS)
# Plain integers: NumPy compares enum members slowly.
_UNSPACED, _DIGIT, _LOWER, _COMMA, _END, _COLON, _QUOTE, _SPACE = map(
    int, (Kind.UNSPACED, Kind.DIGIT, Kind.LOWER, Kind.COMMA, Kind.END, Kind.COLON, Kind.QUOTE, Kind.SPACE)
)


@dataclass(frozen=True, slots=True, eq=False)
class _Characters:
    """The c characters of n texts in sequence, each text followed by a line break."""

    codes: Indices  # (c,)
    kinds: NDArray[np.uint8]  # (c,)
    start: Indices  # (n,) first character of each text
    lengths: Indices  # (n,)


def measure_texts(
    texts: Sequence[str],
    link_chars: Sequence[int],
    tables: CharacterTables,
    stated: StatedWords,
    output: TextOutput,
) -> None:
    """Do the same as `texts.measure_texts`."""
    number = len(texts)
    characters = _read_characters(texts, np.frombuffer(tables.kinds, np.uint8))
    counts, links = _count_kinds(characters), np.array(link_chars, np.float64)
    features = np.frombuffer(output.features, np.float32).reshape(len(TEXT_NAMES), number)
    _write_texts(characters, counts, links, features)
    _write_sums(characters.lengths, counts, links, np.frombuffer(output.sums).reshape(-1, number + 1))
    shared = np.frombuffer(output.shared, np.float32).reshape(len(SHARED_NAMES), number)
    words = np.frombuffer(output.words, np.uint32).reshape(number, MAX_BLOCK_WORDS)
    _write_words(characters, np.frombuffer(tables.lower, np.uint16), stated, words, shared)


def _read_characters(texts: Sequence[str], kinds: NDArray[np.uint8]) -> _Characters:
    joined = "\n".join(texts) + "\n"
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.intp)
    lengths = np.fromiter(map(len, texts), np.intp, len(texts))
    start = np.cumsum(lengths + 1)
    start -= lengths + 1
    return _Characters(codes, kinds.take(codes, mode="clip"), start, lengths)


def _count_kinds(characters: _Characters) -> Floats:
    """Count the characters of each kind: (kinds, n)."""
    number = len(characters.start)
    bins = np.repeat(np.arange(0, number * len(Kind), len(Kind)), characters.lengths + 1)
    bins += characters.kinds
    counts = np.bincount(bins, minlength=number * len(Kind)).reshape(number, len(Kind)).T.astype(np.float32)
    counts[_SPACE] -= 1  # the line break after the text
    return counts


def _write_texts(characters: _Characters, counts: Floats, links: NDArray[np.float64], features: Floats) -> None:
    codes, kinds, start, lengths = characters.codes, characters.kinds, characters.start, characters.lengths
    last = start + lengths - 1
    before_last = np.maximum(last - 1, start)
    third_last = np.maximum(last - 2, start)
    last_kinds, last_codes = kinds.take(last), codes.take(last)
    words = counts[_SPACE] + 1 + counts[_UNSPACED] / 2
    breaks = np.flatnonzero(codes == ord("\n"))  # those after the texts are counted twice, and cancel out
    dot = ord(".")
    features[_ROWS["chars"]] = np.log1p(lengths)
    features[_ROWS["words"]] = np.log1p(words)
    features[_ROWS["word_chars"]] = np.minimum(lengths / words, 20) / 10
    features[_ROWS["links"]] = links / lengths
    shares = features[_SHARE_ROWS]
    np.divide(counts.take(_SHARE_KINDS, axis=0), lengths, out=shares, casting="unsafe")
    shares[len(SHARES) :] *= 10
    features[_ROWS["commas"]] = np.log1p(counts[_COMMA])
    features[_ROWS["ends"]] = np.log1p(counts[_END])
    features[_ROWS["ends_sentence"]] = (last_kinds == _END) | (
        (last_kinds == _QUOTE) & (kinds.take(before_last) == _END)
    )
    features[_ROWS["ends_colon"]] = last_kinds == _COLON
    features[_ROWS["ends_lower"]] = last_kinds == _LOWER
    features[_ROWS["ends_cut"]] = (last_codes == ord("…")) | (
        (last_codes == dot) & (last > start) & (codes.take(before_last) == dot) & (codes.take(third_last) == dot)
    )
    np.equal(kinds.take(start), _START_KINDS, out=features[_START_ROWS], casting="unsafe")
    features[_ROWS["lines"]] = np.log1p(breaks.searchsorted(last + 1) - breaks.searchsorted(start))


def _write_sums(lengths: Indices, counts: Floats, links: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
    is_long = (lengths >= MIN_LONG_CHARS) & (links < MAX_LONG_LINK_SHARE * lengths)
    values = (lengths, links, counts[_COMMA] + counts[_END], is_long, lengths * is_long)
    np.cumsum(np.stack(values), axis=1, out=sums[:, 1:])


def _write_words(
    characters: _Characters,
    lower: NDArray[np.uint16],
    stated: StatedWords,
    words: NDArray[np.uint32],
    shared: Floats,
) -> None:
    start, number = characters.start, len(characters.start)
    lengths = np.minimum(characters.lengths, MAX_CHARS)
    ends = np.cumsum(lengths)
    read = np.arange(int(ends[-1])) + np.repeat(start - ends + lengths, lengths)  # indices of the characters read
    kinds = characters.kinds.take(read)
    is_word = np.flatnonzero(kinds <= _DIGIT)
    shared[:] = 0
    if not len(is_word):
        return
    letters = read.take(is_word)
    is_single = kinds.take(is_word) == _UNSPACED
    is_start = np.ones(len(letters), bool)
    is_start[1:] = (letters[1:] - letters[:-1] > 1) | is_single[1:] | is_single[:-1]
    word_starts = np.flatnonzero(is_start)
    word_ends = np.append(word_starts[1:], len(letters))
    offset = np.arange(len(letters)) - np.repeat(word_starts, word_ends - word_starts)  # of a letter in its word
    codes = lower.take(characters.codes.take(letters), mode="clip")
    hashes = (np.add.reduceat(codes * _POWERS.take(offset), word_starts) >> np.uint64(32)).astype(np.uint32)
    # The words of a text start between its first character and that of the next text.
    first = letters.take(word_starts).searchsorted(start)
    count = np.diff(np.append(first, len(word_starts)))
    words[:] = hashes.take(first[:, None] + _WORD_NUMBERS, mode="clip")
    words[count[:, None] <= _WORD_NUMBERS] = 0
    if stated.bits:
        keys = np.array(sorted(stated.bits), np.uint32)
        bits = np.array([stated.bits[key] for key in keys.tolist()])
        nearest = np.minimum(keys.searchsorted(hashes), len(keys) - 1)
        stated_bits = np.where(keys.take(nearest) == hashes, bits.take(nearest), 0)
        owner = np.repeat(np.arange(number), count)
        totals = [np.bincount(owner, stated_bits >> bit & 1, number) for bit in range(len(SHARED_NAMES))]
        some_words = np.maximum(count, 1)
        shared[0] = totals[0] / some_words
        shared[1] = totals[1] / some_words
        shared[2] = np.minimum(totals[2] / stated.author_count, 1)
