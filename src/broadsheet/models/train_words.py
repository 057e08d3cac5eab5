"""`broadsheet train words`: vectors of hashed subwords (floret), learned from all training pages.

The table is quantized to one byte per number, with a scale for each column. Word frequencies come from `wordfreq`. The
common component of sentences (Arora et al. 2017) is the first principal component of sentences of the same corpus.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.atomic import write_atomically
from broadsheet.blocks import Blocks
from broadsheet.extras import import_extra
from broadsheet.models.words import (
    HASHES,
    LEVELS_PER_DECADE,
    MAX_N,
    MAX_WORD_CHARS,
    MIN_N,
    MODEL,
    WordVectors,
    hash_words,
)
from broadsheet.text import split_identifiers, split_words
from broadsheet.training.cache import load_or_compute, make_key
from broadsheet.training.finish import Card, finish
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import LabelledPage, PageFilter, find_datasets, read_pages

COLUMNS = 200  # section 3 of the GCN paper
ROWS = 32_000  # of one byte per number: 6.4 MB
EPOCHS = 2
RATE = 0.08
WINDOW = 4
NEGATIVE = 4  # negative samples per pair of words
MIN_COUNT = 5
SUBSAMPLING = 3e-5  # share above which a word is skipped at random (t of word2vec)
COMPONENT_SENTENCES = 50_000  # from which the common component is computed
CARD_WORDS = "article sidebar byline government police football regierung polizei gouvernement правительство".split()
CARD_SENTENCES = 300_000  # in which the nearest words for the card are searched
CARD_MIN_COUNT = 20  # of a word in these sentences
PAGES = PageFilter(min_blocks=0)
CLASS_STEPS = 3  # last steps of a class path that form one sentence: names that are near in the tree are near in it
MIN_FREQUENCY = 5e-5  # rarer words are not stored: their SIF weight is above 0.95 in any case
MIN_LIST_FREQUENCY = MIN_FREQUENCY / 50  # of an entry of wordfreq: several entries may contain the same word


def train_words(options: TrainingOptions) -> None:
    """Learn word vectors and write their weights."""
    corpus = write_corpus(options)
    options.report(f"{corpus.words} words on {corpus.pages.total()} pages")
    table, scale = quantize(_learn_table(corpus, options))
    frequencies = make_frequency_table(corpus.path)
    words = WordVectors(table, scale, frequencies.keys, frequencies.levels, np.zeros(len(scale), np.float32))
    component = _find_component(words, corpus.path, options.seed)
    arrays: Mapping[str, NDArray[Any]] = {
        "table": table,
        "scale": scale,
        "frequency_key": frequencies.keys,
        "frequency_level": frequencies.levels,
        "component": component,
    }
    words = WordVectors(table, scale, frequencies.keys, frequencies.levels, component)
    config = {"rows": ROWS, "columns": COLUMNS, "min_n": MIN_N, "max_n": MAX_N, "hashes": HASHES}
    finish(_make_card(corpus, words), arrays, config, options)


def quantize(rows: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Round a table to one byte per number. Returns it with the scale of each column."""
    # Outliers are clipped at the 99.9th percentile, so that the other numbers get finer steps.
    scale = (np.quantile(np.abs(rows), 0.999, axis=0) / 127).astype(np.float32)
    scale = np.maximum(scale, np.float32(1e-12))
    return np.clip(np.rint(rows / scale), -127, 127).astype(np.int8), scale


def _learn_table(corpus: WordCorpus, options: TrainingOptions) -> NDArray[np.float32]:
    """Learn the vectors with floret, or load them from the cache."""
    settings = {
        "dim": COLUMNS,
        "bucket": ROWS,
        "hashCount": HASHES,
        "minn": MIN_N,
        "maxn": MAX_N,
        "minCount": MIN_COUNT if options.limit is None else 1,
        "epoch": EPOCHS,
        "lr": RATE,
        "ws": WINDOW,
        "neg": NEGATIVE,
        "t": SUBSAMPLING,
    }
    key = make_key(settings, hashlib.blake2b(corpus.path.read_bytes()).hexdigest())

    def learn() -> dict[str, NDArray[np.float32]]:
        floret = import_extra("floret", "train")
        options.report("learning word vectors with floret, in one thread: the same seed gives the same table")
        model = floret.train_unsupervised(
            str(corpus.path), model="skipgram", mode="floret", thread=1, verbose=0, **settings
        )
        # The rows before the hashed ones belong to whole words, which this mode does not use.
        return {"rows": np.array(model.get_input_matrix()[-ROWS:], np.float32)}

    rows: NDArray[np.float32] = load_or_compute(options.work / f"words-{key}", learn)["rows"]
    return rows


def _find_component(words: WordVectors, sentences: Path, seed: int) -> NDArray[np.float32]:
    """Return the common component of sentences: their first singular vector, not centred, as in the paper."""
    with sentences.open(encoding="utf-8") as lines:
        texts = [line.split() for line in islice(lines, 20 * COMPONENT_SENTENCES)]
    random.Random(seed).shuffle(texts)
    vectors = words.sif(texts[:COMPONENT_SENTENCES]).astype(np.float64)
    component: NDArray[np.float64] = np.linalg.eigh(vectors.T @ vectors)[1][:, -1]
    sign = 1.0 if component.sum() > 0 else -1.0  # both signs are valid; always choose the same one
    return (sign * component).astype(np.float32)


def _make_card(corpus: WordCorpus, words: WordVectors) -> Card:
    return Card(
        model=MODEL,
        summary="Word vectors for all languages: a table of hashed subwords, word frequencies, and the common "
        "component of sentences. Used by `gcn` and `semtext`.",
        pages=corpus.pages,
        figures={
            "words in the corpus": f"{corpus.words:,}",
            **{f"nearest to {word}": near for word, near in _find_neighbours(words, corpus.path).items()},
        },
        notes=(
            f"{ROWS:,} rows x {COLUMNS} bytes; subwords of {MIN_N} or {MAX_N} characters, {HASHES} rows each",
            "Corpus: blocks of all pages, gold texts, page titles, class names; every sentence once",
            "Frequencies: wordfreq (Robyn Speer; data CC-BY-SA 4.0), of each word in the language that uses it most",
            "No text can be recovered: each row is shared by many subwords",
        ),
    )


def _find_neighbours(words: WordVectors, sentences: Path) -> dict[str, str]:
    """Return the frequent words that are nearest to each word of the card, by cosine."""
    counts: Counter[str] = Counter()
    with sentences.open(encoding="utf-8") as lines:
        for line in islice(lines, CARD_SENTENCES):
            counts.update(line.split())
    frequent = [word for word, count in counts.items() if count >= CARD_MIN_COUNT]
    if not frequent:
        return {}
    vectors = words.vectors(frequent)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    nearest = {}
    for card_word in CARD_WORDS:
        order = np.argsort(-(vectors @ words.vectors([card_word])[0]))
        nearest[card_word] = ", ".join([frequent[row] for row in order[:6] if frequent[row] != card_word][:5])
    return nearest


@dataclass(frozen=True, slots=True)
class WordCorpus:
    """A file of sentences, one per line, with spaces between words."""

    path: Path
    pages: Counter[str]  # dataset -> pages
    words: int


def write_corpus(options: TrainingOptions) -> WordCorpus:
    """Write every distinct sentence of the train split, in random order."""
    pages: Counter[str] = Counter()
    sentences: set[str] = set()
    for labelled in read_pages(find_datasets(options.data, "train", skipped=options.skipped), PAGES, options):
        pages[labelled.record.dataset] += 1
        sentences.update(_list_sentences(labelled))
    # Shuffled, because the learning rate falls over the file and most datasets have one language or one year.
    ordered = sorted(sentences)
    random.Random(options.seed).shuffle(ordered)
    path = options.work / "sentences.txt"
    options.work.mkdir(parents=True, exist_ok=True)
    with write_atomically(path) as file:
        file.write("\n".join(ordered) + "\n")
    return WordCorpus(path, pages, sum(sentence.count(" ") + 1 for sentence in ordered))


def _list_sentences(labelled: LabelledPage) -> Iterator[str]:
    nodes = labelled.page.nodes
    titles = [nodes.text_of(row) for row in nodes.rows["title"]]
    for line in (*labelled.blocks.text, *(labelled.record.text or "").split("\n"), *titles):
        words = [word for word in split_words(line) if len(word) <= MAX_WORD_CHARS]
        if len(words) > 1:
            yield " ".join(words)
    yield from _list_class_sentences(labelled.blocks)


def _list_class_sentences(blocks: Blocks) -> Iterator[str]:
    """Yield the words in the class names around a block, the outermost class first."""
    for path in sorted(set(blocks.class_path)):
        steps = blocks.class_paths.steps(path)[-CLASS_STEPS:]
        words = [part.lower() for step in steps for part in split_identifiers(step) if 1 < len(part) <= MAX_WORD_CHARS]
        if len(words) > 1:
            yield " ".join(words)


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
