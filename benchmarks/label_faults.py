"""Suspected faults of gold texts: pages on which three independent methods agree, and the gold text does not.

    python -m benchmarks.label_faults                        write benchmarks/label_faults.json: kind -> ids of pages
    python -m benchmarks.label_faults --splits dev           only pages of these splits

The methods are fusion, visual and semtext, which use different evidence. A part of a page is a suspected fault if all
three keep it and the gold text does not contain it, or the other way round, and if it is long: at least 300 characters
and a tenth of the gold text. Pages that are labelled with all roles are not searched. The file contains ids only.

The methods are ours: leaving these pages out favours them over other extractors. They have learned from the pages of
train: label_faults_train.json lists those that networks of other sites contradict (docs/lab/fusion.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Data, make_parser, parse_data
from broadsheet.atomic import write_atomically
from broadsheet.blocks import CONTENT_ROLES
from broadsheet.corpora import Record
from broadsheet.methods import load_method
from broadsheet.methods.fusion.train_labels import has_all_roles
from broadsheet.training.pages import LabelledPage, label_page

METHODS = ("fusion", "visual", "semtext")
MIN_CHARS = 300
MIN_SHARE = 0.1  # of the gold text
MIN_GOLD_RECALL = 0.8
FAULTS = Path(__file__).parent / "label_faults.json"


def find_fault(record: Record) -> str | None:
    """Return the kind of the suspected fault of a gold text; None if there is none, or if all roles are labelled."""
    if has_all_roles(record):
        return None
    if record.gold_recall is not None and record.gold_recall < MIN_GOLD_RECALL:
        return "text is not on the page"
    labelled = label_page(record)
    in_text = np.array(labelled.in_text, bool)
    if not in_text.any():
        return "text is not on the page"
    chars = np.fromiter(map(len, labelled.blocks.text), np.int64, len(in_text))
    kept = np.stack([_find_kept(labelled, method) for method in METHODS])
    is_missing, is_extra = kept.all(axis=0) & ~in_text, in_text & ~kept.any(axis=0)
    gold = np.flatnonzero(in_text)
    index = np.arange(len(in_text))
    parts = {
        "stops early": is_missing & (index > gold[-1]),
        "starts late": is_missing & (index < gold[0]),
        "leaves a gap": is_missing & (index > gold[0]) & (index < gold[-1]),
        "contains other text": is_extra,
    }
    sizes = {kind: int(chars[part].sum()) for kind, part in parts.items()}
    kind = max(sizes, key=sizes.__getitem__)
    is_long = sizes[kind] >= MIN_CHARS and sizes[kind] >= MIN_SHARE * int(chars[in_text].sum())
    return kind if is_long else None


def _find_kept(labelled: LabelledPage, method: str) -> NDArray[np.bool_]:
    labels = load_method(method).label(labelled.page, labelled.blocks)
    return np.array([role in CONTENT_ROLES for role in labels.roles])


def read_faults() -> dict[str, str]:
    """Return the kind of suspected fault by the id of the page."""
    by_kind: dict[str, list[str]] = json.loads(FAULTS.read_text("utf-8"))
    return {page_id: kind for kind, ids in by_kind.items() for page_id in ids}


def _list_records(data: Data, splits: Sequence[str]) -> Iterator[Record]:
    for split in splits:
        for path in sorted(data.folder.glob(f"*.{split}.jsonl.xz")):
            print(path.name, flush=True)
            yield from (record for record in data.read(path.name.removesuffix(".jsonl.xz")) if record.text)


def main() -> None:
    """Find the suspected faults of all sets and write their ids."""
    parser = make_parser(__doc__)
    parser.add_argument("--splits", default="bench,dev", metavar="A,B", help="splits to search")
    options = parser.parse_args()
    by_kind: dict[str, list[str]] = {}
    for record in _list_records(parse_data(options), options.splits.split(",")):
        kind = find_fault(record)
        if kind:
            by_kind.setdefault(kind, []).append(record.id)
    with write_atomically(FAULTS) as file:
        json.dump({kind: sorted(by_kind[kind]) for kind in sorted(by_kind)}, file, indent=1)
    for kind, ids in sorted(by_kind.items()):
        print(f"{kind}: {len(ids)}")


if __name__ == "__main__":
    main()
