"""Find the fields of a page, each when it is first read, after those that it depends on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from broadsheet.blocks import Blocks, Labels
from broadsheet.fields.evidence import Evidence, gather_evidence
from broadsheet.fields.field import Field, Step
from broadsheet.fields.figures import find_figures
from broadsheet.fields.table import FIELDS
from broadsheet.fields.title import Headline, find_title, find_title_blocks
from broadsheet.fields.value import FieldValue, Image, PlacedFigure
from broadsheet.page import Page
from broadsheet.text import fold_words


class Fields:
    """The fields of one page. A field that the page does not state or show is None.

    Each is found on first use, by its row in `FIELDS`, and kept. Two threads may find the same one at the same time:
    the results are equal.
    """

    # Types for checkers: a field that no code reads by name needs none here.
    url: FieldValue[str] | None
    title: FieldValue[str] | None
    authors: FieldValue[tuple[str, ...]] | None
    date: FieldValue[datetime] | None
    date_modified: FieldValue[datetime] | None
    language: FieldValue[str] | None
    site_name: FieldValue[str] | None
    images: FieldValue[tuple[Image, ...]] | None
    headline: Headline | None  # the title, with the block that shows it
    title_blocks: frozenset[int]  # body blocks that repeat the title
    figures: tuple[PlacedFigure, ...]  # in the order of the page

    def __init__(self, page: Page, blocks: Blocks, labels: Labels, title_weights: Path | None = None) -> None:
        """Keep what the fields are found in. `title_weights` replaces the shipped weights of the title ranker."""
        self._title_weights = title_weights
        self._evidence = {Step.PAGE: gather_evidence(page, blocks, labels)}

    if not TYPE_CHECKING:  # with __getattr__, a type checker would accept any name

        def __getattr__(self, name: str) -> object:  # called once: the value becomes an attribute
            find = _FINDERS.get(name)
            if find is None:
                raise AttributeError(f"there is no field {name!r}")
            value = find(self)
            setattr(self, name, value)
            return value

    def find_all(self) -> Self:
        """Find all fields now."""
        for name in _FINDERS:
            getattr(self, name)
        return self

    def get_evidence(self, step: Step) -> Evidence:
        """Return the evidence that contains the result of a step."""
        if step not in self._evidence:
            self._evidence[step] = _STEPS[step](self)
        return self._evidence[step]

    def _add_site_name(self) -> Evidence:
        evidence = self.get_evidence(Step.PAGE)
        return evidence.with_site_words(fold_words(self.site_name.value)) if self.site_name else evidence

    def _add_title(self) -> Evidence:
        evidence = self.get_evidence(Step.SITE_NAME)
        return evidence.with_title(self.headline.title.value, self.headline.block) if self.headline else evidence

    def _add_date(self) -> Evidence:
        evidence = self.get_evidence(Step.TITLE)
        return evidence.with_date(self.date.value) if self.date else evidence

    def _add_figures(self) -> Evidence:
        return self.get_evidence(Step.TITLE).with_figures(self.figures)

    def _find_headline(self) -> Headline | None:
        return find_title(self.get_evidence(Step.SITE_NAME), self._title_weights)

    def _find_title(self) -> FieldValue[str] | None:
        return self.headline.title if self.headline else None

    def _find_title_blocks(self) -> frozenset[int]:
        return find_title_blocks(self.get_evidence(Step.TITLE))

    def _find_figures(self) -> tuple[PlacedFigure, ...]:
        return find_figures(self.get_evidence(Step.TITLE))


def start_evidence(page: Page, blocks: Blocks, labels: Labels) -> Evidence:
    """Return the evidence that the title is found with, for its training."""
    return Fields(page, blocks, labels).get_evidence(Step.SITE_NAME)


_STEPS: dict[Step, Callable[[Fields], Evidence]] = {
    Step.SITE_NAME: Fields._add_site_name,
    Step.TITLE: Fields._add_title,
    Step.DATE: Fields._add_date,
    Step.FIGURES: Fields._add_figures,
}


def _make_finder(field: Field) -> Callable[[Fields], Any]:
    find = field.find
    return (lambda fields: find(fields.get_evidence(field.needs))) if find else Fields._find_title


_FINDERS: dict[str, Callable[[Fields], Any]] = {
    **{field.name: _make_finder(field) for field in FIELDS},
    "headline": Fields._find_headline,
    "title_blocks": Fields._find_title_blocks,
    "figures": Fields._find_figures,
}
