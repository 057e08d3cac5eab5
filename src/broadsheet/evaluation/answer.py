"""Answer: what a method or a peer said of one page."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """The output for one page. A failure is an answer without content, with the error's name."""

    text: str | None = None  # None: it does not extract texts (a date finder, for example)
    title: str | None = None
    authors: tuple[str, ...] = ()
    date: str | None = None  # ISO 8601
    confidence: float | None = None
    kept: str | None = None  # of Broadsheet's own methods: a "1" for each block that is article text, else "0"
    seconds: float = 0.0
    error: str | None = None
    is_lost: bool = False  # it was the process that failed: another run may fare better, so nobody keeps this answer

    def to_json(self) -> str:
        """One line of JSON without what is missing; in ASCII, for the sake of lone surrogates."""
        return json.dumps({key: value for key, value in asdict(self).items() if value is not None})


def read_answer(values: dict[str, Any]) -> Answer:
    """Make an answer of JSON values; unknown names are left out."""
    known = {key: values[key] for key in Answer.__dataclass_fields__ if key in values}
    known["authors"] = tuple(known.get("authors") or ())
    return Answer(**known)
