"""What a block is, by what people said of its page: the classes that a graph network can be trained for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from broadsheet.corpora import align_text
from broadsheet.errors import UsageError
from broadsheet.fields.written_dates import find_written_date
from broadsheet.text import fold_words
from broadsheet.training.pages import LabelledPage

MAX_DATE_WORDS = 12  # a longer block that has the date in it is text


def label_class(kind: str, labelled: LabelledPage) -> list[bool]:
    """Tell which blocks are of a class. Raises UsageError for a class that no labels are known of."""
    if kind not in LABELLERS:
        raise UsageError(f"no labels for class {kind!r}; known: {', '.join(LABELLERS)}")
    return LABELLERS[kind](labelled)


def is_headline(labelled: LabelledPage, block: int) -> bool:
    """Tell whether a block shows the headline. Some gold texts begin with it, and some do not."""
    if labelled.page.nodes.tag[labelled.blocks.container[block]] == "h1":
        return True
    title = labelled.record.title
    return bool(title) and fold_words(labelled.blocks.text[block]) == fold_words(title or "")


def _label_body(labelled: LabelledPage) -> list[bool]:
    return labelled.in_text


def _label_title(labelled: LabelledPage) -> list[bool]:
    title = fold_words(labelled.record.title or "")
    return [bool(title) and fold_words(text) == title for text in labelled.blocks.text]


def _label_date(labelled: LabelledPage) -> list[bool]:
    """Short lines with the day of publication in them; 3/4/2021 may be either day."""
    try:
        day = date.fromisoformat((labelled.record.date or "")[:10])
    except ValueError:
        return [False] * len(labelled.blocks)
    return [_says_day(text, day) for text in labelled.blocks.text]


def _says_day(text: str, day: date) -> bool:
    if str(day.year) not in text or text.count(" ") >= MAX_DATE_WORDS:
        return False
    readings = (find_written_date(text, is_month_first=is_first) for is_first in (False, True))
    return any(found is not None and found.date() == day for found in readings)


def _label_comment(labelled: LabelledPage) -> list[bool]:
    return align_text(labelled.blocks.text, labelled.record.comments or "")


LABELLERS: dict[str, Callable[[LabelledPage], list[bool]]] = {
    "body": _label_body,
    "title": _label_title,
    "date": _label_date,
    "comment": _label_comment,
}
