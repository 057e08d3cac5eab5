"""Labels of blocks for `fusion`: article text, comments, headline, by-line, date and captions. Weights of blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks
from broadsheet.corpora import Record, align_text
from broadsheet.corpora.align import drop_headline, find_headlines
from broadsheet.methods.fusion.network import OUTPUT_ROLES
from broadsheet.text import fold_words
from broadsheet.training.pages import LabelledPage, has_gold_text

ROLES = ("content", *(role.value for role in OUTPUT_ROLES[1:]))
UNKNOWN = -1
MIN_TEXT_RECALL = 0.7  # of a gold text; below it, the text is probably that of another page
MAX_DATE_CHARS = 100  # of a block that states the date
MAX_BYLINE_EXTRA_CHARS = 60  # of a by-line, besides the names
MIN_NAME_CHARS = 4
# A block of a gold text that is nearly all link is a reference to another article: some datasets keep these blocks,
# others and our convention do not.
MAX_LINK_SHARE = 0.9
MIN_LINK_CHARS = 20
MAX_WEIGHT_CHARS = 600  # the weight of a block does not grow beyond this length
BASE_WEIGHT_CHARS = 5  # added to the length of every block
_CONTENT, _COMMENT, _TITLE, _BYLINE, _DATE, _CAPTION = range(len(ROLES))
_NUMBER = re.compile(r"\d+")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def label_blocks(labelled: LabelledPage) -> NDArray[np.int8]:
    """Label the blocks of a page: (blocks, roles), with UNKNOWN where the dataset does not say.

    Headlines are UNKNOWN content, because datasets differ in whether a gold text includes them.
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
    if has_all_roles(record):
        _label_all_roles(labels, blocks, folded, record)
    else:
        _label_stated_roles(labels, blocks, folded, record)
    return labels


def weigh_blocks(chars: NDArray[np.float32]) -> NDArray[np.float32]:
    """Weigh the blocks of a page. Long blocks and long pages weigh more, by the square root of their length."""
    weights = np.sqrt(np.minimum(chars, MAX_WEIGHT_CHARS) + BASE_WEIGHT_CHARS)
    weights /= np.sqrt(weights.sum())
    return np.asarray(weights, np.float32)


def has_all_roles(record: Record) -> bool:
    """Return whether every block of an article is labelled with its role, as in the labelling convention."""
    return record.captions is not None and bool(record.text)


def _label_all_roles(labels: NDArray[np.int8], blocks: Blocks, folded: list[str], record: Record) -> None:
    """Label every role: a block that is not listed does not have the role."""
    labels[:, _COMMENT] = align_text(blocks.text, record.comments or "")
    labels[:, _TITLE] = _find_title(folded, record)
    for role, texts in ((_BYLINE, record.byline), (_DATE, record.dateline), (_CAPTION, record.captions)):
        labels[:, role] = _find_texts(folded, texts)
    is_unsure = np.array(_find_texts(folded, record.unsure))
    labels[is_unsure & (labels[:, _CONTENT] == 0), _CONTENT] = UNKNOWN


def _label_stated_roles(labels: NDArray[np.int8], blocks: Blocks, folded: list[str], record: Record) -> None:
    """Label the roles that the dataset states.

    If no block has a role, the whole column is UNKNOWN: the dataset does not label the role, or its value is not on
    the page. Article text is neither comment nor caption.
    """
    if record.comments:  # comments that a script loads later are not on the page
        _set_role(labels, _COMMENT, align_text(blocks.text, record.comments))
    _set_role(labels, _TITLE, _find_title(folded, record))
    _set_role(labels, _BYLINE, _find_byline(blocks, folded, record))
    _set_role(labels, _DATE, _find_date(blocks, record))
    is_content = labels[:, _CONTENT] == 1
    for role in (_COMMENT, _CAPTION):
        labels[is_content & (labels[:, role] == UNKNOWN), role] = 0
    chars = np.fromiter(map(len, blocks.text), np.int64, len(blocks))
    is_link = np.array(blocks.link_chars) > MAX_LINK_SHARE * chars
    labels[is_content & is_link & (chars >= MIN_LINK_CHARS), _CONTENT] = UNKNOWN


def _find_texts(folded: list[str], texts: Sequence[str] | None) -> list[bool]:
    """Find the blocks with one of the listed texts."""
    listed = set(map(fold_words, texts or ())) - {""}
    return [text in listed for text in folded]


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
