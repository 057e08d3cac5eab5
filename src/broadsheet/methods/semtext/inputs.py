"""The input of the network: word strings and features of all units of a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks
from broadsheet.methods.semtext.config import SemtextConfig
from broadsheet.methods.semtext.features import compute_features
from broadsheet.methods.semtext.strings import Strings, find_units, read_strings
from broadsheet.page import Page


@dataclass(frozen=True, slots=True, eq=False)
class SemtextInput:
    """The units of a page."""

    units: NDArray[np.intp]  # the unit of each block
    strings: Mapping[str, Strings]  # by kind: those of STRINGS
    features: NDArray[np.float32] | None  # (units, FEATURES); None without `has_features`


def read_input(page: Page, blocks: Blocks, config: SemtextConfig) -> SemtextInput:
    """Read the input of the network from a page."""
    units = np.asarray(find_units(blocks, config), np.intp)
    strings = read_strings(page, blocks, config)
    features = compute_features(page, blocks, units, strings) if config.has_features else None
    return SemtextInput(units, strings, features)
