"""Parameters of StaDyNoT: the published values and Broadsheet's additions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StadynotConfig:
    """Thresholds of section 3.2 and switches of Broadsheet's departures. The defaults are the published values."""

    min_text: int = 50  # α: characters outside links; a candidate with fewer is noise
    max_link_share: float = 20.0  # β: share of text in links; a candidate with more is noise. Printed as 20: never
    spared_tags: frozenset[str] = frozenset({"p"})  # candidates with these tags are never noise (rule 1 of 3.2)
    removes_elements: bool = True  # noise within a block is removed (3.3); else blocks are kept or dropped whole (ours)
    counts_outer_space: bool = True  # spaces at the ends of text nodes count, as "characters including spaces" (3.2)
    counts_noise: bool = True  # text that is marked as noise still counts in the nodes around it
    max_form_share: float = 1.0  # of the page's text; a larger form is the page's layout and is kept. 1.0: off
    keeps_hidden: bool = True  # keep text that `hidden` or `display:none` hides
    names_header: bool = False  # headline, by-line and date line get these roles; else they are article text
    names_comments: bool = False  # text in elements whose id or class contains "comment" gets the role comment
    max_block_links: float = 1.0  # share of a block's characters in links; a block with more is noise. 1.0: off
    min_edge_words: int = 0  # the article begins and ends with a block of at least as many words. 0: off

    @classmethod
    def shipped(cls) -> StadynotConfig:
        """Return what `method="stadynot"` uses: α as published, β as 20 %, each switch by its gain on dev sets.

        The measurements are in docs/methods/stadynot.md, under departures.
        """
        return cls(
            max_link_share=0.2,
            spared_tags=frozenset({"p", "body"}),  # the page as a whole is not noise
            removes_elements=False,
            counts_outer_space=False,
            counts_noise=False,
            max_form_share=0.5,
            keeps_hidden=False,
            names_header=True,
            names_comments=True,
            max_block_links=0.5,
            min_edge_words=16,
        )
