"""BoilerNet (Leonhardt, Anand, Khosla: Boilerplate removal using a neural sequence labeling model, WWW 2020).

A text block is a vector of counts: of the tags on the path to it, and of its words; only the most frequent words of the
training pages have a column. Two bidirectional LSTM layers read the blocks of a page in order, and a sigmoid labels
each. The sizes are those of its paper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.evaluation.scores import Gold
from broadsheet.extras import import_extra
from broadsheet.page import read_page
from broadsheet.text import split_words

WORDS, TAGS = 1000, 50  # columns
HIDDEN, DROPOUT = 256, 0.5
EPOCHS, RATE = 50, 1e-3
Tokens = tuple[list[str], list[str]]  # tags on the path to a block, and words


def train_boilernet(pages: Sequence[Gold], path: Path) -> Callable[[Gold], list[bool]]:
    """Return a function that labels the blocks of a page. The network is kept in a file."""
    torch = import_extra("torch", "train")
    torch.manual_seed(0)
    tokens = [read_tokens(gold) for gold in pages]
    columns = _choose_columns(tokens)
    network = _make_network(torch, len(columns))
    if path.exists():
        network.load_state_dict(torch.load(path))
    else:
        _fit(torch, network, [_count(page, columns) for page in tokens], pages)
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.save(network.state_dict(), path)
    network.eval()

    def label(gold: Gold) -> list[bool]:
        counts = _count(read_tokens(gold), columns)
        if not len(counts):
            return []
        with torch.no_grad():
            return [bool(score > 0) for score in network(torch.from_numpy(counts)).tolist()]

    return label


def read_tokens(gold: Gold) -> list[Tokens]:
    """Return the tags and the words of each block."""
    assert gold.blocks is not None
    nodes = read_page(gold.record.html, url=gold.record.url).nodes
    return [
        ([nodes.tag[row] for row in (container, *nodes.ancestors(container)) if row >= 0], split_words(text))
        for container, text in zip(gold.blocks.container, gold.blocks.text, strict=True)
    ]


def _choose_columns(pages: Sequence[Sequence[Tokens]]) -> dict[str, int]:
    """Return the columns of frequent tags and words; a tag is written <tag>."""
    tags = Counter(f"<{tag}>" for block, _ in chain.from_iterable(pages) for tag in block)
    words = Counter(word.lower() for _, block in chain.from_iterable(pages) for word in block)
    names = [*(name for name, _ in tags.most_common(TAGS)), *(name for name, _ in words.most_common(WORDS))]
    return {name: column for column, name in enumerate(names)}


def _count(blocks: Sequence[Tokens], columns: dict[str, int]) -> NDArray[np.float32]:
    counts = np.zeros((len(blocks), len(columns)), np.float32)
    for row, (tags, words) in enumerate(blocks):
        for name in (*(f"<{tag}>" for tag in tags), *map(str.lower, words)):
            if name in columns:
                counts[row, columns[name]] += 1
    return counts


def _make_network(torch: Any, columns: int) -> Any:
    class BoilerNet(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.dense = torch.nn.Linear(columns, HIDDEN)
            self.lstm = torch.nn.LSTM(HIDDEN, HIDDEN, 2, bidirectional=True, dropout=DROPOUT)
            self.output = torch.nn.Linear(2 * HIDDEN, 1)

        def forward(self, counts: Any) -> Any:
            hidden = torch.nn.functional.dropout(torch.relu(self.dense(counts)), DROPOUT, self.training)
            return self.output(self.lstm(hidden)[0])[:, 0]

    return BoilerNet()


def _fit(torch: Any, network: Any, inputs: Sequence[NDArray[np.float32]], pages: Sequence[Gold]) -> None:
    """Train on the blocks that count; both classes have the same weight."""
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE)
    is_main = [np.array(gold.in_text, np.float32) for gold in pages]
    positive = sum(map(np.sum, is_main)) / max(sum(map(len, is_main)), 1)
    weight = torch.tensor((1 - positive) / max(positive, 1e-6))
    for epoch in range(EPOCHS):
        for page in np.random.default_rng(epoch).permutation(len(inputs)).tolist():
            if not len(inputs[page]):
                continue
            counted = torch.tensor([not ignored for ignored in pages[page].ignored])
            logits = network(torch.from_numpy(inputs[page]))
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                logits, torch.from_numpy(is_main[page]), pos_weight=weight, weight=counted.float()
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
