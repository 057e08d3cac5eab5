"""Parameters of StaDyNoT: the published values, and what Broadsheet adds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StadynotConfig:
    """Thresholds of section 3.2 and the switches of our departures. The defaults are as published."""

    min_text: int = 50  # α: characters of text outside links; a candidate with fewer is noise
    max_link_share: float = 0.2  # β: link text to all text; a candidate with more is noise
    spared_tags: frozenset[str] = frozenset({"p"})  # candidates that are never noise: rule 1 of 3.2
    counts_noise: bool = True  # text that is marked already counts in the nodes around it
    max_form_share: float = 1.0  # of the page's text; a form with more is the page's layout and stays. 1.0 is off
    keeps_hidden: bool = True  # text that `hidden` or `display:none` keeps from view
    names_comments: bool = False  # text in elements called comments, by their id or class
    max_block_links: float = 1.0  # of a block's characters; a block with more is noise. 1.0 is off
    min_edge_words: int = 0  # of the first and the last block of the article; shorter ones beyond them go. 0 is off

    @classmethod
    def shipped(cls) -> StadynotConfig:
        """What `method="stadynot"` uses: α and β as published, the switches by what they gain on dev sets.

        The runs are in docs/methods/stadynot.md, under departures.
        """
        return cls(
            spared_tags=frozenset({"p", "body"}),  # the page as a whole is not noise
            counts_noise=False,
            max_form_share=0.5,
            keeps_hidden=False,
            names_comments=True,
            max_block_links=0.5,
            min_edge_words=16,
        )
