"""The headline, as a reader sees it.

Most pages state it and show it in their only `<h1>`: that needs no thought. Of all others every text that may be the
headline is measured (`title_candidates`, `title_measures`), and a small network chooses (`title_ranker`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.site_name import are_site_words, split_title
from broadsheet.fields.title_candidates import NO_LEVEL, Candidate, list_candidates, list_highest
from broadsheet.fields.title_measures import is_called_other, measure_candidates
from broadsheet.fields.title_ranker import load_ranker
from broadsheet.fields.title_stated import MAX_LENGTH, Stated, list_plain
from broadsheet.fields.value import FieldValue
from broadsheet.text import fold_words

_PLAIN = 0.94  # share of titles that are right where metadata and the only <h1> agree, on train pages
# Where there are none and `<title>` begins with the only <h1>, the network said the same on 195 of 196 pages.
_ALONE = 0.93
_MIN_ALONE = 20  # characters; shorter ones may be names of sections
_FROM_OUTSIDE = {"method", "link"}
_PLAIN_SOURCES = ("json-ld", "opengraph")
_MIN_LINE = 0.3  # probability of a line that is neither stated nor a heading


@dataclass(frozen=True, slots=True)
class Headline:
    """The title, and the block that shows it: -1 when none does."""

    title: FieldValue[str]
    block: int


def find_title(evidence: Evidence) -> Headline | None:
    """Find the headline."""
    plain = list_plain(evidence)
    return _find_plain(evidence, plain) or _choose(evidence, plain)


def _find_plain(evidence: Evidence, plain: Sequence[Stated]) -> Headline | None:
    """Find a title that is stated and shown in the page's only `<h1>`, or in several that say the same."""
    shown_in: dict[str, int] = {}
    for block in list_highest(evidence):
        text = evidence.blocks.text[block]
        if len(text) <= MAX_LENGTH and (words := fold_words(text)):
            shown_in.setdefault(words, block)
    if len(shown_in) != 1:
        return None
    [(words, block)] = shown_in.items()
    text = evidence.blocks.text[block].replace("\n", " ")
    for stated in plain:
        if stated.words == words:
            # A heading of several parts may have lost what stands between them: "Kicker: headline".
            shown = stated.text if len(evidence.blocks.rows[block]) > 1 else text
            return Headline(FieldValue(_cut_at_bar(shown), stated.source, _PLAIN), block)
    if not plain and len(words) >= _MIN_ALONE and not are_site_words(words, evidence):
        parts = split_title(evidence.metadata.title)
        if parts and fold_words(parts[0]) == words:
            return Headline(FieldValue(text, "html", _ALONE), block)
    return None


def _cut_at_bar(title: str) -> str:
    """Take the longest part of "Headline | Opinion" or "PARIS | Headline": so do seven of eight labelled titles."""
    longest = max(title.split(" | "), key=len)
    return longest if 3 * len(longest) > 2 * len(title) else title  # "Home 2 | 1 Away" is one headline


def _choose(evidence: Evidence, plain: Sequence[Stated]) -> Headline | None:
    """Choose the likeliest of all candidates."""
    candidates = list_candidates(evidence, plain)
    if not len(candidates):
        return None
    shares = load_ranker().predict(measure_candidates(evidence, candidates))
    ranked = sorted(zip(shares, candidates, strict=True), key=lambda pair: -pair[0])
    sound = [pair for pair in ranked if _is_sound(*pair)]
    if sound and sound[0][1].sources == {"html"} and sound[0][1].block < 0:
        # What only the `<title>` says and nothing shows gives way to hints from outside: no page to learn from had any.
        sound.sort(key=lambda pair: not pair[1].sources & _FROM_OUTSIDE)
    if not sound:
        return None
    share, chosen = _leave_kicker(sound, evidence)
    return Headline(FieldValue(chosen.text, chosen.source, share), chosen.block)


def _leave_kicker(ranked: Sequence[tuple[float, Candidate]], evidence: Evidence) -> tuple[float, Candidate]:
    """Take the part of the best heading that is the headline by itself: the rest is a kicker, a date or a label."""
    share, best = ranked[0]
    if best.level < NO_LEVEL and not best.is_inner:
        for other, part in ranked[1:]:
            if part.is_inner and part.block == best.block and _is_headline_by_itself(part, best, evidence):
                return share + other, part
    return share, best


def _is_headline_by_itself(part: Candidate, whole: Candidate, evidence: Evidence) -> bool:
    """Tell whether metadata state a part of a heading, or have it in a title of theirs and the rest is called a kicker.

    The first is right on seven of ten labelled pages of the kind, of the second there are two: too few for the network.
    """
    if not part.sources.isdisjoint(_PLAIN_SOURCES):
        return True
    is_common = part.origin in _PLAIN_SOURCES and whole.sources.isdisjoint(_PLAIN_SOURCES)
    return is_common and is_called_other(evidence.page.nodes, part.beside)


def _is_sound(share: float, candidate: Candidate) -> bool:
    """Tell whether a candidate may be taken: any line can stand above the text, so one that is no more must do well."""
    return share >= _MIN_LINE or bool(candidate.sources or candidate.origin) or candidate.level < NO_LEVEL
