"""Events of a watch: each is one JSON object, written to the output exactly once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from enum import StrEnum
from typing import Any


class EventKind(StrEnum):
    """Kinds of events."""

    NEW = "new"
    CHANGED = "changed"
    VANISHED = "vanished"
    RETURNED = "returned"  # a vanished article is back
    ALARM = "alarm"
    RESOLVED = "resolved"  # an alarm has ended


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened on a site."""

    kind: EventKind
    site: str
    time: datetime
    values: dict[str, Any]  # JSON-ready: url, article, diff, ... by kind; see docs/howto/watch.md


def format_event(number: int, event: Event) -> str:
    """Return an event as one line of JSON, without a newline."""
    facts = {
        "id": number,
        "event": str(event.kind),
        "site": event.site,
        "time": event.time.isoformat(timespec="seconds"),
    }
    return json.dumps({**facts, **event.values}, ensure_ascii=False)


def compare_texts(old: str, new: str) -> str:
    """Return the paragraphs that changed, as a unified diff without file names."""
    lines = list(unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=1))
    return "\n".join(lines[2:])
