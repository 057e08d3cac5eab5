"""`broadsheet train words`: vectors of hashed subwords (floret), learned from all training pages.

The table is quantized to one byte per number, with a scale for each column. Word frequencies come from `wordfreq`. The
common component of sentences (Arora et al. 2017) is the first principal component of sentences of the same corpus.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.embeddings.subwords import HASHES, MAX_N, MIN_N
from broadsheet.embeddings.words import MODEL, WordVectors
from broadsheet.extras import import_extra
from broadsheet.models import save_weights
from broadsheet.training.cache import load_or_compute, make_key
from broadsheet.training.card import Card
from broadsheet.training.options import TrainingOptions
from broadsheet.training.words.corpus import WordCorpus, write_corpus
from broadsheet.training.words.frequencies import make_frequency_table

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
    save_weights(options.output, MODEL, arrays, config, _write_card(corpus, words, options))


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


def _write_card(corpus: WordCorpus, words: WordVectors, options: TrainingOptions) -> str:
    return Card(
        model=MODEL,
        summary="Word vectors for all languages: a table of hashed subwords, word frequencies, and the common "
        "component of sentences. Used by `gcn` and `semtext`.",
        command="broadsheet train words",
        seed=options.seed,
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
    ).write()


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
