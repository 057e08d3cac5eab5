"""The headline, as a reader sees it.

Most pages state it and show it in their only `<h1>`: that needs no thought. Of all others every text that may be the
headline is measured (`title_candidates`, `title_measures`), and a small network chooses (`title_ranker`).
"""

from __future__ import annotations

from dataclasses import dataclass

from broadsheet.features import fold_words
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found
from broadsheet.fields.title_candidates import (
    MAX_LENGTH,
    NO_LEVEL,
    Candidate,
    list_candidates,
    list_headings,
    list_stated,
    read_level,
)
from broadsheet.fields.title_measures import measure_candidates
from broadsheet.fields.title_ranker import load_ranker

_PLAIN = 0.94  # share of titles that are right where metadata and the only <h1> agree, on train pages
_PLAIN_SOURCES = ("json-ld", "opengraph")
_MIN_LINE = 0.3  # probability of a line that is neither stated nor a heading


@dataclass(frozen=True, slots=True)
class Headline:
    """The title, and the block that shows it: -1 when none does."""

    title: Found[str]
    block: int


def find_title(evidence: Evidence) -> Headline | None:
    """Find the headline."""
    return _find_plain(evidence) or _choose(evidence)


def _find_plain(evidence: Evidence) -> Headline | None:
    """Find a title that is stated and shown in the page's only `<h1>`."""
    blocks = [block for block in list_headings(evidence) if read_level(evidence, block) == 1]
    if not blocks:
        return None
    texts = {fold_words(text): text for block in blocks if len(text := evidence.blocks.text[block]) <= MAX_LENGTH}
    if len(texts) != 1:
        return None
    [(words, text)] = texts.items()
    for stated, source in list_stated(evidence):
        if source not in _PLAIN_SOURCES:
            break
        if fold_words(stated) == words:
            return Headline(Found(text.replace("\n", " "), source, _PLAIN), blocks[0])
    return None


def _choose(evidence: Evidence) -> Headline | None:
    """Choose the likeliest of all candidates."""
    candidates = list_candidates(evidence)
    if not len(candidates):
        return None
    shares = load_ranker().predict(measure_candidates(evidence, candidates))
    ranked = sorted(zip(shares.tolist(), candidates, strict=True), key=lambda pair: -pair[0])
    share, chosen = next((pair for pair in ranked if _is_sound(*pair)), (0.0, None))
    return Headline(Found(chosen.text, chosen.source, share), chosen.block) if chosen else None


def _is_sound(share: float, candidate: Candidate) -> bool:
    """Tell whether a candidate may be taken: any line can stand above the text, so one that is no more must do well."""
    return share >= _MIN_LINE or bool(candidate.sources or candidate.origin) or candidate.level < NO_LEVEL
