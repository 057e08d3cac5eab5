"""The corpus of the word vectors: blocks of all training pages, gold texts, page titles and class names."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from broadsheet.atomic import write_atomically
from broadsheet.blocks import Blocks
from broadsheet.embeddings.subwords import MAX_WORD_CHARS
from broadsheet.text import split_identifiers, split_words
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import LabelledPage, PageFilter, find_datasets, read_pages

PAGES = PageFilter(min_blocks=0)
CLASS_STEPS = 3  # last steps of a class path that form one sentence: names that are near in the tree are near in it


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
