"""Parameters of TWCEM: the published values and Broadsheet's additions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TwcemConfig:
    """Thresholds of Algorithms 3 and 4. The defaults are the published optimum for news and CleanEval (IV-A.3)."""

    min_length: int = 4  # δ1: characters of a row, without white space
    min_punctuation: int = 1  # δ2: punctuation marks of a row
    min_common_words: int = 2  # δ3: longest common subsequence of a row and the title, in words
    max_link_share: float = 1.0  # of a row's characters (ours). 1.0: off
    keep_structure: bool = False  # headings and table cells next to kept rows (ours)

    @classmethod
    def shipped(cls) -> TwcemConfig:
        """Return what `method="twcem"` uses: as published, but without rows that are mostly links.

        Tuned on ten dev sets (benchmarks/twcem.py): mean word F1 0.778 as published, 0.869 at 0.5, 0.873 at 0.3.
        """
        return cls(max_link_share=0.3, keep_structure=True)

    @classmethod
    def news(cls) -> TwcemConfig:
        """Return the published values for news sites and CleanEval."""
        return cls()

    @classmethod
    def microblog(cls) -> TwcemConfig:
        """Return the published values for microblogs, whose rows are short."""
        return cls(min_length=2, min_punctuation=1, min_common_words=1)
