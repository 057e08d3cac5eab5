"""Fine-tune a model on labelled pages, and compare it with the weights before: the program of a retraining's process.

    python -m broadsheet.project.retrain FOLDER START

It reads FOLDER/pages.jsonl, and writes FOLDER/weights/ and FOLDER/outcome.json. Its output is the log.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from broadsheet.atomic import write_atomically
from broadsheet.corpora import Record
from broadsheet.errors import BroadsheetError
from broadsheet.evaluation.runner import MeasureChange, compare_weights
from broadsheet.models.weights import find_own_weights
from broadsheet.page.decode import decode_page
from broadsheet.project.runs import MODEL, OUTCOME_FILE, Outcome
from broadsheet.training.datasets import DEV, find_datasets
from broadsheet.training.options import SHIPPED_START, TrainingOptions, check_options, check_packages, load_trainer
from broadsheet.training.pages import describe_data


@dataclass(frozen=True, slots=True)
class WeightsComparison:
    """The weights before and after a training, measured on the held-out pages."""

    model: str
    pages: int
    before: str  # "shipped", or a folder
    after: str
    measures: tuple[MeasureChange, ...]


def retrain(folder: Path, start: str) -> WeightsComparison:
    """Fine-tune the model on the pages of a run, and compare. Raises BroadsheetError."""
    options = TrainingOptions(
        data=folder / "pages.jsonl",
        output=folder / "weights" / MODEL,
        work=folder / "work",
        start=start,
        report=lambda line: print(line, flush=True),
    )
    check_options(MODEL, options)
    check_packages(MODEL)
    options.work.mkdir(parents=True, exist_ok=True)
    for line in describe_data(options):
        options.report(line)
    load_trainer(MODEL)(options)
    options.report(f"wrote {options.output}")
    return compare_trained(options)


def compare_trained(options: TrainingOptions) -> WeightsComparison:
    """Evaluate the old and the new weights on the dev pages."""
    pages = options.work / "held-out.jsonl"
    count = _write_pages(pages, options)
    before = None if options.start in {None, SHIPPED_START} else Path(options.start or "")
    own_weights = find_own_weights([options.output])
    model = own_weights.method or next(iter(own_weights.folders))
    changes = compare_weights(pages, options.output, before, lambda _: None)
    return WeightsComparison(model, count, str(before or SHIPPED_START), str(options.output), tuple(changes))


def _write_pages(path: Path, options: TrainingOptions) -> int:
    """Write the dev pages into one file of JSON Lines; return their number."""
    count = 0
    with write_atomically(path) as file:
        for dataset in find_datasets(options.data, DEV, skipped=options.skipped):
            for record in dataset.read():
                file.write(json.dumps(_to_json(record), ensure_ascii=False) + "\n")
                count += 1
    return count


def _to_json(record: Record) -> dict[str, object]:
    values = {name: value for name, value in asdict(record).items() if value is not None}
    html = record.html if isinstance(record.html, str) else decode_page(record.html).text
    return {**{name.rstrip("_"): value for name, value in values.items()}, "html": html}


def main() -> None:
    """Run a retraining, and write its outcome."""
    folder = Path(sys.argv[1])
    try:
        outcome = Outcome(comparison=asdict(retrain(folder, sys.argv[2])))
    except BroadsheetError as error:
        outcome = Outcome(error=str(error))
    with write_atomically(folder / OUTCOME_FILE) as file:
        json.dump(asdict(outcome), file)


if __name__ == "__main__":
    main()
