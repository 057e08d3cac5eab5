"""Fit and measure the scores of article addresses (`broadsheet.discovery.scoring`).

    python -m benchmarks.article_links --data FOLDER [--write]

The addresses of labelled pages are known to be articles or not. The first model sees an address only. The second sees
the links on labelled pages that lead to such an address: the address and the place of the link. Fitted on train,
measured on dev and bench, whose sites are others. `--write` writes the weights to weights.py.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from broadsheet.discovery import addresses
from broadsheet.discovery.addresses import ADDRESS_FEATURES, clean_address, make_key, measure_address
from broadsheet.discovery.links import PLACE_FEATURES, list_links
from broadsheet.errors import BroadsheetError
from broadsheet.page import host_of, read_page

_NEWS_SETS = frozenset(
    "l3s-gn1 daniel fundus aed big5-05 big5-09 big5-13 chaos postlight htmldate trafilatura newspaper4k".split()
)
_MAX_LINKS_PER_TARGET = 3
_SPLITS = ("train", "dev", "bench")


@dataclass(frozen=True, slots=True)
class Rows:
    """Features and labels of one split."""

    features: np.ndarray  # [rows, features]
    labels: np.ndarray  # [rows], 1 for an article


def read_records(data: Path) -> Iterator[dict[str, Any]]:
    """Yield the pages that have an address."""
    for path in sorted(data.glob("*.jsonl.xz")):
        if path.name.startswith("desk"):
            continue  # pages of the other sets
        with lzma.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                record = json.loads(line)
                if record.get("url"):
                    yield record


def find_label(record: dict[str, Any]) -> int | None:
    """Return 1 for an article, 0 for another page, None if unknown."""
    kind = record.get("page_type")
    if kind:
        return int(kind == "article")
    return 1 if record["dataset"] in _NEWS_SETS else None


def collect(data: Path) -> tuple[dict[str, Rows], dict[str, Rows]]:
    """Return the rows of addresses and of links by split."""
    known: dict[str, tuple[int, str]] = {}
    hosts: Counter[str] = Counter()
    addresses: dict[str, list[tuple[tuple[float, ...], int]]] = {split: [] for split in _SPLITS}
    for record in read_records(data):
        label, key = find_label(record), make_key(record["url"])
        if label is not None and key not in known:
            known[key] = (label, record["split"])
            hosts[host_of(record["url"])] += 1
            addresses[record["split"]].append((measure_address(clean_address(record["url"])), label))
    links: dict[str, list[tuple[tuple[float, ...], int]]] = {split: [] for split in _SPLITS}
    counts: dict[str, int] = {}
    for record in read_records(data):
        page_key = make_key(record["url"])
        if hosts[host_of(record["url"])] < 2:
            continue  # links to other sites are rare
        try:
            page = read_page(record["html"], url=record["url"])
        except BroadsheetError:
            continue
        for link in list_links(page):
            key = make_key(link.address)
            if key in known and key != page_key and counts.get(key, 0) < _MAX_LINKS_PER_TARGET:
                counts[key] = counts.get(key, 0) + 1
                label, split = known[key]
                links[split].append(((*measure_address(clean_address(link.address)), *link.features), label))
    return _to_rows(addresses), _to_rows(links)


def _to_rows(pairs: dict[str, list[tuple[tuple[float, ...], int]]]) -> dict[str, Rows]:
    return {
        split: Rows(np.array([features for features, _ in rows]), np.array([label for _, label in rows]))
        for split, rows in pairs.items()
    }


def fit(rows: Rows) -> np.ndarray:
    """Return the bias and the weights, with both classes weighted alike."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1.0, max_iter=2000, class_weight="balanced").fit(rows.features, rows.labels)
    return np.concatenate([model.intercept_, model.coef_[0]])


def measure(weights: np.ndarray, rows: Rows) -> str:
    """Describe precision, recall, F1 and area under the curve."""
    from sklearn.metrics import precision_recall_fscore_support, roc_auc_score

    logits = weights[0] + rows.features @ weights[1:]
    precision, recall, f1, _ = precision_recall_fscore_support(rows.labels, logits >= 0, average="binary")
    counts = f"{int(rows.labels.sum()):5d} articles {int((1 - rows.labels).sum()):5d} others"
    area = roc_auc_score(rows.labels, logits)
    return f"{counts}  precision {precision:.3f} recall {recall:.3f} F1 {f1:.3f} AUC {area:.3f}"


def write_weights(address: Sequence[float], link: Sequence[float]) -> None:
    """Write the weights to weights.py."""
    names = {
        "ADDRESS_WEIGHTS": ("bias", *ADDRESS_FEATURES),
        "LINK_WEIGHTS": ("bias", *ADDRESS_FEATURES, *PLACE_FEATURES),
    }
    lines = ['"""Weights of the scores, by feature. Written by benchmarks/article_links.py; do not edit."""', ""]
    for (name, features), weights in zip(names.items(), (address, link), strict=True):
        lines += [f"{name} = {{"]
        lines += [f'    "{feature}": {weight:.2f},' for feature, weight in zip(features, weights, strict=True)]
        lines += ["}"]
    Path(addresses.__file__).with_name("weights.py").write_text("\n".join(lines) + "\n", "utf-8")


def main() -> None:
    """Fit, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="write the weights to weights.py")
    arguments = parser.parse_args()
    addresses, links = collect(arguments.data)
    fitted = {}
    for name, rows, features in (
        ("addresses", addresses, ADDRESS_FEATURES),
        ("links", links, (*ADDRESS_FEATURES, *PLACE_FEATURES)),
    ):
        fitted[name] = weights = fit(rows["train"])
        for split in _SPLITS:
            print(f"{name:9} {split:5} {measure(weights, rows[split])}")
        for feature, weight in zip(("bias", *features), weights, strict=True):
            print(f"  {feature:20} {weight:+.2f}")
    if arguments.write:
        write_weights(fitted["addresses"].tolist(), fitted["links"].tolist())


if __name__ == "__main__":
    main()
