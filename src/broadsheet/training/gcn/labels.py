"""Labels of blocks for the classes that a graph network can be trained for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from broadsheet.corpora import align_text
from broadsheet.errors import UsageError
from broadsheet.text import fold_words
from broadsheet.training.dates import states_day
from broadsheet.training.pages import LabelledPage

MAX_DATE_WORDS = 12  # a longer block that contains the date is text


def label_class(name: str, labelled: LabelledPage) -> list[bool]:
    """Return for each block whether it belongs to a class. Raises UsageError for a class without labels."""
    if name not in LABELLERS:
        raise UsageError(f"unknown class {name!r}; classes that have labels: {', '.join(LABELLERS)}")
    return LABELLERS[name](labelled)


def is_headline(labelled: LabelledPage, block: int) -> bool:
    """Return whether a block shows the headline. Some gold texts include it, others do not."""
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
    """Label short blocks that state the day of publication."""
    try:
        day = date.fromisoformat((labelled.record.date or "")[:10])
    except ValueError:
        return [False] * len(labelled.blocks)
    return [
        str(day.year) in text and text.count(" ") < MAX_DATE_WORDS and states_day(text, day.isoformat())
        for text in labelled.blocks.text
    ]


def _label_comment(labelled: LabelledPage) -> list[bool]:
    return align_text(labelled.blocks.text, labelled.record.comments or "")


LABELLERS: dict[str, Callable[[LabelledPage], list[bool]]] = {
    "body": _label_body,
    "title": _label_title,
    "date": _label_date,
    "comment": _label_comment,
}
