"""SemText's network (sections III-E and III-F) in NumPy.

Word vectors are fixed, so a convolution is a sum of table rows: each distinct word of a page is multiplied by the
filters once, and each distinct string is encoded once. Long pages are split into windows (IV-B), which may overlap
(ours: the open problem of section V).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain as join

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.semtext.config import SECTION, SemtextConfig
from broadsheet.methods.semtext.features import FEATURES, SemtextInput
from broadsheet.methods.semtext.sequence import (
    BiLstm,
    Chain,
    Floats,
    find_best,
    find_marginals,
    make_bilstm,
    run_bilstm,
)
from broadsheet.methods.semtext.words import Words
from broadsheet.models.config import read_config
from broadsheet.models.weights import Weights, check_arrays
from broadsheet.models.words import load_words
from broadsheet.page.limits import NO_DEADLINE, Deadline

Vectors = Callable[[Sequence[str]], Floats]  # words -> words x dimensions
_WINDOWS_PER_BATCH = 16  # with more, OpenBLAS starts threads, which take five times as long on a busy machine
_STRINGS_PER_BATCH = 4_000
_DIRECTIONS = (0, 1)  # of the LSTM: forward, backward


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """Filters of one kind of string."""

    filters: Floats  # dimensions x (for each kernel: width x filters)
    bias: Floats  # all filters


@dataclass(frozen=True, slots=True, eq=False)
class SemtextNetwork:
    """A trained network, its arrays laid out for prediction."""

    config: SemtextConfig
    encoders: Mapping[str, Encoder]
    lstm: BiLstm
    output: Floats  # 2 x hidden
    output_bias: float
    chain: Chain


def read_network(weights: Weights) -> SemtextNetwork:
    """Build the network of a weights folder. Raise UsageError if an array is missing or has a wrong shape."""
    config = read_config(weights, SemtextConfig, SECTION)
    check_arrays(weights, _list_shapes(config, load_words().columns))
    arrays = {name: array.astype(np.float32) for name, array in weights.arrays.items()}
    transitions, ends = arrays["transitions"].tolist(), arrays["ends"].tolist()
    return SemtextNetwork(
        config=config,
        encoders={kind: _read_encoder(arrays, kind, config) for kind in config.strings},
        lstm=make_bilstm(
            [arrays[f"lstm.{side}.weight_ih_l0"] for side in _DIRECTIONS],
            [arrays[f"lstm.{side}.weight_hh_l0"] for side in _DIRECTIONS],
            [arrays[f"lstm.{side}.bias_ih_l0"] + arrays[f"lstm.{side}.bias_hh_l0"] for side in _DIRECTIONS],
        ),
        output=arrays["output.weight"][0],
        output_bias=float(arrays["output.bias"][0]),
        chain=Chain((tuple(transitions[0]), tuple(transitions[1])), tuple(ends[0]), tuple(ends[1])),
    )


def _list_shapes(config: SemtextConfig, dimensions: int) -> dict[str, tuple[int | None, ...]]:
    """List all arrays of a network and their shapes."""
    inputs = config.filters * len(config.strings) + (len(FEATURES) if config.has_features else 0)
    gates = 4 * config.hidden
    shapes: dict[str, tuple[int | None, ...]] = {
        "output.weight": (1, 2 * config.hidden),
        "output.bias": (1,),
        "transitions": (2, 2),
        "ends": (2, 2),
    }
    for kind in config.strings:
        for number, (width, filters) in enumerate(config.kernels):
            shapes[f"encoders.{kind}.kernels.{number}"] = (width, dimensions, filters)
            shapes[f"encoders.{kind}.biases.{number}"] = (filters,)
    for side in _DIRECTIONS:
        shapes[f"lstm.{side}.weight_ih_l0"] = (gates, inputs)
        shapes[f"lstm.{side}.weight_hh_l0"] = (gates, config.hidden)
        shapes[f"lstm.{side}.bias_ih_l0"] = shapes[f"lstm.{side}.bias_hh_l0"] = (gates,)
    return shapes


def _read_encoder(arrays: Mapping[str, Floats], kind: str, config: SemtextConfig) -> Encoder:
    kernels = [arrays[f"encoders.{kind}.kernels.{number}"] for number in range(len(config.kernels))]
    biases = [arrays[f"encoders.{kind}.biases.{number}"] for number in range(len(config.kernels))]
    flat = [kernel.transpose(1, 0, 2).reshape(kernel.shape[1], -1) for kernel in kernels]
    return Encoder(np.ascontiguousarray(np.concatenate(flat, 1)), np.concatenate(biases))


def find_probabilities(
    network: SemtextNetwork, inputs: SemtextInput, vectors: Vectors, deadline: Deadline = NO_DEADLINE
) -> list[float]:
    """Return the probability of "main" for each unit; 0 or 1 by the best chain where the threshold is 0."""
    config = network.config
    parts = []
    for kind in config.strings:
        strings = inputs.strings[kind]
        encoded = encode_strings(strings.words, network.encoders[kind], config, vectors)
        parts.append(encoded[np.asarray(strings.of_unit, np.intp)])
    if inputs.features is not None:
        parts.append(inputs.features)
    columns = np.concatenate(parts, 1)  # units x inputs of the LSTM
    windows = make_windows(len(columns), config)
    log_odds = _run_windows(network, columns, windows, deadline)
    label: Callable[[Sequence[float], Chain], Sequence[float]] = find_marginals if config.threshold else find_best
    if config.overlap:
        return list(label(log_odds, network.chain))
    pieces = (label(log_odds[window.label_first : window.label_end], network.chain) for window in windows)
    return list(join.from_iterable(pieces))


def _run_windows(
    network: SemtextNetwork, columns: Floats, windows: Sequence[Window], deadline: Deadline
) -> list[float]:
    """Return the log-odds of each unit, from the window that labels it."""
    log_odds: list[float] = []
    for start in range(0, len(windows), _WINDOWS_PER_BATCH):
        deadline.check()
        batch = windows[start : start + _WINDOWS_PER_BATCH]
        outputs = run_bilstm(network.lstm, [columns[window.first : window.end] for window in batch])
        for window, hidden in zip(batch, outputs, strict=True):
            labelled = hidden[window.label_first - window.first : window.label_end - window.first]
            log_odds += (labelled @ network.output + network.output_bias).tolist()
    return log_odds


def encode_strings(strings: Sequence[Words], encoder: Encoder, config: SemtextConfig, vectors: Vectors) -> Floats:
    """Return the largest response of each filter to each string (III-E): strings x filters."""
    batches = [
        _encode_batch(strings[start : start + _STRINGS_PER_BATCH], encoder, config, vectors)
        for start in range(0, len(strings), _STRINGS_PER_BATCH)
    ]
    return np.concatenate(batches) if batches else np.zeros((0, config.filters), np.float32)


def _encode_batch(strings: Sequence[Words], encoder: Encoder, config: SemtextConfig, vectors: Vectors) -> Floats:
    words = list(join.from_iterable(strings))
    index_of = {word: index for index, word in enumerate(dict.fromkeys(words))}
    responses = np.zeros((len(index_of) + 1, encoder.filters.shape[1]), np.float32)  # the last row is for padding
    if index_of:
        np.matmul(vectors(list(index_of)), encoder.filters, out=responses[:-1])
    lengths = np.array([len(string) for string in strings])
    # All strings in one sequence of word indices, padded so that no kernel reaches into the next string.
    padding = max(width for width, _ in config.kernels)
    starts = np.cumsum(lengths + padding) - lengths - padding
    sequence = np.full(int((lengths + padding).sum()) + padding, len(index_of), np.intp)
    slots = np.arange(int(lengths.sum())) + np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
    sequence[slots] = np.fromiter(map(index_of.__getitem__, words), np.intp, len(words))
    pooled, column = [], 0
    for width, filters in config.kernels:
        kernel = responses[:, column : column + width * filters].reshape(-1, width, filters)
        column += width * filters
        pooled.append(_convolve(kernel, sequence, starts, lengths, config.max_words))
    encoded = np.concatenate(pooled, 1) + encoder.bias
    return np.maximum(encoded, 0, out=encoded) if config.has_relu else encoded


def _convolve(
    responses: Floats, sequence: NDArray[np.intp], starts: NDArray[np.int64], lengths: NDArray[np.int64], max_words: int
) -> Floats:
    """Slide a kernel over all strings and return the maximum for each. `responses`: words x width x filters."""
    width = responses.shape[1]
    table = np.ascontiguousarray(responses.transpose(1, 0, 2))
    windows = np.clip(lengths, 1, max_words - width + 1)
    begins = np.cumsum(windows) - windows
    slots = np.arange(int(windows.sum())) + np.repeat(starts - begins, windows)
    total = table[0].take(sequence[slots], 0)
    for offset in range(1, width):
        total += table[offset].take(sequence[slots + offset], 0)
    best = np.maximum.reduceat(total, begins, 0)
    # A string below the maximum length is padded with zeros, and a window of padding alone has response 0.
    is_padded = lengths <= max_words - width
    best[is_padded] = np.maximum(best[is_padded], 0)
    return best


@dataclass(frozen=True, slots=True)
class Window:
    """Units `first` to `end` - 1, which the network reads, and the part of them that it labels."""

    first: int
    end: int
    label_first: int
    label_end: int

    def __len__(self) -> int:
        return self.end - self.first


def split_evenly(count: int, max_size: int) -> Iterator[range]:
    """Split a sequence into as few parts of at most `max_size` as possible, as evenly as possible."""
    parts = -(-count // max_size)
    for part in range(parts):
        yield range(count * part // parts, count * (part + 1) // parts)


def make_windows(count: int, config: SemtextConfig) -> list[Window]:
    """Split a page of `count` units. A window reads `overlap` units on either side of those that it labels."""
    return [
        Window(max(part.start - config.overlap, 0), min(part.stop + config.overlap, count), part.start, part.stop)
        for part in split_evenly(count, config.max_blocks)
    ]


def find_threshold(
    scores: Sequence[float] | NDArray[np.float64], chars: Sequence[float], config: SemtextConfig
) -> float:
    """Return the probability above which blocks of a page are main. `chars` are the lengths of their texts."""
    if not config.threshold:
        return 0.5  # the scores are 0 or 1
    if not config.page_share:
        return config.threshold
    score, weight = np.asarray(scores, np.float64), np.asarray(chars, np.float64)
    main_chars = float(weight @ score)  # expected characters of main text
    mean_score = float(weight @ score**2) / main_chars if main_chars else 0.0  # of a character of main text
    return max(config.threshold, config.page_share * mean_score)
