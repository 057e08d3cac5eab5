"""Settings of fusion."""

from __future__ import annotations

from dataclasses import dataclass

from broadsheet.errors import UsageError


@dataclass(frozen=True, slots=True)
class FusionConfig:
    """Settings that take effect without retraining. The defaults are the shipped values.

    Settings that the weights depend on are constants beside their code: a change of them needs `broadsheet train
    fusion`.
    """

    # Score above which a block is article text; None: the threshold of the highest expected F1, for each page.
    threshold: float | None = None
    # Power of the scores in the expected F1: above 1, uncertain blocks count less. F1 of characters on dev, our own
    # convention and nine other sets: power 1 0.953 and 0.974, 1.25 0.960 and 0.973, 2 0.961 and 0.970.
    sharpness: float = 1.25
    min_threshold: float = 0.1  # bounds of the threshold of a page
    max_threshold: float = 0.8

    # The second network runs if the doubt of the first one, the mean distance of its scores from 0 or 1 per expected
    # character of text, is at least this. On dev that is a third of the pages, and as good as running it always.
    second_opinion: bool = True  # False: never run the second network
    min_doubt: float = 0.02  # 0: always run it

    # Score of a comment, title, byline or date. By-lines have the fewest labels in training, and low scores.
    min_role_score: float = 0.4
    # Below this score, body text wins. On dev 0.4 to 0.8 differ little: precision 0.99 to 1, recall 0.99 to 0.96.
    min_comment_score: float = 0.5

    # A heading of this score directly before text is text, too, if one of the blocks before it is.
    min_heading_score: float = 0.3
    max_heading_gap: int = 3  # number of these blocks

    # All items of a list get the same score: a power mean, in which high scores count most. Of the powers 1, 2 and 4
    # and the upper quartile, each improves more dev pages than it harms; the mean F1 rises only with 4 and the
    # quartile, by the same amount.
    list_power: int = 4
    min_list_items: int = 3
    min_list_score: float = 0.2  # of at least one item; below it, no list is article text at any threshold
    max_list_depth: int = 4  # containers between a block and its list

    # Expected characters of text in the <article> with the headline, from which those beside it are other articles.
    min_own_chars: int = 150
    min_repeated_chars: int = 60  # a repeated paragraph of this length is dropped
    min_hidden_repeated_chars: int = 15  # the same for a hidden copy

    # A page with this much prose always has a text. Prose are blocks of some length with few links.
    min_prose_chars: int = 600
    min_prose_block_chars: int = 80
    max_prose_link_share: float = 0.3
    prose_score_share: float = 0.3  # of the best score of prose, from which a block is text if the text were empty

    # A page that is not an article, and of whose text the network expects less than this F1, is given the rest of its
    # main content: blocks outside menus of at least this score. By teachers that have not seen the site, F1 of
    # characters: 84 listings 0.537 to 0.612, 72 collections 0.624 to 0.668, 67 forums +0.036, 70 products +0.020. With
    # 0.8, services gain 0.003 more, but the 50 articles concerned gain half as much.
    max_main_f1: float = 0.75
    min_main_score: float = 0.05

    # Confidence falls linearly below this length: training has no pages of a few words.
    min_article_chars: int = 100
    # Score of the article forest below which a page is not an article; None: the value stored with the weights.
    article_threshold: float | None = None

    def __post_init__(self) -> None:
        for name in _PROBABILITIES:
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise UsageError(f"FusionConfig.{name} is {value}; it must be between 0 and 1")
        for name in _POSITIVE:
            if getattr(self, name) <= 0:
                raise UsageError(f"FusionConfig.{name} is {getattr(self, name)}; it must be positive")
        if self.min_threshold > self.max_threshold:
            raise UsageError("FusionConfig.min_threshold is greater than max_threshold")


_PROBABILITIES = (
    *(
        "threshold",
        "min_threshold",
        "max_threshold",
        "min_role_score",
        "min_comment_score",
        "min_heading_score",
        "min_list_score",
        "min_doubt",
        "max_prose_link_share",
        "prose_score_share",
        "max_main_f1",
        "min_main_score",
    ),
    "article_threshold",
)
_POSITIVE = ("sharpness", "list_power", "min_article_chars")
DEFAULT_CONFIG = FusionConfig()
