"""Results: what every contender scored on every page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from broadsheet.evaluation.contenders import Contender


@dataclass(frozen=True, slots=True)
class Row:
    """One contender on one page."""

    columns: Mapping[str, float]
    mistakes: Mapping[str, int]
    seconds: float
    error: str | None
    run: str  # when and by which run the answer was made


@dataclass(frozen=True, slots=True)
class PageResult:
    """One page with a row for each contender, by its name."""

    id: str
    path: str  # file or folder that it was read from
    dataset: str
    site: str | None
    lang: str | None
    year: int | None
    page: str  # fingerprint
    rows: Mapping[str, Row]


@dataclass(frozen=True, slots=True)
class Results:
    """A whole evaluation, pages in order of their ids."""

    contenders: tuple[Contender, ...]
    pages: tuple[PageResult, ...]
    missing: tuple[str, ...] = ()  # a line for each peer that was not there
    memory: Mapping[str, float] | None = None  # peak MB by contender
    unscored: tuple[str, ...] = ()  # ids of pages on which scoring itself broke
    answered: int = 0  # answers made in this run; all others came from the cache

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the contenders in their order."""
        return tuple(contender.name for contender in self.contenders)
