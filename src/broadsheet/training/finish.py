"""The end of all trainers: report the figures, and write the weights with their card.

A card is the README of a folder of weights: training data, command, seed and quality.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from broadsheet.models import save_weights
from broadsheet.training.options import TrainingOptions

# Licence that the origin of each dataset states (README of the labelled pages). Weights contain no text of the pages.
LICENCES = {
    "aed": "Apache-2.0",
    "big5-05": "research only",
    "big5-09": "research only",
    "chaos": "research only",
    "cleaneval-dev": "unstated",
    "cwced": "MIT",
    "daniel": "GPL-3.0 (repository)",
    "desk": "as the origin of each page",
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
OTHER_LICENCE = "your own data"


@dataclass(frozen=True, slots=True)
class Card:
    """The content of a model card."""

    model: str
    summary: str
    pages: Mapping[str, int]  # dataset -> number of training pages
    figures: Mapping[str, str]  # measure -> value on dev pages
    notes: Sequence[str] = ()
    trainer: str = ""  # model of the command, if it is another: gcn-published

    def format(self, options: TrainingOptions) -> str:
        """Return the card as Markdown."""
        command = options.write_command(self.trainer or self.model)
        commit = read_commit()
        facts = (
            f"Trained by `{command}` (seed {options.seed})",
            *((f"Code: commit {commit}",) if commit else ()),
            f"Date: {datetime.now(UTC):%Y-%m-%d}",
        )
        datasets = [(name, str(count), LICENCES.get(name, OTHER_LICENCE)) for name, count in sorted(self.pages.items())]
        parts = (
            f"# Weights of `{self.model}`",
            self.summary,
            "\n".join(f"- {line}" for line in (*facts, *self.notes)),
            _format_table(("measure", "value"), self.figures.items()),
            _format_table(("training data", "pages", "licence stated by the origin"), datasets),
        )
        return "\n\n".join(parts) + "\n"


def read_commit() -> str:
    """Return the commit of the clone that the package runs in, and "with changes" if files differ; "" elsewhere."""
    run = partial(subprocess.run, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    try:
        run(["git", "ls-files", "--error-unmatch", Path(__file__).name])  # an installed package is not in the clone
        commit = run(["git", "rev-parse", "--short=12", "HEAD"]).stdout.strip()
        is_changed = run(["git", "status", "--porcelain", "--untracked-files=no", "."]).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f"{commit} with changes" if is_changed else commit


def _format_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (header, ["---"] * len(header), *rows)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def finish(card: Card, arrays: Mapping[str, NDArray[Any]], config: Mapping[str, Any], options: TrainingOptions) -> None:
    """Report the figures of a trained model, and write the folder of its weights."""
    for measure, value in card.figures.items():
        options.report(f"{measure}: {value}")
    save_weights(options.output, card.model, arrays, config, card.format(options))
