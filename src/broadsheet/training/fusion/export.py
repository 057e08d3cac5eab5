"""Convert trained networks to the arrays of the run time, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from broadsheet.methods.fusion.network import name_member_array
from broadsheet.models import Weights
from broadsheet.training.fusion.network import Network, Preprocessing, Shape, Vocabulary


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


@dataclass(frozen=True, slots=True, eq=False)
class ImportedNetworks:
    """The members of a folder of weights, and their preprocessing."""

    networks: tuple[Network, ...]
    preprocessing: Preprocessing


def import_networks(weights: Weights) -> ImportedNetworks:
    """Convert the members of a network back. The labelling convention is part of their bias, so there is no dataset."""
    arrays, config = weights.arrays, weights.config["network"]
    vocabulary = Vocabulary(arrays["name_keys"], arrays["word_keys"], tuple(config["tags"]), ())
    preprocessing = Preprocessing(vocabulary, arrays["mean"], arrays["spread"])
    networks = []
    for member in range(config["members"]):
        state = _read_state(weights, member)
        shape = Shape(
            width=len(state["mix.bias"]),
            name_columns=state["near.weight"].shape[1],
            word_columns=state["word.weight"].shape[1] // 2,
            tag_columns=state["tag.weight"].shape[1],
            outer_tag_columns=state["outer_tag.weight"].shape[1],
            reach=tuple(config["reach"]),
            pool_before=tuple(config["pool_before"]),
            pooled=tuple(config["pooled"]),
        )
        network = Network(len(preprocessing.mean), vocabulary, shape, len(state["out.bias"]))
        network.load_state_dict(state)
        networks.append(network.eval())
    return ImportedNetworks(tuple(networks), preprocessing)


def _read_state(weights: Weights, member: int) -> dict[str, Tensor]:
    """Return the state of a torch network."""

    def read(name: str) -> Tensor:
        return torch.from_numpy(weights.arrays[name_member_array(name, member)].astype(np.float32))

    config = weights.config["network"]
    pools = {f"pools.{number}": f"pool{number}" for number in range(len(config["pool_before"]))}
    state = {f"{name}.weight": read(name) for name in ("near", "far", "tag", "outer_tag", "word")}
    for layer, name in {"mix": "mix", "hidden": "hidden", "out": "out", **pools}.items():
        state[f"{layer}.weight"], state[f"{layer}.bias"] = read(name).T, read(_name_bias(name))
    width = len(state["mix.bias"])
    for number in range(len(config["reach"])):
        state[f"convs.{number}.weight"] = read(f"conv{number}").reshape(width, 3, width).permute(2, 0, 1)
        state[f"convs.{number}.bias"] = read(f"conv_bias{number}")
    return {**state, "dataset.weight": torch.zeros(1, width)}


def _name_bias(name: str) -> str:
    return f"pool_bias{name.removeprefix('pool')}" if name.startswith("pool") else f"{name}_bias"


def _to_half(tensor: Tensor) -> NDArray[Any]:
    array: NDArray[Any] = tensor.detach().numpy().astype(np.float16)
    return array
