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
_FROM_OUTSIDE = {"method", "link"}
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
    """Find a title that is stated and shown in the page's only `<h1>`, or in several that say the same."""
    shown_in: dict[str, int] = {}
    for block in list_headings(evidence):
        text = evidence.blocks.text[block]
        if read_level(evidence, block) == 1 and len(text) <= MAX_LENGTH and (words := fold_words(text)):
            shown_in.setdefault(words, block)
    if len(shown_in) != 1:
        return None
    [(words, block)] = shown_in.items()
    text = evidence.blocks.text[block]
    for stated, source in list_stated(evidence):
        if source not in _PLAIN_SOURCES:
            break
        if fold_words(stated) == words:
            # A heading of several parts may have lost what stands between them: "Kicker: headline".
            shown = stated if len(evidence.blocks.rows[block]) > 1 else text
            return Headline(Found(shown.replace("\n", " "), source, _PLAIN), block)
    return None


def _choose(evidence: Evidence) -> Headline | None:
    """Choose the likeliest of all candidates."""
    candidates = list_candidates(evidence)
    if not len(candidates):
        return None
    shares = load_ranker().predict(measure_candidates(evidence, candidates))
    ranked = sorted(zip(shares.tolist(), candidates, strict=True), key=lambda pair: -pair[0])
    sound = [pair for pair in ranked if _is_sound(*pair)]
    if sound and sound[0][1].sources == {"html"} and sound[0][1].block < 0:
        # What only the `<title>` says and nothing shows gives way to hints from outside: no page to learn from had any.
        sound.sort(key=lambda pair: not pair[1].sources & _FROM_OUTSIDE)
    share, chosen = sound[0] if sound else (0.0, None)
    return Headline(Found(chosen.text, chosen.source, share), chosen.block) if chosen else None


def _is_sound(share: float, candidate: Candidate) -> bool:
    """Tell whether a candidate may be taken: any line can stand above the text, so one that is no more must do well."""
    return share >= _MIN_LINE or bool(candidate.sources or candidate.origin) or candidate.level < NO_LEVEL
