"""From the trained network to the arrays that the light one reads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from broadsheet.training.fusion.network import Known, Network


def export_network(network: Network, known: Known) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays in half precision, and what else `methods/fusion/network.py` must know."""
    maps = {"mix": network.mix, "hidden": network.hidden, "out": network.out}
    maps |= {f"pool{number}": pool for number, pool in enumerate(network.pools)}
    arrays: dict[str, NDArray[Any]] = {
        "name_keys": known.vocabulary.names,
        "mean": known.mean,
        "spread": known.spread,
        **{name: _half(getattr(network, name).weight) for name in ("near", "far", "tag", "outer_tag")},
        **{name: _half(each.weight.T) for name, each in maps.items()},
        **{_name_bias(name): _half(each.bias) for name, each in maps.items()},
    }
    for number, conv in enumerate(network.convs):
        # torch has (out, in, 3); here stand side by side what a block says to the next, to itself, to the last.
        arrays[f"conv{number}"] = _half(conv.weight.permute(1, 2, 0).reshape(conv.weight.shape[1], -1))
        arrays[f"conv_bias{number}"] = _half(conv.bias)
    shape = network.shape
    config = {
        "tags": list(known.vocabulary.tags),
        "reach": list(shape.reach),
        "pooled": list(shape.pooled),
        "pool_before": list(shape.pool_before),
    }
    return arrays, config


def _name_bias(name: str) -> str:
    return f"pool_bias{name.removeprefix('pool')}" if name.startswith("pool") else f"{name}_bias"


def _half(tensor: Tensor) -> NDArray[Any]:
    found: NDArray[Any] = tensor.detach().numpy().astype(np.float16)
    return found
