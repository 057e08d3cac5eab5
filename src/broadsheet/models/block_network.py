"""The light run time of the block network: a small convolution over the blocks and containers of a page, in NumPy.

    input     measures of a block + vectors of the names around it, of its tags and of its phrases
    mix       one linear map, ReLU
    layers    dilated convolutions over the sequence of blocks, with a residual connection
    pool      between them, once: means over the containers around a block and over the page, so that the network sees
              the tree and not only the order
    output    one number for each role that it was trained for

Everything about a place (names, tags) goes through the first map once for each place, not once for each block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
POOLED = slice(1, 5)  # levels of surroundings whose means are pooled
FADE = 0.7  # what a name counts for one container further out


@dataclass(frozen=True, slots=True, eq=False)
class BlockInput:
    """What the network reads of a page with n blocks in p places."""

    values: Array  # (measures, n)
    first: NDArray[np.intp]  # (levels, n): containers around a block, as ranges of blocks
    after: NDArray[np.intp]
    place: NDArray[np.intp]  # (n,)
    outer: Sequence[int]  # (p,) the place around each
    tags: Sequence[str]  # (p,)
    names: Sequence[tuple[int, ...]]  # (p,) hashes of the words of class and id
    phrases: NDArray[np.uint32]  # (n, slots)


class BlockNetwork:
    """A trained network, ready to run."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], config: Mapping[str, Any]) -> None:
        floats = {name: array.astype(np.float32) for name, array in arrays.items() if array.dtype.kind == "f"}
        self._name_keys, self._phrase_keys = arrays["name_keys"], arrays["phrase_keys"]
        self._near, self._far, self._phrases = floats["near"], floats["far"], floats["phrases"]
        self._tag, self._outer_tag = floats["tag"], floats["outer_tag"]
        self._tag_number = {tag: number for number, tag in enumerate(config["tags"], 1)}
        # Measures are standardised: (x - mean) / spread, clipped.
        self._mean, self._spread = floats["mean"][:, None], floats["spread"][:, None]
        measures, wide = len(floats["mean"]), self._near.shape[1]
        mix = floats["mix"]  # (inputs, width), its rows in the order: measures, place, phrases
        places = measures + 2 * wide + self._tag.shape[1] + self._outer_tag.shape[1]
        self._mix_values, self._mix_place, self._mix_phrases = mix[:measures], mix[measures:places], mix[places:]
        self._mix_bias = floats["mix_bias"]
        self._layers = [
            _Layer(int(reach), *(floats[f"{part}{number}"] for part in ("conv", "conv_bias", "norm", "norm_bias")))
            for number, reach in enumerate(config["reach"])
        ]
        self._pool, self._pool_bias = floats["pool"], floats["pool_bias"]
        self._pool_before = int(config["pool_before"])
        self._hidden, self._hidden_bias = floats["hidden"], floats["hidden_bias"]
        self._out, self._out_bias = floats["out"], floats["out_bias"]
        self._embed_names = lru_cache(20_000)(self._add_names)

    def run(self, page: BlockInput) -> Array:
        """Give every block a probability for each role: (n, roles)."""
        state = self._mix(page)
        for number, layer in enumerate(self._layers):
            if number == self._pool_before:
                state = self._pool_containers(state, page)
            state += layer.run(state)
        hidden = np.maximum(state @ self._hidden + self._hidden_bias, 0)
        logits: Array = hidden @ self._out + self._out_bias
        return 1 / (1 + np.exp(-np.clip(logits, -30, 30)))

    def _mix(self, page: BlockInput) -> Array:
        values = np.clip((page.values - self._mean) / self._spread, -5, 5)
        state: Array = values.T @ self._mix_values
        state += (self._embed_places(page) @ self._mix_place)[page.place]
        known = look_up(self._phrase_keys, page.phrases)  # (n, slots)
        state += np.tanh(self._phrases[known].sum(1)) @ self._mix_phrases
        state += self._mix_bias
        return np.maximum(state, 0, out=state)

    def _embed_places(self, page: BlockInput) -> Array:
        """Vectors of places: own names, names further out, own tag and the tag around."""
        count, wide = len(page.outer), self._near.shape[1]
        near = np.zeros((count, wide), np.float32)
        far = np.zeros((count, wide), np.float32)
        own_far = np.zeros((count, wide), np.float32)
        number = [self._tag_number.get(tag, 0) for tag in page.tags]
        around = [0] * count
        for place, (outer, names) in enumerate(zip(page.outer, page.names, strict=True)):
            if names:
                near[place], own_far[place] = self._embed_names(names)
            if outer >= 0:
                far[place] = own_far[outer] + FADE * far[outer]
                around[place] = number[outer]
        return np.concatenate((np.tanh(near), np.tanh(far), self._tag[number], self._outer_tag[around]), axis=1)

    def _add_names(self, names: tuple[int, ...]) -> tuple[Array, Array]:
        known = look_up(self._name_keys, np.array(names, np.uint32))
        return self._near[known].sum(0), self._far[known].sum(0)

    def _pool_containers(self, state: Array, page: BlockInput) -> Array:
        running = np.zeros((len(state) + 1, state.shape[1]))
        np.cumsum(state, axis=0, out=running[1:])
        first, after = page.first[POOLED], page.after[POOLED]  # (pooled, n)
        means = (running[after] - running[first]) / (after - first)[:, :, None]
        whole = np.broadcast_to(running[-1] / len(state), state.shape)
        parts = np.concatenate((state, *means, whole), axis=1).astype(np.float32)
        return state + np.maximum(parts @ self._pool + self._pool_bias, 0)


@dataclass(frozen=True, slots=True, eq=False)
class _Layer:
    """One convolution: each block with the two that stand `reach` before and after it."""

    reach: int
    weight: Array  # (3 * width, width): before, itself, after
    bias: Array
    norm: Array
    norm_bias: Array

    def run(self, state: Array) -> Array:
        count, width = state.shape
        padded = np.zeros((count + 2 * self.reach, width), np.float32)
        padded[self.reach : self.reach + count] = state
        seen = np.concatenate((padded[:count], state, padded[2 * self.reach :]), axis=1)
        out: Array = seen @ self.weight + self.bias
        out -= out.mean(1, keepdims=True)
        out *= self.norm / np.sqrt(np.square(out).mean(1, keepdims=True) + 1e-5)
        out += self.norm_bias
        return np.maximum(out, 0, out=out)


def look_up(keys: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> NDArray[np.intp]:
    """Row of each wanted key in a table whose row 0 is for unknown ones; keys are sorted."""
    if not len(keys):
        return np.zeros(wanted.shape, np.intp)
    found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[found] == wanted, found + 1, 0)
