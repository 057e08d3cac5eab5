"""Part: the result of one input file, as the manifest records it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields

from broadsheet.batch.sources import Source

ENTRY_VERSION = 1


@dataclass(frozen=True, slots=True)
class Part:
    """The output of one input file, and the entry of the manifest."""

    source: str  # name of the input, as the user wrote it
    key: str  # hash of its location
    stamp: str  # size and time of change, or the etag: tells whether the input has changed
    options: str  # hash of the options
    file: str  # name of the Parquet file in the output folder
    file_bytes: int
    rows: int
    statuses: Mapping[str, int] = field(default_factory=dict)  # rows by status
    skipped: Mapping[str, int] = field(default_factory=dict)  # records that are not pages, by reason
    dropped: Mapping[str, int] = field(default_factory=dict)  # pages that a filter or the sample left out, by reason
    fault: str = ""  # what was wrong with the file; its readable pages are rows anyway
    input_bytes: int = 0
    seconds: float = 0.0  # elapsed
    cpu_seconds: float = 0.0
    version: int = ENTRY_VERSION


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that has no part: the next run tries it again."""

    source: Source
    reason: str
    is_fatal: bool = False  # the other inputs would fail too: the output cannot be written


Outcome = Part | Failure


def write_entry(part: Part) -> str:
    """Return a part as JSON."""
    return json.dumps(asdict(part), ensure_ascii=False, indent=1) + "\n"


def read_entry(text: str) -> Part | None:
    """Return the part of an entry; None if it is damaged or of another version."""
    try:
        values = json.loads(text)
        if values["version"] != ENTRY_VERSION:
            return None
        return Part(**{item.name: values[item.name] for item in fields(Part)})
    except (ValueError, KeyError, TypeError):
        return None
