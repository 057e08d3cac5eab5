"""What people know of a page, told of its blocks: text, comments, headline, by-line, date."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks
from broadsheet.corpora import Record, align_text
from broadsheet.corpora.headline import drop_headline, find_headlines
from broadsheet.methods.fusion.network import OUTPUT_ROLES
from broadsheet.page import Page
from broadsheet.text import fold_words

ROLES = ("content", *(role.value for role in OUTPUT_ROLES[1:]))
UNKNOWN = -1
_CONTENT, _COMMENT, _TITLE, _BYLINE, _DATE = range(len(ROLES))
_MAX_DATE = 100  # characters of a line that says a date
_MAX_BESIDE = 60  # characters of a by-line besides the name
_LEAST_RECALL = 0.7  # of a gold text that is really the page's
_NUMBER = re.compile(r"\d+")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def label_blocks(page: Page, blocks: Blocks, record: Record) -> NDArray[np.int8]:
    """Label the blocks: (n, roles), UNKNOWN where nobody said.

    Headlines are UNKNOWN content: gold texts have them or leave them out as they please. A role that nobody marked on
    this page is UNKNOWN for all of its blocks, and so are title, by-line and date where they are not found on it.
    """
    labels = np.full((len(blocks), len(ROLES)), UNKNOWN, np.int8)
    folded = [fold_words(text) for text in blocks.text]
    headlines = find_headlines(page, record.title)
    if has_text(record):
        is_headline = np.array([text in headlines for text in folded])
        in_text = align_text(blocks.text, drop_headline(record.text or "", headlines))
        if any(in_text):
            labels[:, _CONTENT] = np.where(is_headline, UNKNOWN, in_text)
    if record.comments:
        _set(labels, _COMMENT, align_text(blocks.text, record.comments))  # none found: those shown later, by a program
    _set(labels, _TITLE, _find_title(folded, record))
    _set(labels, _BYLINE, _find_byline(blocks, folded, record))
    _set(labels, _DATE, _find_date(blocks, record))
    return labels


def has_text(record: Record) -> bool:
    """Tell whether the gold text of a page, if it has one, is really in it."""
    return bool(record.text) and (record.gold_recall is None or record.gold_recall >= _LEAST_RECALL)


def _set(labels: NDArray[np.int8], role: int, found: list[bool]) -> None:
    if any(found):
        labels[:, role] = found


def _find_title(folded: list[str], record: Record) -> list[bool]:
    title = fold_words(record.title or "")
    return [bool(title) and text == title for text in folded]


def _find_byline(blocks: Blocks, folded: list[str], record: Record) -> list[bool]:
    names = [name for name in map(fold_words, record.authors or ()) if len(name) > 3]
    longest = sum(map(len, names)) + _MAX_BESIDE
    return [
        len(text) <= longest and any(f" {name} " in f" {own} " for name in names)
        for text, own in zip(blocks.text, folded, strict=True)
    ]


def _find_date(blocks: Blocks, record: Record) -> list[bool]:
    """Find short lines with the day and the year of the date in it."""
    if not record.date or not _DAY.match(record.date):
        return []
    year, day = int(record.date[:4]), int(record.date[8:10])
    found = []
    for text in blocks.text:
        numbers = set(map(int, _NUMBER.findall(text[:_MAX_DATE]))) if len(text) <= _MAX_DATE else set()
        found.append({year, day} <= numbers)
    return found
