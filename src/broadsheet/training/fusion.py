"""`broadsheet train fusion`: the block network, learned from all labelled pages.

1. measure and label the pages (kept in the work folder);
2. choose names and phrases that enough sites use;
3. train with AdamW and one rise and fall of the learning rate; the weights' running mean is what is kept;
4. choose the threshold on dev.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from broadsheet.extras import import_extra
from broadsheet.training.fusion_pages import FusionPages, load_or_gather
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import find_sets, read_records

if TYPE_CHECKING:
    from broadsheet.training.fusion_network import Network, Shape


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the network is trained; what was tuned on dev is told in docs/methods/fusion.md."""

    epochs: int = 12
    batch: int = 24  # pages
    rate: float = 3e-3
    decay: float = 0.05
    mean_over: float = 0.997  # of the running mean of the weights, a step
    min_sites_names: int = 20
    min_sites_phrases: int = 15
    keep_convention: float = 0.5  # share of pages whose dataset the network is told


def gather(options: TrainingOptions, split: str) -> FusionPages:
    """Measure the pages of a split, or take them from an earlier run."""
    files = find_sets(options.data, split)
    name = f"fusion-{split}" + (f"-{options.limit}" if options.limit else "")
    total = None if options.limit else 10_000
    records = options.progress(read_records(files, options.limit), f"measuring {split}", total)
    return load_or_gather(options.work / f"{name}.npz", records)
