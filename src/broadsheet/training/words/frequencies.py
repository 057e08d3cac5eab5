"""How often words are used, from the lists of `wordfreq`: needed in training alone, what counts is put into a table."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from broadsheet.embeddings.subwords import hash_words
from broadsheet.embeddings.words import LEVELS_PER_DECADE
from broadsheet.extras import import_extra
from broadsheet.text import split_words

MIN_FREQUENCY = 5e-5  # rarer words have weights above 0.95 anyway, and are not stored


def make_frequency_table(sentences: Path) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Hashes of frequent words, ascending, and their frequencies in steps of a logarithm."""
    frequencies = _gather_frequencies(sentences)
    words = [word for word, share in frequencies.items() if share >= MIN_FREQUENCY]
    subwords = hash_words(words)
    keys = subwords.hashes[subwords.start[:-1], 0]
    shares = np.array([frequencies[word] for word in words])
    levels = np.clip(np.rint(-LEVELS_PER_DECADE * np.log10(shares)), 0, 255).astype(np.uint8)
    order = np.lexsort((levels, keys))  # of two words with one hash, the more frequent
    keys, first = np.unique(keys[order], return_index=True)
    return keys.astype(np.uint32), levels[order][first]


def _gather_frequencies(sentences: Path) -> dict[str, float]:
    """Share of each word in the language that uses it most; wordfreq's lists, cut as we cut words."""
    wordfreq = import_extra("wordfreq", "train")
    found = _count_other_scripts(sentences)
    for language in sorted(wordfreq.available_languages("best")):
        own: defaultdict[str, float] = defaultdict(float)
        for word, share in wordfreq.get_frequency_dict(language, "best").items():
            for part in split_words(word) if share > MIN_FREQUENCY / 50 else ():
                own[part] += share
        total = sum(own.values())
        for word, share in own.items():
            found[word] = max(found.get(word, 0.0), share / total)
    return found


def _count_other_scripts(sentences: Path) -> dict[str, float]:
    """Shares of the characters of Thai, Lao, Burmese and Khmer, which wordfreq does not have: from our own text."""
    counts: defaultdict[str, int] = defaultdict(int)
    with sentences.open(encoding="utf-8") as lines:
        for line in lines:
            for word in line.split() if not line.isascii() else ():
                if len(word) == 1 and ("\u0e00" <= word <= "\u0eff" or "\u1000" <= word <= "\u17ff"):
                    counts[word] += 1
    total = sum(counts.values())
    return {word: count / total for word, count in counts.items()}
