"""Labels of blocks for `fusion`: article text, comments, headline, by-line and date."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks
from broadsheet.corpora import Record, align_text
from broadsheet.corpora.headline import drop_headline, find_headlines
from broadsheet.methods.fusion.network import OUTPUT_ROLES
from broadsheet.text import fold_words
from broadsheet.training.pages import LabelledPage, has_gold_text

ROLES = ("content", *(role.value for role in OUTPUT_ROLES[1:]))
UNKNOWN = -1
MIN_TEXT_RECALL = 0.7  # of a gold text; below it, the text is probably that of another page
MAX_DATE_CHARS = 100  # of a block that states the date
MAX_BYLINE_EXTRA_CHARS = 60  # of a by-line, besides the names
MIN_NAME_CHARS = 4
_CONTENT, _COMMENT, _TITLE, _BYLINE, _DATE = range(len(ROLES))
_NUMBER = re.compile(r"\d+")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def label_blocks(labelled: LabelledPage) -> NDArray[np.int8]:
    """Label the blocks of a page: (blocks, roles), with UNKNOWN where the dataset does not say.

    Headlines are UNKNOWN content, because datasets differ in whether a gold text includes them. If no block has a
    role, the whole column is UNKNOWN: the dataset does not label the role, or its value is not on the page.
    """
    blocks, record = labelled.blocks, labelled.record
    labels = np.full((len(blocks), len(ROLES)), UNKNOWN, np.int8)
    folded = [fold_words(text) for text in blocks.text]
    if has_gold_text(record, MIN_TEXT_RECALL):
        headlines = find_headlines(labelled.page, record.title)
        is_headline = np.array([text in headlines for text in folded])
        in_text = align_text(blocks.text, drop_headline(record.text or "", headlines))
        if any(in_text):
            labels[:, _CONTENT] = np.where(is_headline, UNKNOWN, in_text)
    if record.comments:  # comments that a script loads later are not on the page
        _set_role(labels, _COMMENT, align_text(blocks.text, record.comments))
    _set_role(labels, _TITLE, _find_title(folded, record))
    _set_role(labels, _BYLINE, _find_byline(blocks, folded, record))
    _set_role(labels, _DATE, _find_date(blocks, record))
    return labels


def _set_role(labels: NDArray[np.int8], role: int, has_role: list[bool]) -> None:
    if any(has_role):
        labels[:, role] = has_role


def _find_title(folded: list[str], record: Record) -> list[bool]:
    title = fold_words(record.title or "")
    return [bool(title) and text == title for text in folded]


def _find_byline(blocks: Blocks, folded: list[str], record: Record) -> list[bool]:
    names = [name for name in map(fold_words, record.authors or ()) if len(name) >= MIN_NAME_CHARS]
    max_chars = sum(map(len, names)) + MAX_BYLINE_EXTRA_CHARS
    return [
        len(text) <= max_chars and any(f" {name} " in f" {words} " for name in names)
        for text, words in zip(blocks.text, folded, strict=True)
    ]


def _find_date(blocks: Blocks, record: Record) -> list[bool]:
    """Find short blocks that contain the numbers of the day and the year."""
    if not record.date or not _DAY.match(record.date):
        return []
    date_numbers = {int(record.date[:4]), int(record.date[8:10])}
    return [
        len(text) <= MAX_DATE_CHARS and date_numbers <= set(map(int, _NUMBER.findall(text))) for text in blocks.text
    ]
