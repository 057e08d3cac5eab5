"""Strategies: the ways to find a field, tried in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from broadsheet.fields.clean import clean_texts
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.value import UNMEASURED_CONFIDENCE, FieldValue

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Strategy(Generic[T_co]):
    """A source of candidates for a field."""

    source: str
    read: Callable[[Evidence], Iterable[T_co]]  # candidates, the most likely first
    confidence: float = UNMEASURED_CONFIDENCE


def find_text(
    strategies: Iterable[Strategy[str]], evidence: Evidence, is_valid: Callable[[str], bool]
) -> FieldValue[str] | None:
    """Find the first valid text, cleaned."""
    for strategy in strategies:
        for text in clean_texts(strategy.read(evidence)):
            if is_valid(text):
                return FieldValue(text, strategy.source, strategy.confidence)
    return None
