"""SemText's tables of docs/methods/semtext.md.

python benchmarks/semtext.py blocks       block P/R/F1 on cleaneval.bench and dragnet.bench, peers in the same run
python benchmarks/semtext.py forums       long pages: forum pages of wcxb.dev, with and without overlap
python benchmarks/semtext.py speed        milliseconds of the processor a page on one thread, by step
python benchmarks/semtext.py ablations    text; with tags; with class names (needs the extra 'train', some minutes)
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, median

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is loaded

import numpy as np

from broadsheet.api import extract
from broadsheet.blocks import CONTENT_ROLES, segment
from broadsheet.corpora import align_text, read_corpus
from broadsheet.corpora.headline import drop_headline
from broadsheet.embeddings import load_words
from broadsheet.evaluation.gold import Gold, read_gold
from broadsheet.evaluation.measures.block import Hits, count_blocks
from broadsheet.evaluation.peers import adapters
from broadsheet.methods.apply import label_blocks
from broadsheet.methods.semtext import Semtext
from broadsheet.methods.semtext.features import compute_features
from broadsheet.methods.semtext.inputs import SemtextInput
from broadsheet.methods.semtext.network import find_probabilities
from broadsheet.methods.semtext.strings import find_units, read_strings
from broadsheet.models.weights import SHIPPED
from broadsheet.page import read_page

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
CLEANEVAL = SHIPPED / "semtext-cleaneval" / "1"
Keeper = Callable[[Gold], Sequence[bool]]


def main() -> None:
    tables = {"blocks": print_blocks, "forums": print_forums, "speed": print_speed, "ablations": print_ablations}
    if len(sys.argv) != 2 or sys.argv[1] not in tables:
        sys.exit(__doc__)
    if not DATA.exists():
        sys.exit(f"{DATA} is missing: the benchmark needs the labelled pages")
    tables[sys.argv[1]]()


def print_blocks() -> None:
    logging.disable()  # boilerpy3 complains of every other page
    keepers: dict[str, Keeper] = {
        "semtext": keep_by(Semtext()),
        "semtext, tuned for CleanEval": keep_by(Semtext(weights=CLEANEVAL)),
        "boilerpy3": keep_by_peer("boilerpy3"),
        "jusText": keep_by_peer("justext"),
    }
    for name in ("cleaneval.bench", "dragnet.bench"):
        print(f"\n| {name} | block P | R | F1 |\n|---|---:|---:|---:|")
        print_rows(keepers, read_pages(name))


def print_forums() -> None:
    shipped = Semtext()
    config = shipped.config
    ways = {
        "split at 85, labelled apart (as published)": replace(config, max_blocks=85, overlap=0),
        "the whole page at once": replace(config, max_blocks=10**9, overlap=1),
        **{
            f"split at {size}, overlap {overlap}, one chain": replace(config, max_blocks=size, overlap=overlap)
            for size, overlap in ((85, 8), (85, 32), (128, 16), (128, 32), (128, 64))
        },
    }
    keepers = {name: keep_by(Semtext(own)) for name, own in ways.items()}
    pages = list(read_pages("wcxb.dev"))
    for title, chosen in {
        "forum pages": [gold for gold in pages if gold.record.page_type == "forum"],
        "pages of more than 170 blocks": [gold for gold in pages if gold.blocks is not None and len(gold.blocks) > 170],
    }.items():
        print(f"\n| wcxb.dev: {len(chosen)} {title} | block P | R | F1 |\n|---|---:|---:|---:|")
        print_rows(keepers, iter(chosen))


def print_rows(keepers: dict[str, Keeper], pages: Iterator[Gold]) -> None:
    hits: dict[str, list[Hits]] = {name: [] for name in keepers}
    for gold in pages:
        for name, keep in keepers.items():
            hits[name].append(count_blocks(keep(gold), gold.in_text, gold.ignored))
    for name, found in hits.items():
        right, extra, missed = (sum(getattr(own, part) for own in found) for part in ("right", "extra", "missed"))
        precision, recall = right / max(right + extra, 1), right / max(right + missed, 1)
        f1 = 2 * right / max(2 * right + extra + missed, 1)
        print(f"| {name} | {precision:.3f} | {recall:.3f} | {f1:.3f} |")


def read_pages(name: str) -> Iterator[Gold]:
    for record in read_corpus(DATA / f"{name}.jsonl.xz"):
        gold = read_gold(record)
        if record.text and gold.blocks is not None:
            yield gold


def keep_by(method: Semtext) -> Keeper:
    def keep(gold: Gold) -> list[bool]:
        article = extract(gold.record.html, url=gold.record.url, method=method)
        assert article.labels is not None
        return [role in CONTENT_ROLES for role in article.labels.roles]

    return keep


def keep_by_peer(name: str) -> Keeper:
    def keep(gold: Gold) -> list[bool]:
        assert gold.blocks is not None
        values = adapters.call(adapters.ADAPTERS[name], str(gold.record.html), gold.record.url, gold.record.lang)
        return align_text(gold.blocks.text, drop_headline(values.get("text") or "", gold.headlines))

    return keep


def print_speed() -> None:
    method = Semtext()
    steps: dict[str, list[float]] = {}
    for name in ("big5-13.bench", "dragnet.bench", "wcxb.dev", "cleaneval.bench"):
        records = list(read_corpus(DATA / f"{name}.jsonl.xz"))[::2][:80]
        for record in records[:10]:
            extract(record.html, method=method)
        for record in records:
            for step, seconds in time_steps(record.html, method).items():
                steps.setdefault(step, []).append(1000 * seconds)
    print("| step | median ms | mean |\n|---|---:|---:|")
    for step, values in steps.items():
        print(f"| {step} | {median(values):.2f} | {mean(values):.2f} |")


def time_steps(html: str | bytes, method: Semtext) -> dict[str, float]:
    network, config = method.network, method.config
    clock = [time.process_time()]
    page = read_page(html)
    blocks = segment(page)
    clock.append(time.process_time())
    if not len(blocks):
        return {}
    strings = read_strings(page, blocks, config)
    clock.append(time.process_time())
    units = np.asarray(find_units(blocks, config), np.intp)
    features = compute_features(page, blocks, units, strings)
    clock.append(time.process_time())
    inputs = SemtextInput(units, strings, features if config.has_features else None)
    find_probabilities(network, inputs, load_words().vectors)
    clock.append(time.process_time())
    label_blocks(method, page, blocks)
    clock.append(time.process_time())
    extract(html, method=method).text  # noqa: B018
    clock.append(time.process_time())
    names = (
        "parse and segment",
        "word strings",
        "features",
        "network",
        "all of the method",
        "extract, page to text",
    )
    return dict(zip(names, np.diff(clock).tolist(), strict=True))


def print_ablations() -> None:
    from broadsheet.training.options import TrainingOptions
    from broadsheet.training.semtext.ablations import run_ablations

    with tempfile.TemporaryDirectory() as folder:
        work = Path(os.environ.get("SEMTEXT_WORK", folder))
        run_ablations(TrainingOptions(data=DATA, output=work / "out", work=work, limit=60))


if __name__ == "__main__":
    main()
