"""Word frequencies from the lists of `wordfreq`, as a table for the run time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from broadsheet.embeddings.subwords import hash_words
from broadsheet.embeddings.words import LEVELS_PER_DECADE
from broadsheet.extras import import_extra
from broadsheet.text import split_words

MIN_FREQUENCY = 5e-5  # rarer words are not stored: their SIF weight is above 0.95 in any case
MIN_LIST_FREQUENCY = MIN_FREQUENCY / 50  # of an entry of wordfreq: several entries may contain the same word


@dataclass(frozen=True, slots=True, eq=False)
class FrequencyTable:
    """Frequent words and their frequencies."""

    keys: NDArray[np.uint32]  # hashes of words, ascending
    levels: NDArray[np.uint8]  # logarithms of their frequencies, in steps


def make_frequency_table(sentences: Path) -> FrequencyTable:
    """Make the table of all languages."""
    frequencies = _collect_frequencies(sentences)
    words = [word for word, share in frequencies.items() if share >= MIN_FREQUENCY]
    pieces = hash_words(words)
    keys = pieces.hashes[pieces.start[:-1], 0]
    shares = np.array([frequencies[word] for word in words])
    levels = np.clip(np.rint(-LEVELS_PER_DECADE * np.log10(shares)), 0, 255).astype(np.uint8)
    order = np.lexsort((levels, keys))  # of two words with the same hash, the more frequent one comes first
    unique_keys, first = np.unique(keys[order], return_index=True)
    return FrequencyTable(unique_keys.astype(np.uint32), levels[order][first])


def _collect_frequencies(sentences: Path) -> dict[str, float]:
    """Return the share of each word in the language that uses it most. Entries of wordfreq are split as pages are."""
    wordfreq = import_extra("wordfreq", "train")
    frequencies = _count_unlisted_scripts(sentences)
    for language in sorted(wordfreq.available_languages("best")):
        shares: defaultdict[str, float] = defaultdict(float)
        for entry, share in wordfreq.get_frequency_dict(language, "best").items():
            for word in split_words(entry) if share > MIN_LIST_FREQUENCY else ():
                shares[word] += share
        total = sum(shares.values())
        for word, share in shares.items():
            frequencies[word] = max(frequencies.get(word, 0.0), share / total)
    return frequencies


def _count_unlisted_scripts(sentences: Path) -> dict[str, float]:
    """Return the shares of Thai, Lao, Burmese and Khmer characters in the corpus: wordfreq has no lists for them."""
    counts: defaultdict[str, int] = defaultdict(int)
    with sentences.open(encoding="utf-8") as lines:
        for line in lines:
            for word in line.split() if not line.isascii() else ():
                if len(word) == 1 and ("\u0e00" <= word <= "\u0eff" or "\u1000" <= word <= "\u17ff"):
                    counts[word] += 1
    total = sum(counts.values())
    return {word: count / total for word, count in counts.items()}
