"""`broadsheet train --compare`: the weights before and after training, on pages that were held out."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from broadsheet.atomic import write_atomically
from broadsheet.corpora import Record
from broadsheet.errors import UsageError
from broadsheet.evaluation.before_after import compare_weights, write_table
from broadsheet.evaluation.contenders import find_baseline
from broadsheet.models.weights import find_own_weights
from broadsheet.page.decode import decode_page
from broadsheet.training.datasets import DEV, find_datasets
from broadsheet.training.options import SHIPPED_START, TrainingOptions

_INCOMPARABLE = ("words",)  # no method takes other word vectors than the shipped ones


def check_comparison(model: str, options: TrainingOptions) -> None:
    """Raise UsageError if a model cannot be compared, or if training replaces the weights to compare with."""
    if model in _INCOMPARABLE:
        raise UsageError(f"--compare is not possible for {model}: no method can use other {model}; leave it out")
    if options.start not in {None, SHIPPED_START} and Path(options.start or "").resolve() == options.output.resolve():
        raise UsageError(
            f"--compare needs the weights of {options.start}, which training replaces; name another folder with -o"
        )


def print_comparison(options: TrainingOptions, *, is_json: bool = False) -> None:
    """Evaluate the old and the new weights on the dev pages, and print a table or JSON."""
    pages = options.work / "held-out.jsonl"
    count = _write_pages(pages, options)
    before = None if options.start in {None, SHIPPED_START} else Path(options.start or "")
    own_weights = find_own_weights([options.output])
    model = own_weights.method or next(iter(own_weights.folders))
    changes = compare_weights(pages, options.output, before, lambda _: None)
    if is_json:
        facts = {"model": model, "pages": count, "before": str(before or SHIPPED_START), "after": str(options.output)}
        print(json.dumps({**facts, "measures": list(map(asdict, changes))}, ensure_ascii=False, indent=2))
        return
    baseline = find_baseline(model)
    shipped = "shipped weights" if baseline == model else f"shipped weights of {baseline}"
    print(f"{model} on {count} held-out pages: {before or shipped} before, {options.output} after")
    for line in write_table(changes):
        print(line)


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
