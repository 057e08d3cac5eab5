"""Parameters of SemText: the published values, and what Broadsheet ships."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

STRINGS = ("tags", "classes", "texts")  # the three word strings of a block


@dataclass(frozen=True, slots=True)
class SemtextConfig:
    """What the network is given and how large it is. The defaults are as published."""

    strings: tuple[str, ...] = STRINGS
    max_words: int = 50  # n: words of each string (IV-B)
    kernels: tuple[tuple[int, int], ...] = ((3, 128), (5, 128), (7, 256))  # width, filters of each string (IV-B)
    hidden: int = 256  # units of a direction: 512 for the BiLSTM as a whole (IV-B)
    max_blocks: int = 85  # m: of a sequence; longer pages are split evenly (IV-B)
    overlap: int = 0  # blocks that neighbouring sequences share on each side (ours). 0: labelled apart, as published
    combines: bool = True  # units are the blocks of the combine phase; else those of the search phase (ours)
    drops_stop_words: bool = True  # III-D
    has_ids: bool = False  # ids stand beside class names: the option of III-B
    keeps_path_end: bool = False  # of a longer tag or class string the innermost words stay, not the first (ours)
    has_measures: bool = False  # numbers of the unit beside its words: measures.py (ours)
    has_relu: bool = False  # convolutions below zero count as zero; no function is printed (ours)
    threshold: float = 0.0  # marginal probability from which a unit is main (ours). 0: the best chain, as published
    page_share: float = 0.0  # of the probability that the page's main text has; the limit if that is higher (ours)

    @property
    def filters(self) -> int:
        """Filters of one string."""
        return sum(count for _, count in self.kernels)

    def to_json(self) -> dict[str, Any]:
        """Plain values, to be kept with the weights."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> SemtextConfig:
        """Read what `to_json` wrote; names that this version does not know are left out."""
        known = {field.name: values[field.name] for field in fields(cls) if field.name in values}
        known["strings"] = tuple(known.get("strings", STRINGS))
        if "kernels" in known:
            known["kernels"] = tuple((width, count) for width, count in known["kernels"])
        return cls(**known)
