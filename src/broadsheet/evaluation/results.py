"""Results: the scores of every contender on every page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from broadsheet.evaluation.contenders import Contender


@dataclass(frozen=True, slots=True)
class PageOutcome:
    """The result of one contender on one page."""

    columns: Mapping[str, float]
    error_words: Mapping[str, int]  # "missed caption", "extra comment", ... -> words
    seconds: float
    error: str | None
    run: str  # start time of the run that made the answer


@dataclass(frozen=True, slots=True)
class PageResult:
    """One page with the outcome of each contender, by name."""

    id: str
    path: str  # file or folder from which it was read
    dataset: str
    site: str | None
    lang: str | None
    year: int | None
    page_hash: str
    outcomes: Mapping[str, PageOutcome]


@dataclass(frozen=True, slots=True)
class Results:
    """A whole evaluation, with pages sorted by id."""

    contenders: tuple[Contender, ...]
    pages: tuple[PageResult, ...]
    paths: tuple[Path, ...]  # files and folders from which pages were read
    limit: int | None = None  # pages of each path; None: all
    missing: tuple[str, ...] = ()  # a message for each contender that was skipped
    memory: Mapping[str, float] | None = None  # peak MB by contender
    unscored: tuple[str, ...] = ()  # ids of pages that could not be scored
    answered: int = 0  # answers made in this run; all others came from the cache

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the contenders, in order."""
        return tuple(contender.name for contender in self.contenders)

    def get_columns(self, name: str) -> list[Mapping[str, float]]:
        """Return the columns of one contender on each page."""
        return [page.outcomes[name].columns for page in self.pages]
