"""SemText: long pages, speed and inputs. The tables of the paper: python -m benchmarks.papers semtext.

    python -m benchmarks.semtext forums       long pages: forum pages of wcxb.dev with different windows
    python -m benchmarks.semtext speed        milliseconds of processor time per page by step, on one thread
    python -m benchmarks.semtext ablations    inputs switched off (needs the extra 'train'; some minutes)

The folder of `ablations` for cached features and checkpoints can be set by the environment variable SEMTEXT_WORK.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

import numpy as np

from benchmarks.harness import Data, Stopwatch, Table, open_peer, run_command
from broadsheet.api import extract
from broadsheet.blocks import CONTENT_ROLES, segment
from broadsheet.corpora import Record, align_text
from broadsheet.corpora.align import drop_headline
from broadsheet.evaluation.measures import Hits, Score, count_blocks
from broadsheet.evaluation.scores import Gold, read_gold
from broadsheet.methods.apply import label_blocks
from broadsheet.methods.semtext import Semtext
from broadsheet.methods.semtext.features import SemtextInput, compute_features
from broadsheet.methods.semtext.network import find_probabilities
from broadsheet.methods.semtext.words import find_units, read_strings
from broadsheet.models.words import load_words
from broadsheet.page import read_page

LONG_PAGE_BLOCKS = 170
SPEED_SETS = ("big5-13.bench", "dragnet.bench", "wcxb.dev", "cleaneval.bench")
SPEED_PAGES = 80  # of each set, every second one
WARM_UP_PAGES = 10
SAMPLES = 1000  # of a bootstrap
ABLATION_PAGES = 60  # of each dataset

Labeller = Callable[[Gold], Sequence[bool]]  # returns whether each block is article text


def print_forums(data: Data) -> None:
    """Print the effect of windows and their overlap on long pages."""
    config = Semtext().network.config
    configs = {
        "windows of 85, labelled separately (as published)": replace(config, max_blocks=85, overlap=0),
        "one window per page": replace(config, max_blocks=10**9, overlap=1),
        **{
            f"windows of {size}, overlap {overlap}, one chain": replace(config, max_blocks=size, overlap=overlap)
            for size, overlap in ((85, 8), (85, 32), (128, 16), (128, 32), (128, 64))
        },
    }
    labellers = {name: label_by_method(Semtext(config)) for name, config in configs.items()}
    pages = list(read_pages(data, "wcxb.dev"))
    forums = [gold for gold in pages if gold.record.page_type == "forum"]
    long_pages = [gold for gold in pages if len(gold.in_text) > LONG_PAGE_BLOCKS]
    print_scores(f"wcxb.dev: {len(forums)} forum pages", labellers, forums)
    print_scores(f"wcxb.dev: {len(long_pages)} pages of more than {LONG_PAGE_BLOCKS} blocks", labellers, long_pages)


def print_scores(
    title: str,
    labellers: Mapping[str, Labeller],
    pages: Iterable[Gold],
    printed: Mapping[str, tuple[float, float, float]] | None = None,
) -> dict[str, Score]:
    """Print and return block precision, recall and F1: every block of the set counts the same.

    `printed` are rows of the paper.
    """
    hits: dict[str, list[Hits]] = {name: [] for name in labellers}
    for gold in pages:
        for name, label in labellers.items():
            hits[name].append(count_blocks(label(gold), gold.in_text, gold.ignored))
    table = Table(title, "block P", "R", "F1, 95 % interval")
    scores = {name: _sum_hits(counts) for name, counts in hits.items()}
    for name, score in scores.items():
        half = _measure_half_interval(hits[name])
        digits = 3 if half <= 0.015 else 2
        table.add(name, score.precision, score.recall, f"{score.f1:.{digits}f} ± {half:.{digits}f}", digits=digits)
    for name, figures in (printed or {}).items():
        table.add(f"paper: {name}", *figures)
    return scores


def _sum_hits(counts: Sequence[Hits]) -> Score:
    right, extra, missed = (sum(getattr(hit, part) for hit in counts) for part in ("right", "extra", "missed"))
    return Score(right / max(right + extra, 1), right / max(right + missed, 1))


def _measure_half_interval(counts: Sequence[Hits]) -> float:
    """Return half of the 95 % interval of the F1 of all blocks, by a bootstrap over pages."""
    table = np.array([(hit.right, hit.extra, hit.missed) for hit in counts])
    samples = np.random.default_rng(0).integers(0, len(table), (SAMPLES, len(table)))
    right, extra, missed = table[samples].sum(axis=1).T
    f1 = 2 * right / np.maximum(2 * right + extra + missed, 1)
    return float(np.diff(np.quantile(f1, (0.025, 0.975)))[0] / 2)


def read_pages(data: Data, name: str) -> Iterator[Gold]:
    for record in data.read(name):
        gold = read_gold(record)
        if record.text and gold.blocks is not None:
            yield gold


def label_by_method(method: Semtext) -> Labeller:
    def label(gold: Gold) -> list[bool]:
        article = extract(gold.record.html, url=gold.record.url, method=method)
        assert article.labels is not None
        return [role in CONTENT_ROLES for role in article.labels.roles]

    return label


def label_by_peer(name: str) -> Labeller:
    extract_text = open_peer(name)

    def label(gold: Gold) -> list[bool]:
        assert gold.blocks is not None
        return align_text(gold.blocks.text, drop_headline(extract_text(gold.record), gold.headlines))

    return label


def print_speed(data: Data) -> None:
    """Print the processor time of the steps."""
    method, watch = Semtext(), Stopwatch()
    for name in SPEED_SETS:
        records = list(data.read(name))[::2][:SPEED_PAGES]
        for record in records[:WARM_UP_PAGES]:
            extract(record.html, method=method)
        for record in records:
            time_steps(record, method, watch)
    watch.print()


def time_steps(record: Record, method: Semtext, watch: Stopwatch) -> None:
    network, config = method.network, method.config
    with watch.step("parse and segment"):
        page = read_page(record.html)
        blocks = segment(page)
    if not len(blocks):
        return
    with watch.step("word strings"):
        strings = read_strings(page, blocks, config)
    with watch.step("features"):
        units = np.asarray(find_units(blocks, config), np.intp)
        features = compute_features(page, blocks, units, strings)
    with watch.step("network"):
        inputs = SemtextInput(units, strings, features if config.has_features else None)
        find_probabilities(network, inputs, load_words().vectors)
    with watch.step("whole method"):
        label_blocks(method, page, blocks)
    with watch.step("extract, page to text"):
        _ = extract(record.html, method=method).text


def print_ablations(data: Data) -> None:
    """Train networks without some of the inputs, and print their scores on dev pages."""
    from benchmarks.semtext_ablations import run_ablations
    from broadsheet.training.options import TrainingOptions

    with tempfile.TemporaryDirectory() as folder:
        work = Path(os.environ.get("SEMTEXT_WORK", folder))
        run_ablations(TrainingOptions(data.folder, work / "out", work, limit=data.limit or ABLATION_PAGES))


if __name__ == "__main__":
    run_command(
        __doc__,
        {"forums": print_forums, "speed": print_speed, "ablations": print_ablations},
    )
