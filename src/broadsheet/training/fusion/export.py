"""Convert a trained network to the arrays of the run time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from broadsheet.training.fusion.network import Network, Preprocessing


@dataclass(frozen=True, slots=True, eq=False)
class ExportedNetwork:
    """Arrays in half precision, and the configuration that `methods/fusion/network.py` reads."""

    arrays: dict[str, NDArray[Any]]
    config: dict[str, Any]


def export_network(network: Network, preprocessing: Preprocessing) -> ExportedNetwork:
    """Convert a network and its preprocessing."""
    layers = {"mix": network.mix, "hidden": network.hidden, "out": network.out}
    layers |= {f"pool{number}": pool for number, pool in enumerate(network.pools)}
    arrays: dict[str, NDArray[Any]] = {
        "name_keys": preprocessing.vocabulary.names,
        "mean": preprocessing.mean,
        "spread": preprocessing.spread,
        **{name: _to_half(getattr(network, name).weight) for name in ("near", "far", "tag", "outer_tag")},
        **{name: _to_half(layer.weight.T) for name, layer in layers.items()},
        **{_name_bias(name): _to_half(layer.bias) for name, layer in layers.items()},
    }
    for number, conv in enumerate(network.convs):
        # (out, in, 3) in torch; (in, 3 x out) at run time: contributions to the next block, the same, the previous one.
        arrays[f"conv{number}"] = _to_half(conv.weight.permute(1, 2, 0).reshape(conv.weight.shape[1], -1))
        arrays[f"conv_bias{number}"] = _to_half(conv.bias)
    shape = network.shape
    config = {
        "tags": list(preprocessing.vocabulary.tags),
        "reach": list(shape.reach),
        "pooled": list(shape.pooled),
        "pool_before": list(shape.pool_before),
    }
    return ExportedNetwork(arrays, config)


def _name_bias(name: str) -> str:
    return f"pool_bias{name.removeprefix('pool')}" if name.startswith("pool") else f"{name}_bias"


def _to_half(tensor: Tensor) -> NDArray[Any]:
    array: NDArray[Any] = tensor.detach().numpy().astype(np.float16)
    return array
