"""The text that word vectors are learned from: blocks of all training pages, gold texts, and names of classes."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from broadsheet.blocks import Blocks, segment
from broadsheet.corpora import Record
from broadsheet.embeddings.subwords import MAX_WORD_CHARS
from broadsheet.errors import LimitReached
from broadsheet.page import Page, read_page
from broadsheet.text import split_words
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import find_sets, read_records

CLASS_STEPS = 3  # of a class path that make up one sentence: neighbours in the tree are neighbours in the sentence
_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True, slots=True)
class WordCorpus:
    """A file of sentences, one a line, words parted by spaces; and where they come from."""

    path: Path
    pages: Counter[str]  # dataset -> pages
    words: int


def write_corpus(options: TrainingOptions) -> WordCorpus:
    """Write all sentences of the train split once each, in an order that the seed gives."""
    pages: Counter[str] = Counter()
    sentences: set[str] = set()
    records = read_records(find_sets(options.data, "train"), options.limit)
    for record in options.progress(records, "Reading pages"):
        pages[record.dataset] += 1
        sentences.update(_find_sentences(record))
    # Shuffled: the step size falls over the file, and sets are of one language or one year.
    ordered = sorted(sentences)
    random.Random(options.seed).shuffle(ordered)
    path = options.work / "sentences.txt"
    path.write_text("\n".join(ordered) + "\n", "utf-8")
    return WordCorpus(path, pages, sum(sentence.count(" ") + 1 for sentence in ordered))


def _find_sentences(record: Record) -> Iterator[str]:
    try:
        page = read_page(record.html, url=record.url)
        blocks = segment(page)
    except LimitReached:
        return
    lines = [*blocks.text, *(record.text or "").split("\n"), *_read_head(page)]
    for line in lines:
        words = [word for word in split_words(line) if len(word) <= MAX_WORD_CHARS]
        if len(words) > 1:
            yield " ".join(words)
    yield from _find_class_sentences(blocks)


def _read_head(page: Page) -> list[str]:
    return [page.nodes.text_of(row) for row in page.nodes.rows["title"]]


def _find_class_sentences(blocks: Blocks) -> Iterator[str]:
    """Words of the classes that a block stands in, the outer ones first."""
    for path in sorted(set(blocks.class_path)):
        steps = blocks.class_paths.steps(path)[-CLASS_STEPS:]
        words = [part.lower() for step in steps for part in _NAME_PART.findall(step) if 1 < len(part) <= MAX_WORD_CHARS]
        if len(words) > 1:
            yield " ".join(words)
