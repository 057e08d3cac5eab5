"""SemText's network at run time (sections III-E and III-F), in NumPy.

Word vectors are fixed, so a convolution is a sum of looked-up rows: each distinct word of a page is multiplied with the
filters once, each distinct string is encoded once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain as join

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.semtext.config import SemtextConfig
from broadsheet.methods.semtext.strings import Strings, Words
from broadsheet.methods.semtext.windows import Window, make_windows
from broadsheet.models import Weights
from broadsheet.models.chain import Chain, find_best, find_marginals
from broadsheet.models.lstm import BiLstm, Floats, make_bilstm, run_bilstm
from broadsheet.page.limits import NO_DEADLINE, Deadline

Vectors = Callable[[Sequence[str]], Floats]  # words -> words x dimensions
_WINDOWS_AT_ONCE = 32  # bounds the memory that a page of 100,000 blocks takes
_STRINGS_AT_ONCE = 4_000


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """Filters of one kind of string."""

    filters: Floats  # dimensions x (for each kernel: width x filters)
    bias: Floats  # all filters


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Everything that was learned, laid out for running."""

    config: SemtextConfig
    encoders: Mapping[str, Encoder]
    lstm: BiLstm
    output: Floats  # 2 x units
    output_bias: float
    chain: Chain


def read_network(weights: Weights) -> Network:
    """Lay out the arrays of a folder of weights."""
    config = SemtextConfig.from_json(weights.config["network"])
    arrays = {name: array.astype(np.float32) for name, array in weights.arrays.items()}
    transitions, ends = arrays["transitions"].tolist(), arrays["ends"].tolist()
    return Network(
        config=config,
        encoders={kind: _read_encoder(arrays, kind, config) for kind in config.strings},
        lstm=make_bilstm(
            [arrays[f"lstm.{side}.weight_ih_l0"] for side in (0, 1)],
            [arrays[f"lstm.{side}.weight_hh_l0"] for side in (0, 1)],
            [arrays[f"lstm.{side}.bias_ih_l0"] + arrays[f"lstm.{side}.bias_hh_l0"] for side in (0, 1)],
        ),
        output=arrays["output.weight"][0],
        output_bias=float(arrays["output.bias"][0]),
        chain=Chain((tuple(transitions[0]), tuple(transitions[1])), tuple(ends[0]), tuple(ends[1])),
    )


def _read_encoder(arrays: Mapping[str, Floats], kind: str, config: SemtextConfig) -> Encoder:
    kernels = [arrays[f"encoders.{kind}.kernels.{number}"] for number in range(len(config.kernels))]
    biases = [arrays[f"encoders.{kind}.biases.{number}"] for number in range(len(config.kernels))]
    flat = [kernel.transpose(1, 0, 2).reshape(kernel.shape[1], -1) for kernel in kernels]
    return Encoder(np.ascontiguousarray(np.concatenate(flat, 1)), np.concatenate(biases))


def find_probabilities(
    network: Network,
    config: SemtextConfig,
    strings: Mapping[str, Strings],
    measures: Floats | None,
    vectors: Vectors,
    deadline: Deadline = NO_DEADLINE,
) -> list[float]:
    """Probability of "main" for each unit of a page; 0 and 1 of the best chain where the threshold is 0."""
    parts = [
        encode_strings(strings[kind].words, network.encoders[kind], config, vectors)[
            np.asarray(strings[kind].of_unit, np.intp)
        ]
        for kind in config.strings
    ]
    if measures is not None:
        parts.append(measures)
    inputs = np.concatenate(parts, 1)
    windows = make_windows(len(inputs), config)
    scores = _run_windows(network, inputs, windows, deadline)
    label: Callable[[Sequence[float], Chain], Sequence[float]] = find_marginals if config.threshold else find_best
    if config.overlap:
        return list(label(scores, network.chain))
    pieces = (label(scores[own.own_first : own.own_beyond], network.chain) for own in windows)
    return list(join.from_iterable(pieces))


def _run_windows(network: Network, inputs: Floats, windows: Sequence[Window], deadline: Deadline) -> list[float]:
    """Log-odds of each unit, by the window that it belongs to."""
    found: list[float] = []
    for at in range(0, len(windows), _WINDOWS_AT_ONCE):
        deadline.check()
        some = windows[at : at + _WINDOWS_AT_ONCE]
        hidden = run_bilstm(network.lstm, [inputs[own.first : own.beyond] for own in some])
        for window, own in zip(some, hidden, strict=True):
            labelled = own[window.own_first - window.first : window.own_beyond - window.first]
            found += (labelled @ network.output + network.output_bias).tolist()
    return found


def encode_strings(strings: Sequence[Words], encoder: Encoder, config: SemtextConfig, vectors: Vectors) -> Floats:
    """Largest response of each filter to each string (III-E): strings x filters."""
    parts = [
        _encode_some(strings[at : at + _STRINGS_AT_ONCE], encoder, config, vectors)
        for at in range(0, len(strings), _STRINGS_AT_ONCE)
    ]
    return np.concatenate(parts) if parts else np.zeros((0, config.filters), np.float32)


def _encode_some(strings: Sequence[Words], encoder: Encoder, config: SemtextConfig, vectors: Vectors) -> Floats:
    words = list(join.from_iterable(strings))
    number = {word: at for at, word in enumerate(dict.fromkeys(words))}
    responses = np.zeros((len(number) + 1, encoder.filters.shape[1]), np.float32)  # the last row is that of no word
    if number:
        np.matmul(vectors(list(number)), encoder.filters, out=responses[:-1])
    lengths = np.array([len(own) for own in strings])
    # One after the other, each with so many empty places behind it that no window reaches into the next.
    gap = max(width for width, _ in config.kernels)
    starts = np.cumsum(lengths + gap) - lengths - gap
    places = np.full(int((lengths + gap).sum()) + gap, len(number), np.intp)
    inside = np.arange(int(lengths.sum())) + np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
    places[inside] = np.fromiter(map(number.__getitem__, words), np.intp, len(words))
    found, column = [], 0
    for width, filters in config.kernels:
        own = responses[:, column : column + width * filters].reshape(-1, width, filters)
        column += width * filters
        found.append(_convolve(own, places, starts, lengths, config.max_words))
    encoded = np.concatenate(found, 1) + encoder.bias
    return np.maximum(encoded, 0, out=encoded) if config.has_relu else encoded


def _convolve(
    responses: Floats, places: NDArray[np.intp], starts: NDArray[np.int64], lengths: NDArray[np.int64], most: int
) -> Floats:
    """Slide filters over all strings and take the maximum of each. `responses`: words x width x filters."""
    width = responses.shape[1]
    table = np.ascontiguousarray(responses.transpose(1, 0, 2))
    windows = np.clip(lengths, 1, most - width + 1)
    begins = np.cumsum(windows) - windows
    at = np.arange(int(windows.sum())) + np.repeat(starts - begins, windows)
    total = table[0].take(places[at], 0)
    for offset in range(1, width):
        total += table[offset].take(places[at + offset], 0)
    best = np.maximum.reduceat(total, begins, 0)
    # A string that is not full is filled up with zeros, and a window of nothing else answers zero.
    best[lengths <= most - width] = np.maximum(best[lengths <= most - width], 0)
    return best
