"""Fusion, the default: beside all peers, whether it knows what is an article, and whether it knows how good it is.

python benchmarks/fusion.py peers         every set of docs/methods/fusion.md: F1, and the error beside the best peer's
python benchmarks/fusion.py verdict       metahtml.bench: articles and others, told apart
python benchmarks/fusion.py calibration   bench: expected against measured F1, ten steps, and the error

`peers` takes what it can from the cache of `broadsheet eval`; peers must be installed (`make peers`).
"""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

import broadsheet
from broadsheet.article import Status
from broadsheet.corpora import Record, read_corpus
from broadsheet.corpora.headline import drop_headline, find_headlines
from broadsheet.evaluation.measures.word import score_words
from broadsheet.page import read_page
from broadsheet.text import split_words
from broadsheet.training.fusion.verdict import measure_calibration

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
BENCH = ("dragnet.bench", "big5-13.bench", "cleanportaleval.bench", "cleaneval.bench")
DEV = ("wcxb.dev", "daniel.dev", "aed.dev", "fundus.dev", "chaos.dev")
PEERS = "trafilatura,trafilatura-fast,readability,magic-html,rs-trafilatura,newspaper4k,resiliparse,justext,boilerpy3"
MEASURES = ("shingle_f1", "word_f1")
STEPS = 10


def compare_with_peers() -> None:
    """Print F1 of fusion and of the best peer, and how large our error is beside its own."""
    print("| set | measure | fusion | best peer | | error ratio |")
    print("|---|---|---:|---|---:|---:|")
    for name in (*BENCH, *DEV):
        with TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "broadsheet", "eval", str(_keep_articles(name, Path(folder)))]
            done = subprocess.run([*command, "-m", "fusion", "-p", PEERS, "--json"], check=True, capture_output=True)
        report = json.loads(done.stdout)
        for measure in MEASURES:
            means = {each["name"]: each["figures"][measure]["value"] for each in report["methods"]}
            own = means.pop("fusion")
            best = max(means, key=lambda peer: means[peer])
            ratio = (1 - own) / (1 - means[best])
            print(f"| {name} | {measure} | {own:.3f} | {best} | {means[best]:.3f} | {ratio:.2f} |", flush=True)


def _keep_articles(name: str, folder: Path) -> Path:
    """The file of a set; of wcxb, half of whose pages are other things, one with its articles alone."""
    path = DATA / f"{name}.jsonl.xz"
    if not name.startswith("wcxb"):
        return path
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        kept = [line for line in lines if json.loads(line)["page_type"] == "article"]
    chosen = folder / f"{name}.jsonl"
    chosen.write_text("".join(kept), "utf-8")
    return chosen


def judge_articles() -> None:
    """Print how many articles are known as such, and how many of the other pages."""
    right: dict[bool, list[bool]] = {True: [], False: []}
    for record in read_corpus(DATA / "metahtml.bench.jsonl.xz"):
        if record.page_type in ("article", "other"):
            is_article = record.page_type == "article"
            status = broadsheet.extract(record.html, url=record.url).status
            right[is_article].append((status is not Status.NOT_ARTICLE) == is_article)
    shares = {kind: float(np.mean(found)) for kind, found in right.items()}
    print(f"articles known as such {shares[True]:.3f} of {len(right[True])}")
    print(f"others known as such   {shares[False]:.3f} of {len(right[False])}")
    print(f"balanced accuracy      {np.mean(list(shares.values())):.3f}")


def calibrate() -> None:
    """Print the calibration curve: pages by what was expected of them, and what came."""
    found = np.array([pair for name in BENCH for pair in _expect(name)])
    expected, scores = found.T
    place = np.minimum((expected * STEPS).astype(int), STEPS - 1)
    print("| expected | pages | mean expected | mean word F1 |")
    print("|---|---:|---:|---:|")
    for step in range(STEPS):
        here = place == step
        if here.any():
            edges = f"{step / STEPS:.1f} to {(step + 1) / STEPS:.1f}"
            print(f"| {edges} | {here.sum()} | {expected[here].mean():.3f} | {scores[here].mean():.3f} |")
    print(f"\nexpected calibration error {measure_calibration(expected, scores, STEPS):.3f} over {len(found)} pages")


def _expect(name: str) -> Iterator[tuple[float, float]]:
    own = []
    for record in read_corpus(DATA / f"{name}.jsonl.xz"):
        article = broadsheet.extract(record.html, url=record.url)
        own.append((article.confidence, _score(record, article.text)))
    expected, scores = np.array(own).T
    print(
        f"{name}: expected {expected.mean():.3f}, measured {scores.mean():.3f}, "
        f"error {measure_calibration(expected, scores, STEPS):.3f}, rank correlation {_correlate(expected, scores):.2f}"
    )
    yield from own


def _score(record: Record, text: str) -> float:
    headlines = find_headlines(read_page(record.html, url=record.url), record.title)
    pair = (split_words(drop_headline(each, headlines)) for each in (text, record.text or ""))
    return score_words(*pair).f1


def _correlate(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    ranks = np.stack([np.argsort(np.argsort(each)) for each in (one, other)])
    return float(np.asarray(np.corrcoef(ranks))[0, 1])


COMMANDS = {"peers": compare_with_peers, "verdict": judge_articles, "calibration": calibrate}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]]()
