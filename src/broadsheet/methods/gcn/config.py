"""Parameters of the graph network: the published values, and what Broadsheet adds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class GcnConfig:
    """What the network looks at, its shape and how its answers are read. The defaults are as published."""

    layers: int = 3  # m of section 6: GCN2 or GCN3
    hidden: int = 20  # size of embeddings (section 6)
    has_bias: bool = False  # Equations 3 to 5 have none
    classes: tuple[str, ...] = ("body",)  # what Equation 5 tells: one output each (section 7)
    is_exclusive: bool = False  # a node is of one class or none: softmax for the sigmoid of Equation 5 (section 7)
    thresholds: tuple[float, ...] = (0.5,)  # of each class; searched on dev pages in steps of 0.025 (section 6)
    gap: float = 1000.0  # t of Equation 6, in pixels
    refines: bool = True  # section 5: keep one group of blocks alone
    reads_names: bool = False  # ours: the words of an element's class and id are its text
    places: bool = False  # ours: where a node stands on the page, and how its text is written, as columns

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> GcnConfig:
        """Take from a folder of weights what belongs here."""
        known: dict[str, Any] = {name: values[name] for name in cls.__dataclass_fields__ if name in values}
        for name in ("classes", "thresholds"):  # JSON has no tuples
            known[name] = tuple(known.get(name, getattr(cls, name, ())))
        return cls(**known)

    def as_dict(self) -> dict[str, Any]:
        """What goes into the configuration of a folder of weights."""
        return asdict(self)
