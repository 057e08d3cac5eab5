"""`broadsheet train words`: word vectors of hashed pieces of words (floret), learned from all training pages.

The table is quantised to one byte a number, with a scale for each column. Frequencies come from `wordfreq`; the common
component of sentences (Arora et al. 2017) is the first principal component of sentences of the same text.
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
from broadsheet.training.card import Card
from broadsheet.training.options import TrainingOptions
from broadsheet.training.words.corpus import WordCorpus, write_corpus
from broadsheet.training.words.frequencies import make_frequency_table

COLUMNS = 200  # section 3 of the GCN paper
ROWS = 32_000  # of one byte a number: 6.4 MB
EPOCHS = 2
RATE = 0.08
WINDOW = 4
NEGATIVE = 4  # words that each pair is compared with
MIN_COUNT = 5
SKETCHED = 3e-5  # share above which a word is left out now and then (t of word2vec)
SENTENCES = 50_000  # that the common component is computed from
PROBES = tuple("article sidebar byline government police football regierung polizei gouvernement правительство".split())
PROBED_SENTENCES = 300_000  # that hold the words which may be named as neighbours
PROBED_COUNT = 20


def train_words(options: TrainingOptions) -> None:
    """Learn word vectors and write their folder."""
    corpus = write_corpus(options)
    options.report(f"{corpus.words} words of {corpus.pages.total()} pages")
    rows = _learn_table(corpus, options)
    table, scale = quantise(rows)
    key, level = make_frequency_table(corpus.path)
    component = _find_component(table, scale, key, level, corpus.path, options.seed)
    arrays: Mapping[str, NDArray[Any]] = {
        "table": table,
        "scale": scale,
        "frequency_key": key,
        "frequency_level": level,
        "component": component,
    }
    words = WordVectors(table, scale, key, level, component)
    config = {"rows": ROWS, "columns": COLUMNS, "min_n": MIN_N, "max_n": MAX_N, "hashes": HASHES}
    save_weights(options.output, MODEL, arrays, config, _write_card(corpus, words, options))


def quantise(rows: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Round a table to one byte a number, with a scale for each column."""
    # Few rows are far out: they are cut at the 99.9th percentile, so that the many get finer steps.
    scale = (np.quantile(np.abs(rows), 0.999, axis=0) / 127).astype(np.float32)
    scale = np.maximum(scale, np.float32(1e-12))
    return np.clip(np.rint(rows / scale), -127, 127).astype(np.int8), scale


def _learn_table(corpus: WordCorpus, options: TrainingOptions) -> NDArray[np.float32]:
    floret = import_extra("floret", "train")
    settings = f"{COLUMNS} {ROWS} {EPOCHS} {MIN_COUNT} {SKETCHED} {RATE} {WINDOW} {NEGATIVE} {options.limit}".encode()
    kept = options.work / f"table-{hashlib.blake2b(settings + corpus.path.read_bytes(), digest_size=6).hexdigest()}.npy"
    if kept.exists():
        found: NDArray[np.float32] = np.load(kept)
        return found
    options.report("learning word vectors with floret; one thread, so that the same seed gives the same table")
    model = floret.train_unsupervised(
        str(corpus.path),
        model="skipgram",
        mode="floret",
        dim=COLUMNS,
        bucket=ROWS,
        hashCount=HASHES,
        minn=MIN_N,
        maxn=MAX_N,
        minCount=MIN_COUNT if options.limit is None else 1,
        epoch=EPOCHS,
        lr=RATE,
        ws=WINDOW,
        neg=NEGATIVE,
        t=SKETCHED,
        thread=1,
        verbose=0,
    )
    # In front of the hashed rows the matrix has one for each word, which this mode does not use.
    rows = np.array(model.get_input_matrix()[-ROWS:], np.float32)
    np.save(kept, rows)
    return rows


def _find_component(
    table: NDArray[np.int8],
    scale: NDArray[np.float32],
    key: NDArray[np.uint32],
    level: NDArray[np.uint8],
    sentences: Path,
    seed: int,
) -> NDArray[np.float32]:
    """Find the direction that sentences have in common: their first singular vector, not centred, as in the paper."""
    plain = WordVectors(table, scale, key, level, np.zeros(len(scale), np.float32))
    with sentences.open(encoding="utf-8") as lines:
        texts = [line.split() for line in islice(lines, 20 * SENTENCES)]
    random.Random(seed).shuffle(texts)
    vectors = plain.sif(texts[:SENTENCES]).astype(np.float64)
    component: NDArray[np.float64] = np.linalg.eigh(vectors.T @ vectors)[1][:, -1]
    sign = 1.0 if component.sum() > 0 else -1.0  # a direction has two vectors: always the same one
    return (sign * component).astype(np.float32)


def _write_card(corpus: WordCorpus, words: WordVectors, options: TrainingOptions) -> str:
    return Card(
        model=MODEL,
        summary="Word vectors for all languages: a table of hashed pieces of words, word frequencies, and the common "
        "component of sentences. Used by `gcn` and `semtext`.",
        command="broadsheet train words",
        seed=options.seed,
        pages=corpus.pages,
        figures={
            "words learned from": f"{corpus.words:,}",
            **{f"nearest to {probe}": near for probe, near in _find_neighbours(words, corpus.path).items()},
        },
        notes=(
            f"{ROWS:,} rows x {COLUMNS} bytes; pieces of {MIN_N} or {MAX_N} characters, {HASHES} rows each",
            "Text: blocks of all pages, gold texts, page titles, names of classes; every sentence once",
            "Frequencies: wordfreq (Robyn Speer; data CC-BY-SA 4.0), of each word in the language that uses it most",
            "No text can be read back: rows are shared by many pieces of words",
        ),
    ).write()


def _find_neighbours(words: WordVectors, sentences: Path) -> dict[str, str]:
    """The words nearest to each probe by cosine, among the frequent ones of the text."""
    counts: Counter[str] = Counter()
    with sentences.open(encoding="utf-8") as lines:
        for line in islice(lines, PROBED_SENTENCES):
            counts.update(line.split())
    known = [word for word, count in counts.items() if count >= PROBED_COUNT]
    if not known:
        return {}
    vectors = words.vectors(known)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    found = {}
    for probe in PROBES:
        order = np.argsort(-(vectors @ words.vectors([probe])[0]))
        found[probe] = ", ".join([known[at] for at in order[:6] if known[at] != probe][:5])
    return found
