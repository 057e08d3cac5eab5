"""Find the headline, and the body blocks that repeat it, which are left out of the body of the article.

Most pages state it in metadata and show it in their only `<h1>`; that decides. On all other pages every text that may
be the headline is a candidate (`title_candidates`), a small network ranks them (`title_ranker`), and the best one wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from broadsheet.blocks import tags
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.site_name import are_site_words, split_title
from broadsheet.fields.title_candidates import (
    MAX_LENGTH_DIFFERENCE,
    MAX_TITLE_CHARS,
    NO_LEVEL,
    RELIABLE_SOURCES,
    Candidate,
    StatedTitle,
    list_candidates,
    list_h1_blocks,
    read_reliable_titles,
)
from broadsheet.fields.title_ranker import Ranker, compute_features, has_other_name, load_ranker
from broadsheet.fields.value import FieldValue
from broadsheet.text import fold_words, split_words

STATED_H1_CONFIDENCE = 0.94  # share of right titles on train pages where metadata and the only <h1> agree
# Without metadata, if `<title>` starts with the only <h1>: the ranker chose the same title on 195 of 196 pages.
TITLE_ELEMENT_H1_CONFIDENCE = 0.93
MIN_TITLE_ELEMENT_H1_CHARS = 20  # shorter headings may be names of sections
MIN_LINE_PROBABILITY = 0.3  # of a line that is neither stated nor a heading
EXTERNAL_SOURCES = frozenset(("method", "link"))
_MAX_BLOCKS_ABOVE = 2  # body blocks above a headline: a kicker, a standfirst
_MAX_KICKER_WORDS = 8  # in the element of the headline, before or after the title


class Headline(NamedTuple):
    """The title, and the block that shows it: -1 if there is none."""

    title: FieldValue[str]
    block: int


def find_title(evidence: Evidence, weights: Path | None = None) -> Headline | None:
    """Find the headline, with the shipped weights of the ranker or those in a folder."""
    reliable_titles = read_reliable_titles(evidence)
    in_h1 = _find_in_h1(evidence, reliable_titles)
    return in_h1 or _choose_candidate(evidence, reliable_titles, load_ranker(weights))


def _find_in_h1(evidence: Evidence, reliable_titles: Sequence[StatedTitle]) -> Headline | None:
    """Find a title that is stated and is the text of the only `<h1>`, or of several with the same words."""
    h1_blocks: dict[str, int] = {}  # words of an <h1> -> its first block
    for block in list_h1_blocks(evidence):
        text = evidence.blocks.text[block]
        if len(text) <= MAX_TITLE_CHARS and (words := fold_words(text)):
            h1_blocks.setdefault(words, block)
    if len(h1_blocks) != 1:
        return None
    [(words, block)] = h1_blocks.items()
    if are_site_words(words, evidence):  # the name of the blog; the headline is a lower heading
        return None
    text = evidence.blocks.text[block].replace("\n", " ")
    for stated in reliable_titles:
        if stated.words == words:
            # A heading of several elements may lack the separator between them: "Kicker: headline".
            title = stated.text if len(evidence.blocks.rows[block]) > 1 else text
            return Headline(FieldValue(_cut_at_bar(title), stated.source, STATED_H1_CONFIDENCE), block)
    is_long_enough = len(words) >= MIN_TITLE_ELEMENT_H1_CHARS
    if not reliable_titles and is_long_enough:
        parts = split_title(evidence.metadata.title)
        if parts and fold_words(parts[0]) == words:
            return Headline(FieldValue(text, "html", TITLE_ELEMENT_H1_CONFIDENCE), block)
    return None


def _cut_at_bar(title: str) -> str:
    """Return the longest part of "Headline | Opinion" or "PARIS | Headline", as seven of eight labelled titles do."""
    longest = max(title.split(" | "), key=len)
    return longest if 3 * len(longest) > 2 * len(title) else title  # "Home 2 | 1 Away" is one headline


def _choose_candidate(evidence: Evidence, reliable_titles: Sequence[StatedTitle], ranker: Ranker) -> Headline | None:
    """Choose the most probable candidate."""
    candidates = list_candidates(evidence, reliable_titles)
    if not len(candidates):
        return None
    probabilities = ranker.predict(compute_features(evidence, candidates))
    pairs = sorted(zip(probabilities, candidates, strict=True), key=lambda pair: -pair[0])
    ranked = [pair for pair in pairs if _is_acceptable(*pair)]
    if not ranked:
        return None
    best = ranked[0][1]
    if best.sources == {"html"} and best.block < 0:
        # External hints win over a title that only `<title>` states and no block shows. No training page had hints.
        ranked.sort(key=lambda pair: not pair[1].sources & EXTERNAL_SOURCES)
    probability, chosen = _drop_kicker(ranked, evidence)
    return Headline(FieldValue(chosen.text, chosen.source, probability), chosen.block)


def _is_acceptable(probability: float, candidate: Candidate) -> bool:
    """Tell whether a candidate is stated or a heading. Other lines above the text need a minimum probability."""
    is_stated = bool(candidate.sources or candidate.piece_source)
    return is_stated or candidate.level < NO_LEVEL or probability >= MIN_LINE_PROBABILITY


def _drop_kicker(ranked: Sequence[tuple[float, Candidate]], evidence: Evidence) -> tuple[float, Candidate]:
    """Replace the best heading by its part that is the headline; the rest is a kicker, a date or a label."""
    best_probability, best = ranked[0]
    if best.level < NO_LEVEL and not best.is_inner:
        for probability, part in ranked[1:]:
            if part.is_inner and part.block == best.block and _is_headline_alone(part, best, evidence):
                return best_probability + probability, part
    return best_probability, best


def _is_headline_alone(part: Candidate, heading: Candidate, evidence: Evidence) -> bool:
    """Tell whether metadata state this part of a heading, or have it in a title and the rest is named as a kicker.

    The first rule is right on seven of ten labelled pages of the kind. For the second there are two pages, too few to
    train the ranker.
    """
    if not part.sources.isdisjoint(RELIABLE_SOURCES):
        return True
    is_in_stated_title = part.piece_source in RELIABLE_SOURCES and heading.sources.isdisjoint(RELIABLE_SOURCES)
    return is_in_stated_title and has_other_name(evidence.page.nodes, part.other_element)


def find_title_blocks(evidence: Evidence) -> frozenset[int]:
    """Find the body blocks that have the same words as the title, and the headline in another wording."""
    title, texts = evidence.title, evidence.blocks.text
    candidates = [block for block in evidence.body if abs(len(texts[block]) - len(title)) <= MAX_LENGTH_DIFFERENCE]
    words = split_words(title)
    if not words:
        return frozenset()
    same = [block for block in candidates if split_words(texts[block]) == words]
    return frozenset((*same, *_find_headlines(evidence, words)))


def _find_headlines(evidence: Evidence, title_words: list[str]) -> list[int]:
    """Find headings at the top of the body that show the headline: with a kicker, or as another source states it.

    A heading above the headline is its kicker.
    """
    blocks = evidence.blocks
    headings = [block for block in evidence.body[: _MAX_BLOCKS_ABOVE + 1] if blocks.context[block] & tags.HEADING]
    if not headings:
        return []
    stated = {title.words for title in read_reliable_titles(evidence)}
    while headings:
        last = headings[-1]
        if fold_words(blocks.text[last]) in stated or _is_title_with_kicker(evidence, last, title_words):
            break
        headings.pop()
    return headings


def _is_title_with_kicker(evidence: Evidence, block: int, title_words: list[str]) -> bool:
    nodes = evidence.page.nodes
    container = evidence.blocks.container[block]
    if "h1" not in (nodes.tag_of(container), nodes.tag_of(nodes.parent[container])):
        return False
    words = split_words(evidence.blocks.text[block])
    extra = len(words) - len(title_words)
    has_title = words[extra:] == title_words or words[: len(title_words)] == title_words
    return 0 < extra <= min(_MAX_KICKER_WORDS, len(title_words)) and has_title
