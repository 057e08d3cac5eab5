"""Parameters of SemText: the published values and Broadsheet's additions."""

from __future__ import annotations

from dataclasses import dataclass

from broadsheet.models.config import read_config
from broadsheet.models.weights import load_weights

MODEL = "semtext"
SECTION = "network"  # of config.json: the configuration that the weights were trained with
STRINGS = ("tags", "classes", "texts")  # the three word strings of a block
# At run time; all other parameters are fixed by the weights.
CHANGEABLE = frozenset({"max_blocks", "overlap", "threshold", "page_share"})


@dataclass(frozen=True, slots=True)
class SemtextConfig:
    """Input, size of the network, and thresholds. The defaults are the published values.

    A unit is the piece of a page that gets one label: a block, or several combined blocks.
    """

    strings: tuple[str, ...] = STRINGS  # the inputs; Table III leaves some out (III)
    max_words: int = 50  # n: words per string (IV-B)
    kernels: tuple[tuple[int, int], ...] = ((3, 128), (5, 128), (7, 256))  # width and filters, per string (IV-B)
    hidden: int = 256  # units per direction: 512 for the BiLSTM as a whole (IV-B)
    max_blocks: int = 85  # m: units per sequence; longer pages are split evenly (IV-B)
    overlap: int = 0  # units that a sequence shares with each neighbour (ours). 0: labelled apart, as published
    combines: bool = True  # units are the blocks of the combine phase; otherwise those of the search phase (ours)
    drops_stop_words: bool = True  # III-D
    has_ids: bool = False  # ids are added to class names: the option of III-B
    keeps_path_end: bool = False  # a tag or class string that is too long keeps its innermost words (ours)
    has_features: bool = False  # numbers of the unit in addition to its words: features.py (ours)
    has_relu: bool = False  # ReLU after the convolutions; the paper gives no activation function (ours)
    threshold: float = 0.0  # marginal probability above which a unit is main (ours). 0: the best chain, as published
    page_share: float = 0.0  # raises the threshold to this share of the mean probability of main text (ours)

    @property
    def filters(self) -> int:
        """Number of filters per string."""
        return sum(filters for _, filters in self.kernels)

    @classmethod
    def shipped(cls) -> SemtextConfig:
        """Return the configuration of the shipped weights. docs/methods/semtext.md gives the reason for each change."""
        return read_config(load_weights(MODEL), cls, SECTION)
