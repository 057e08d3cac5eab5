"""Convert a trained network to the arrays of the run time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from broadsheet.methods.fusion.network import name_member_array
from broadsheet.training.fusion.network import Network, Preprocessing


@dataclass(frozen=True, slots=True, eq=False)
class ExportedNetwork:
    """Arrays in half precision, and the configuration that `methods/fusion/network.py` reads."""

    arrays: dict[str, NDArray[Any]]
    config: dict[str, Any]


def export_networks(networks: Sequence[Network], preprocessing: Preprocessing, convention: int) -> ExportedNetwork:
    """Convert networks of the same shape, and their preprocessing, to the members of one network.

    `convention` is the number of the dataset whose labelling convention the output follows.
    """
    vocabulary, shape = preprocessing.vocabulary, networks[0].shape
    arrays: dict[str, NDArray[Any]] = {
        "name_keys": vocabulary.names,
        "word_keys": vocabulary.words,
        "mean": preprocessing.mean,
        "spread": preprocessing.spread,
    }
    for member, network in enumerate(networks):
        for name, array in _list_arrays(network, convention).items():
            arrays[name_member_array(name, member)] = array
    config = {
        "members": len(networks),
        "tags": list(vocabulary.tags),
        "reach": list(shape.reach),
        "pooled": list(shape.pooled),
        "pool_before": list(shape.pool_before),
    }
    return ExportedNetwork(arrays, config)


def _list_arrays(network: Network, convention: int) -> dict[str, NDArray[Any]]:
    layers = {"mix": network.mix, "hidden": network.hidden, "out": network.out}
    layers |= {f"pool{number}": pool for number, pool in enumerate(network.pools)}
    arrays = {
        **{name: _to_half(getattr(network, name).weight) for name in ("near", "far", "tag", "outer_tag", "word")},
        **{name: _to_half(layer.weight.T) for name, layer in layers.items()},
        **{_name_bias(name): _to_half(layer.bias) for name, layer in layers.items()},
    }
    arrays["mix_bias"] = _to_half(network.mix.bias + network.dataset.weight[convention])
    for number, conv in enumerate(network.convs):
        # (out, in, 3) in torch; (in, 3 x out) at run time: contributions to the next block, the same, the previous one.
        arrays[f"conv{number}"] = _to_half(conv.weight.permute(1, 2, 0).reshape(conv.weight.shape[1], -1))
        arrays[f"conv_bias{number}"] = _to_half(conv.bias)
    return arrays


def _name_bias(name: str) -> str:
    return f"pool_bias{name.removeprefix('pool')}" if name.startswith("pool") else f"{name}_bias"


def _to_half(tensor: Tensor) -> NDArray[Any]:
    array: NDArray[Any] = tensor.detach().numpy().astype(np.float16)
    return array
