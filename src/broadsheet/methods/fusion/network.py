"""The block network: convolutions over the blocks of a page, and means over their containers.

    input     features of a block, vectors of its first words, of the class names and ids around it, and of its tags
    mix       one linear map, ReLU
    layers    dilated convolutions over the sequence of blocks, with residual connections
    pools     before some layers: means over containers of the block and over the page, with a residual connection, so
              that the network uses the tree and not only the order of blocks
    output    one probability for each of OUTPUT_ROLES

Names and tags are multiplied by the first map once for each position, not for each block. `kernel/network.pyx` runs the
network; `array_network` does the same in NumPy, where nothing is compiled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Role
from broadsheet.errors import UsageError
from broadsheet.html.names import TAG_NAMES
from broadsheet.kernel import is_compiled
from broadsheet.methods.fusion import array_network
from broadsheet.methods.fusion.array_network import BlockInput as BlockInput
from broadsheet.methods.fusion.array_network import MemberWeights, NetworkWeights
from broadsheet.methods.fusion.features import read_input as read_input
from broadsheet.methods.fusion.site_terms import KEYS, TERMS, SiteTerms
from broadsheet.models.config import read_setting
from broadsheet.models.weights import CONFIG, Weights, check_arrays

if is_compiled():
    from broadsheet.kernel import network as compiled_network

Array = NDArray[np.float32]

# BODY: article text of any kind
OUTPUT_ROLES = (Role.BODY, Role.COMMENT, Role.TITLE, Role.BYLINE, Role.DATE, Role.CAPTION)
BODY, COMMENT, TITLE, BYLINE, DATE, CAPTION = range(len(OUTPUT_ROLES))  # columns of the output
POOLED_LEVELS = slice(1, 5)  # levels of containers over which the network may pool
NAME_DECAY = 0.7  # weight of a name relative to the same name one container further in
MAX_NAME_LEVELS = 6  # containers outwards whose names are read
START_WORDS = 3  # words at the start of a block, which have vectors of their own
MAX_DEVIATIONS = 5  # features are clipped at this many standard deviations from the mean
_MAX_REACH = 10_000  # blocks; more than a page has


class BlockNetwork:
    """A trained network: the mean of several members, which were trained with different seeds and inputs."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], config: Mapping[str, Any]) -> None:
        rows = {tag: row for row, tag in enumerate(config["tags"], 1)}
        self.mean_features: Array = arrays["mean"].astype(np.float32)  # (features,) in training
        deviation: Array = arrays["spread"].astype(np.float32)
        weights = NetworkWeights(
            name_keys=arrays["name_keys"].astype(np.uint32),
            word_keys=arrays["word_keys"].astype(np.uint32),
            tag_rows=np.array([0, *(rows.get(tag, 0) for tag in TAG_NAMES[1:])], np.intp),
            mean=self.mean_features,
            max_distance=MAX_DEVIATIONS * deviation,
            pooled_levels=[POOLED_LEVELS.start + int(level) for level in config["pooled"]],
            start_words=START_WORDS,
            name_weights=NAME_DECAY ** np.arange(MAX_NAME_LEVELS, dtype=np.float32),
            body_column=BODY,
            members=[
                _read_member(_select_member(arrays, member), deviation, config) for member in range(config["members"])
            ],
        )
        self._network = compiled_network.Network(weights) if is_compiled() else array_network.Network(weights)
        self._site_terms = SiteTerms(arrays[KEYS], arrays[TERMS]) if KEYS in arrays else None

    def run(self, page: BlockInput, chars: Array | None = None, min_doubt: float = 0.0) -> Array:
        """Return the probability of each role for every block: (n, roles).

        With the lengths of the blocks, the members after the first one run only if the doubt of the first one is at
        least `min_doubt`.
        """
        terms = self._site_terms.sum_terms(page) if self._site_terms else None
        return self._network.run(page, terms, chars, min_doubt)

    def compute_hidden(self, page: BlockInput) -> list[Array]:
        """Return the input of each member's output layer: (n, width). Training of the output layer needs only these."""
        return self._network.compute_hidden(page)


def _read_member(arrays: Mapping[str, Array], deviation: Array, config: Mapping[str, Any]) -> MemberWeights:
    names = np.concatenate((arrays["near"], arrays["far"]), axis=1)
    tag, outer_tag = arrays["tag"], arrays["outer_tag"]
    # Rows of the first map, in this order: features, names, tag, outer tag, words.
    ends = np.cumsum((len(deviation), names.shape[1], tag.shape[1], outer_tag.shape[1]))
    mix_features, mix_names, mix_tag, mix_outer_tag, mix_words = np.split(arrays["mix"], ends)
    return MemberWeights(
        names=names,
        words=arrays["word"],
        tags=tag @ mix_tag + arrays["mix_bias"],
        outer_tags=outer_tag @ mix_outer_tag,
        mix_features=mix_features / deviation[:, None],  # standardises the features
        mix_names=mix_names,
        mix_words=mix_words,
        convolutions=[
            (int(reach), arrays[f"conv{number}"], arrays[f"conv_bias{number}"])
            for number, reach in enumerate(config["reach"])
        ],
        pools={
            int(layer): (arrays[f"pool{number}"], arrays[f"pool_bias{number}"])
            for number, layer in enumerate(config["pool_before"])
        },
        hidden=arrays["hidden"],
        hidden_bias=arrays["hidden_bias"],
        out=arrays["out"],
        out_bias=arrays["out_bias"],
    )


def name_member_array(name: str, member: int) -> str:
    """Return the name of an array of one member in the weights."""
    return f"member{member}.{name}"


def _select_member(arrays: Mapping[str, NDArray[Any]], member: int) -> dict[str, Array]:
    prefix = name_member_array("", member)
    return {
        name.removeprefix(prefix): array.astype(np.float32) for name, array in arrays.items() if name.startswith(prefix)
    }


def read_network(weights: Weights, features: int) -> BlockNetwork:
    """Read the network of a weights folder. Raise UsageError if an array is missing or has the wrong shape."""
    check_arrays(weights, {"name_keys": (None,), "word_keys": (None,)}, kinds="iu")
    check_arrays(weights, {"mean": (features,), "spread": (features,)})
    if KEYS in weights.arrays:
        check_arrays(weights, {KEYS: (None,)}, kinds="u")
        check_arrays(weights, {TERMS: weights.arrays[KEYS].shape})
    for member in range(read_setting(weights, "network", "members", kind=int)):
        sized = {"mix_bias": (None,), **dict.fromkeys(("near", "tag", "outer_tag", "word"), (None, None))}
        check_arrays(weights, {name_member_array(name, member): shape for name, shape in sized.items()})
        shapes = _list_shapes(weights, member, features)
        check_arrays(weights, {name_member_array(name, member): shape for name, shape in shapes.items()})
    _check_ranges(weights)
    return BlockNetwork(weights.arrays, weights.config["network"])


def _check_ranges(weights: Weights) -> None:
    """Raise UsageError for numbers that would lead outside the arrays: compiled loops do not check their indices."""
    levels = POOLED_LEVELS.stop - POOLED_LEVELS.start
    ranges = {"reach": range(1, _MAX_REACH + 1), "pooled": range(levels)}
    for name, allowed in ranges.items():
        for number in read_setting(weights, "network", name, kind=tuple[int, ...]):
            if number not in allowed:
                raise UsageError(
                    f"'network.{name}' in {weights.folder / CONFIG} has {number}, expected {allowed.start} to "
                    f"{allowed.stop - 1}; {weights.advice}"
                )
    if read_setting(weights, "network", "members", kind=int) < 1:
        raise UsageError(f"'network.members' in {weights.folder / CONFIG} is less than 1; {weights.advice}")


def _list_shapes(weights: Weights, member: int, features: int) -> dict[str, tuple[int, ...]]:
    """List the expected shapes of a member. Sizes that may vary are read from the arrays."""
    arrays = weights.arrays
    width, near, tag, outer_tag, word = (
        arrays[name_member_array(name, member)].shape[-1] for name in ("mix_bias", "near", "tag", "outer_tag", "word")
    )
    names = len(arrays["name_keys"]) + 1  # row 0 is for unknown names and tags
    tags = len(read_setting(weights, "network", "tags", kind=tuple[str, ...])) + 1
    layers, pools, pooled = (
        len(read_setting(weights, "network", name, kind=tuple[int, ...])) for name in ("reach", "pool_before", "pooled")
    )
    names = names if near else 1  # a member without names has no columns
    return {
        "near": (names, near),
        "far": (names, near),
        "tag": (tags, tag),
        "outer_tag": (tags, outer_tag),
        "word": (len(arrays["word_keys"]) + 1, word),
        "mix": (features + 2 * near + tag + outer_tag + word, width),
        **{f"conv{number}": (width, 3 * width) for number in range(layers)},
        **{f"conv_bias{number}": (width,) for number in range(layers)},
        **{f"pool{number}": ((pooled + 2) * width, width) for number in range(pools)},
        **{f"pool_bias{number}": (width,) for number in range(pools)},
        "hidden": (width, width),
        "hidden_bias": (width,),
        "out": (width, len(OUTPUT_ROLES)),
        "out_bias": (len(OUTPUT_ROLES),),
    }
