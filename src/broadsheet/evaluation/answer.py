"""Answer: the output of a contender for one page."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

MAX_ERROR_CHARS = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """The output for one page. A failure is an answer without content, with the error."""

    text: str | None = None  # None: the contender does not extract text (a date finder, for example)
    title: str | None = None
    authors: tuple[str, ...] = ()
    date: str | None = None  # ISO 8601
    confidence: float | None = None
    kept_blocks: str | None = None  # of Broadsheet's methods: "1" for each block that is article text, else "0"
    seconds: float = 0.0
    error: str | None = None
    is_lost: bool = False  # the worker process was lost. The next run may succeed, so the answer is not cached.

    def to_json(self) -> str:
        """Return one line of JSON without missing values, in ASCII because texts may hold lone surrogates."""
        return json.dumps({key: value for key, value in asdict(self).items() if value is not None})


def read_answer(values: dict[str, Any]) -> Answer:
    """Return the answer that JSON values describe; unknown keys are ignored."""
    fields = {key: values[key] for key in Answer.__dataclass_fields__ if key in values}
    fields["authors"] = tuple(fields.get("authors") or ())
    return Answer(**fields)
