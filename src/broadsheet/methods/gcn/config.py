"""Parameters of the graph network: the published values and Broadsheet's additions."""

from __future__ import annotations

from dataclasses import dataclass

from broadsheet.models.config import read_config
from broadsheet.models.weights import load_weights

MODEL = "gcn"
CHANGEABLE = frozenset({"thresholds", "gap", "refines"})  # at run time; all other parameters are fixed by the weights


@dataclass(frozen=True, slots=True)
class GcnConfig:
    """Features, architecture and post-processing. The defaults are the published values."""

    layers: int = 3  # m of section 6: GCN2 or GCN3
    hidden: int = 20  # size of the embeddings (section 6)
    has_bias: bool = False  # Equations 3 to 5 have no bias
    classes: tuple[str, ...] = ("body",)  # roles; one output of Equation 5 for each (section 7)
    is_exclusive: bool = False  # at most one class per node: softmax instead of the sigmoid of Equation 5 (section 7)
    thresholds: tuple[float, ...] = ()  # one per class, searched on dev pages (section 6); (): those of the weights
    gap: float = 1000.0  # t of Equation 6, in pixels
    refines: bool = True  # keep only one group of body blocks (section 5)
    reads_names: bool = False  # ours: embed the words of an element's class and id
    has_extra_numbers: bool = False  # ours: the columns EXTRA_NUMBERS of features.py

    @classmethod
    def shipped(cls) -> GcnConfig:
        """Return the configuration of the shipped weights. docs/methods/gcn.md gives the reason for each change."""
        return read_config(load_weights(MODEL), cls)
