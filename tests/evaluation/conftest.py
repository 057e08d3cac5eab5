"""Six labelled pages, written for these tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from broadsheet.evaluation.contenders import Lineup, find_contenders

PLACES = ("Westport", "Eastby", "Norham", "Sudbury", "Middleton", "Overton")


def make_values(number: int) -> dict[str, object]:
    """Return a record as JSON values. The text of the last one contains a script, which reports must escape."""
    place = PLACES[number]
    lines = [
        f"The harbour of {place} opened again on Monday after {number + 2} years of repairs, the town said.",
        f"Ships from {number + 3} countries were waiting outside when the harbour master of {place} gave the sign.",
        f"Repairs had cost {place} more than it earns in {number + 5} years from its fishing fleet, he added.",
    ]
    if number == len(PLACES) - 1:
        lines.append("A sign said &lt;script&gt;alert(1)&lt;/script&gt; to everybody who came along the pier that day.")
    body = "".join(f"<p>{line}</p>" for line in lines)
    html = (
        f"<html><head><title>Harbour of {place} opens - Courier</title></head><body><nav><ul><li><a href='/'>Home</a></li>"
        f"<li><a href='/sport'>Sport</a></li></ul></nav><h1>Harbour of {place} opens</h1><p class=byline>By Ann Lee</p>{body}"
        "<div class=comments><p>First to comment, and very happy about that harbour of ours, really.</p></div>"
        "<footer>Imprint and privacy</footer></body></html>"
    )
    text = "\n".join(lines).replace("&lt;", "<").replace("&gt;", ">")
    return {
        "id": f"harbours/{number}",
        "dataset": "harbours",
        "html": html,
        "text": text,
        "title": f"Harbour of {place} opens",
        "lang": "en",
        "site": f"site{number % 2}.example",
        "year": 2000 + number % 3,
    }


@pytest.fixture(scope="session")
def write_records() -> Callable[[Path, Sequence[int]], Path]:
    """Return a function that writes a JSON Lines file of some of the six records."""

    def write(path: Path, numbers: Sequence[int]) -> Path:
        path.write_text("".join(json.dumps(make_values(number)) + "\n" for number in numbers))
        return path

    return write


@pytest.fixture
def corpus(tmp_path: Path, write_records: Callable[[Path, Sequence[int]], Path]) -> Path:
    """A file of all records."""
    return write_records(tmp_path / "harbours.jsonl", range(len(PLACES)))


@pytest.fixture
def harbour_page() -> str:
    """The page of the first record."""
    return str(make_values(0)["html"])


@pytest.fixture
def lineup() -> Lineup:
    """A method and the one peer that is always installed."""
    return find_contenders(["twcem"], ["turbohtml"])
