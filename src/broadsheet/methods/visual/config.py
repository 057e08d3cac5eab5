"""Parameters of the visual method: what the document gives, what was tuned here, and the switches of our departures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VisualConfig:
    """Parameters and switches. The defaults are the method as published.

    The document leaves the values of α and β to another one: these were tuned on train pages, `python
    benchmarks/visual.py tune`, November 2026.
    """

    alpha_1: int = 200  # characters of a node that may be a comment: from
    alpha_2: int = 800  # to
    beta_1: float = 0.05  # link density below which a sibling counts against a separator
    beta_2: int = 1200  # characters below a separator, at least
    beta_3: int = 160  # characters of its leaf, at least; of a sibling that counts against it, more
    beta_4: float = 0.5  # link density of the separator's children that are kept, at most
    beta_5: int = 4  # places in the list of nodes that two alike ones may be apart
    beta_6: float = 0.9  # of the shorter text that the longer one has in common with it
    date_gap: int = 2  # other text nodes between two of one cluster of dates (3.4.3)
    max_date: int = 100  # characters of a date node; one with more is "large amounts of text" (3.4.3)
    min_score: float = 0.5  # of a forest, for a node to be of the class
    # Departures.
    examines_all: bool = False  # all text nodes for title and date, not only the relevant ones and those before them
    takes_best_title: bool = False  # the title node of the highest score, not the first one of the document
    takes_whole_title: bool = False  # all text of the title node's block, where that is nearer to `<title>`
    takes_best_date: bool = False  # clusters of dates by their scores, not by the distance to the title
    min_date_score: float = 0.02  # of a node in such a cluster; where nothing likelier can be read, it may
    learns_dates: bool = False  # date nodes by a forest that sees more than the nine attributes
    learns_body: bool = False  # body blocks by a forest over their looks and places, not by NCE alone
    lowers_bar: bool = (
        False  # where no block of a page reaches a high score, half of the highest is enough for the body
    )

    @classmethod
    def shipped(cls) -> VisualConfig:
        """What `method="visual"` uses: the switches by what they gain on dev sets (docs/methods/visual.md)."""
        return cls(
            examines_all=True,
            takes_best_title=True,
            takes_whole_title=True,
            takes_best_date=True,
            learns_dates=True,
            learns_body=True,
            lowers_bar=True,
        )
