"""Pages put together to batches for the block network, with names left out at random."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from broadsheet.methods.fusion.network import MAX_DEVIATIONS, MAX_NAME_LEVELS, NAME_DECAY
from broadsheet.training.fusion.labels import UNKNOWN
from broadsheet.training.fusion.network import GAP, Batch, Known, Shape, Vocabulary
from broadsheet.training.fusion.pages import FusionPages

_LONG = 600  # characters beyond which a block weighs no more


def find_known(pages: FusionPages, min_sites: int) -> Known:
    """See what there is to know before training: the vocabulary, and the mean and spread of every measure."""
    sample = pages.values[::7].astype(np.float32)
    return Known(_find_vocabulary(pages, min_sites), sample.mean(0), sample.std(0) + 1e-3)


def _find_vocabulary(pages: FusionPages, min_sites: int) -> Vocabulary:
    """Keep the names that enough sites use: others would be learned by heart."""
    sites: defaultdict[int, set[str]] = defaultdict(set)
    for page, site in enumerate(pages.sites.tolist()):
        begin, end = pages.name_starts[pages.place_starts[page : page + 2]].tolist()
        for word in np.unique(pages.names[begin:end]).tolist():
            sites[word].add(site)
    return Vocabulary(
        names=np.array(sorted(word for word, seen in sites.items() if len(seen) >= min_sites), np.uint32),
        tags=tuple(np.unique(pages.tags).tolist()),
        datasets=tuple(np.unique(pages.datasets).tolist()),
    )


class Batcher:
    """Makes batches of pages."""

    def __init__(self, pages: FusionPages, known: Known, believed: NDArray[np.float16] | None = None) -> None:
        """Take pages; `believed` is what teachers say of the content of blocks, negative where they do not matter."""
        vocabulary, mean, spread = known.vocabulary, known.mean, known.spread
        self.pages = pages
        self._believed = believed
        self.vocabulary = vocabulary
        self._mean, self._spread = mean, spread
        self._names = _look_up(vocabulary.names, pages.names).astype(np.int32)
        numbers = {tag: number for number, tag in enumerate(vocabulary.tags, 1)}
        self._tags = np.array([numbers.get(tag, 0) for tag in pages.tags.tolist()])
        datasets = {name: number for number, name in enumerate(vocabulary.datasets, 1)}
        self._datasets = [datasets.get(name, 0) for name in pages.datasets.tolist()]
        self._chains = [self._find_chains(page) for page in range(len(pages))]

    def _find_chains(self, page: int) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float32]]:
        """Names of the places around each place, where each place's begin, and what they count for."""
        places = range(*self.pages.place_starts[page : page + 2].tolist())
        outer, starts = self.pages.outer, self.pages.name_starts
        own = [self._names[starts[place] : starts[place + 1]] for place in places]
        words: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]
        weights: list[float] = []
        begins = []
        for place in range(len(own)):
            begins.append(len(weights))
            at, fade, steps = int(outer[places.start + place]), 1.0, 0
            while at >= 0 and steps < MAX_NAME_LEVELS:
                words.append(own[at])
                weights += [fade] * len(own[at])
                at, fade, steps = int(outer[places.start + at]), fade * NAME_DECAY, steps + 1
        return np.concatenate(words), np.array(begins, np.int64), np.array(weights, np.float32)

    def make(self, chosen: list[int], shape: Shape | None = None, rng: np.random.Generator | None = None) -> Batch:
        """Put pages together; with a shape and a generator, leave names out as the shape says."""
        parts = [self._make_part(page, shape, rng) for page in chosen]
        at = place_at = near_at = far_at = 0
        for number, part in enumerate(parts):
            part["page"] += number
            part["first"] += at
            part["after"] += at
            part["place"] += place_at
            part["near_starts"] += near_at
            part["far_starts"] += far_at
            at += len(part["place"])
            place_at += len(part["tag"])
            near_at += len(part["near"])
            far_at += len(part["far"])
        whole = {name: torch.from_numpy(np.concatenate([part[name] for part in parts])) for name in parts[0]}
        near, far = (
            (whole.pop("near"), whole.pop("near_starts")),
            (whole.pop("far"), whole.pop("far_starts"), whole.pop("far_weights")),
        )
        return Batch(near=near, far=far, **whole)

    def _make_part(self, page: int, shape: Shape | None, rng: np.random.Generator | None) -> dict[str, NDArray[Any]]:
        pages = self.pages
        start, end = pages.block_starts[page : page + 2].tolist()
        count, rows = end - start, slice(start, end)
        place_start, place_end = pages.place_starts[page : page + 2].tolist()
        names = self._names[pages.name_starts[place_start] : pages.name_starts[place_end]]
        far, far_starts, far_weights = self._chains[page]
        if shape and rng:
            is_gone = rng.random(len(self.vocabulary.names) + 1) < (
                1 if rng.random() < shape.drop_all_names else shape.drop_name
            )
            names, far = np.where(is_gone[names], 0, names), np.where(is_gone[far], 0, far)
        outer = pages.outer[place_start:place_end]
        tag = self._tags[place_start:place_end]
        values = np.clip(
            (pages.values[rows].astype(np.float32) - self._mean) / self._spread, -MAX_DEVIATIONS, MAX_DEVIATIONS
        )
        levels = ((pages.first[rows], np.zeros((count, 1), np.int64)), (pages.after[rows], np.full((count, 1), count)))
        first, after = (np.concatenate(level, 1).astype(np.int64) for level in levels)
        target, weight = self._label(rows)
        return {
            "values": _pad(values),
            "is_block": _pad(np.ones((count, 1), np.float32)),
            "first": _pad(first),
            "after": _pad(after),
            "place": _pad(pages.place[rows].astype(np.int64)),
            "near": names.astype(np.int64),
            "near_starts": pages.name_starts[place_start:place_end] - pages.name_starts[place_start],
            "far": far.astype(np.int64),
            "far_starts": far_starts.copy(),
            "far_weights": far_weights,
            "tag": tag.astype(np.int64),
            "outer_tag": np.where(outer >= 0, tag[np.maximum(outer, 0)], 0).astype(np.int64),
            "dataset": _pad(np.full(count, self._datasets[page], np.int64)),
            "target": _pad(target),
            "weight": _pad(weight),
            "chars": _pad(np.where(weight[:, 0] == 0, 0, np.expm1(pages.values[rows, 0].astype(np.float32)))),
            "page": np.zeros(count + GAP, np.int64),
        }

    def _label(self, rows: slice) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Targets and weights: long blocks count more, and so do pages with much text, both by their square roots."""
        labels = self.pages.labels[rows].astype(np.float32)
        if self._believed is not None:
            believed = self._believed[rows]
            labels[:, 0] = np.where(believed >= 0, believed, labels[:, 0])
        chars = np.expm1(self.pages.values[rows, 0].astype(np.float32))
        weight = np.sqrt(np.minimum(chars, _LONG) + 5)
        weight /= np.sqrt(weight.sum())
        return np.maximum(labels, 0), np.where(labels == UNKNOWN, 0, weight[:, None]).astype(np.float32)


def _pad(rows: NDArray[Any]) -> NDArray[Any]:
    padded = np.zeros((len(rows) + GAP, *rows.shape[1:]), rows.dtype)
    padded[: len(rows)] = rows
    return padded


def _look_up(keys: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> NDArray[np.intp]:
    """Row of each wanted key in a table whose row 0 is for unknown ones; keys are sorted."""
    if not len(keys):
        return np.zeros(wanted.shape, np.intp)
    found = np.minimum(keys.searchsorted(wanted), len(keys) - 1)
    return np.where(keys[found] == wanted, found + 1, 0)
