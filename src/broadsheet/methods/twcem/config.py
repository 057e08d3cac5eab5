"""Parameters of TWCEM: the published values and Broadsheet's departures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TwcemConfig:
    """Thresholds and switches. The defaults are as published, with the optimum for news and CleanEval (IV-A.3)."""

    min_length: int = 4  # δ1: characters of a row, without white space
    min_punctuation: int = 1  # δ2: punctuation marks of a row
    min_common_words: int = 2  # δ3: longest common subsequence of a row and the title, in words
    context_rows: int = 0  # K of Definition 3, no value there: rows after (at the end, before) a row, compared with it
    reads_lines: bool = (
        True  # rows are lines of the source (Definition 1) and the text is these rows; else blocks (ours)
    )
    has_printed_loops: bool = (
        False  # Algorithm 4 to the letter: no search in the first row, and the last row is left out
    )
    counts_matches: bool = (
        False  # Equation 1 to the letter: an equal character costs 1 and a different one 2; else 0, 1
    )
    keeps_hidden: bool = True  # text that `hidden` or `display:none` hides is a row, and hidden headings are titles
    has_default_title: bool = False  # a page without headings and title-like ids has its meta title (ours); else none
    max_link_share: float = 1.0  # of a block's characters; blocks with more are not used as rows (ours). 1.0: off
    keep_structure: bool = False  # headings and table cells next to kept blocks (ours)

    @classmethod
    def shipped(cls) -> TwcemConfig:
        """Return what `method="twcem"` uses: blocks as rows, without those that are mostly links or hidden.

        docs/methods/twcem.md has the effect of each change.
        """
        return cls(
            reads_lines=False, keeps_hidden=False, has_default_title=True, max_link_share=0.3, keep_structure=True
        )

    @classmethod
    def news(cls) -> TwcemConfig:
        """Return the published values for news sites and CleanEval."""
        return cls()

    @classmethod
    def microblog(cls) -> TwcemConfig:
        """Return the published values for microblogs, whose rows are short."""
        return cls(min_length=2, min_punctuation=1, min_common_words=1)
