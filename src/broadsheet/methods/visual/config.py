"""Parameters of the visual method: what the document gives, what was tuned here, and the switches of our departures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VisualConfig:
    """Parameters of NCE and switches. The defaults are the method as published."""

    alpha_1: int = 20  # characters of a node that may be a comment: from
    alpha_2: int = 500  # to
    beta_1: float = 0.5  # link density below which a sibling counts against a separator
    beta_2: int = 300  # characters below a separator, at least
    beta_3: int = 80  # characters of its leaf, at least; of a sibling that counts against it, more
    beta_4: float = 0.5  # link density of the separator's children that are kept, at most
    beta_5: int = 4  # places in the list of nodes that two alike ones may be apart
    beta_6: float = 0.9  # of the shorter text that the longer one has in common with it
    asks_longest_leaf: bool = False
