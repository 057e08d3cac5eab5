"""The card of a model: what it learned from, how, how good it is, and how to make it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

# What each dataset's origin says of its licence (README of the labelled pages); weights hold no text of theirs.
LICENCES = {
    "aed": "Apache-2.0",
    "big5-05": "research only",
    "big5-09": "research only",
    "chaos": "research only",
    "cleaneval-dev": "unstated",
    "cwced": "MIT",
    "daniel": "GPL-3.0 (repository)",
    "dragnet": "AGPL-3.0",
    "fundus": "MIT",
    "gne": "GPL-3.0",
    "goose3": "Apache-2.0",
    "l3s-gn1": "research only",
    "metahtml": "unstated",
    "newspaper4k": "MIT",
    "postlight": "Apache-2.0 or MIT",
    "readability": "Apache-2.0",
    "wcxb": "CC-BY-4.0",
}


@dataclass(frozen=True, slots=True)
class Card:
    """What the README of a folder of weights says."""

    model: str
    summary: str
    command: str
    seed: int
    pages: Mapping[str, int]  # dataset -> pages learned from
    figures: Mapping[str, str]  # what was measured, where -> figure
    notes: Sequence[str] = ()

    def write(self) -> str:
        """Write the card as Markdown."""
        lines = [
            f"# Weights of `{self.model}`",
            "",
            self.summary,
            "",
            f"- Made by: `{self.command}` (seed {self.seed})",
        ]
        lines += [f"- Date: {datetime.now(UTC):%Y-%m-%d}", *(f"- {note}" for note in self.notes)]
        lines += [
            "",
            "| measured | figure |",
            "|---|---|",
            *(f"| {what} | {value} |" for what, value in self.figures.items()),
        ]
        lines += ["", "| learned from | pages | licence stated at its origin |", "|---|---|---|"]
        lines += [f"| {name} | {count} | {LICENCES.get(name, 'yours')} |" for name, count in sorted(self.pages.items())]
        return "\n".join(lines) + "\n"
