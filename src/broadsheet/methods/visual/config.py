"""Parameters of the visual method: published values, values tuned here, and switches of Broadsheet's departures."""

from __future__ import annotations

from dataclasses import dataclass

MODEL = "visual"


@dataclass(frozen=True, slots=True)
class VisualConfig:
    """Parameters and switches. The defaults are the method as published. All may be changed at run time.

    The thesis refers to another work for the values of α and β. These were tuned on train pages with
    `python -m benchmarks.visual tune`, November 2026.
    """

    alpha_1: int = 200  # minimum characters of a node that may be a comment
    alpha_2: int = 800  # maximum characters of such a node
    beta_1: float = 0.05  # link density below which a sibling counts against a separator
    beta_2: int = 1200  # minimum characters below a separator
    beta_3: int = 160  # minimum characters of its leaf; a sibling that counts against it has more
    beta_4: float = 0.5  # maximum link density of the separator's children that are kept
    beta_5: int = 4  # maximum distance of two similar nodes in the list of candidates for comments
    beta_6: float = 0.9  # minimum share of the shorter text that two similar nodes have in common
    date_gap: int = 2  # maximum number of other text nodes between two nodes of one cluster of dates (3.4.3)
    max_date: int = 100  # maximum characters of a date node; more are "large amounts of text" (3.4.3)
    min_score: float = 0.5  # of a forest: the threshold for a node or block to be of the class
    # Departures.
    examines_all: bool = False  # look for title and date in all text nodes, not only in relevant ones and those before
    takes_best_title: bool = False  # the title node with the highest score, not the first in the page
    takes_whole_title: bool = False  # the text of the title node's whole block, if that is closer to `<title>`
    takes_best_date: bool = False  # order clusters of dates by score, not by the distance to the title
    min_date_score: float = 0.02  # threshold for such a cluster; low, since likelier clusters may not be readable dates
    learns_dates: bool = False  # find date nodes with a forest over more features than the nine attributes
    learns_body: bool = False  # find body blocks with forests over their style and surroundings, not with NCE alone
    lowers_threshold: bool = False  # use half of the page's highest body score as threshold where that is lower

    @classmethod
    def shipped(cls) -> VisualConfig:
        """Return what `method="visual"` uses: each switch by its gain on dev sets (docs/methods/visual.md)."""
        return cls(
            examines_all=True,
            takes_best_title=True,
            takes_whole_title=True,
            takes_best_date=True,
            learns_dates=True,
            learns_body=True,
            lowers_threshold=True,
        )
