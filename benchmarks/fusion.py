"""Fusion, the default method: quality beside all peers, recognition of articles, and calibration of its confidence.

    python -m benchmarks.fusion peers         F1 on every set of docs/methods/fusion.md, on both rounds of desk.dev and
                                              all page types of wcxb.dev, beside trafilatura and the best peer
    python -m benchmarks.fusion reliable      the same without the pages of benchmarks/label_faults.json
    python -m benchmarks.fusion verdict       metahtml.bench: recall of articles and of other pages
    python -m benchmarks.fusion calibration   bench sets: confidence against measured F1 in ten bins
    python -m benchmarks.fusion comments      dev sets: precision and recall of comments, and pages without comments
    python -m benchmarks.fusion tables        dev and bench sets: share of the tables in the gold text that lose words
    python -m benchmarks.fusion empty         dev and bench sets: pages with prose and an empty text

`peers` uses the cache of `broadsheet eval`; the peers must be installed (`make peers`).
"""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import broadsheet
from benchmarks.harness import Data, Table, run_command
from benchmarks.label_faults import read_faults
from broadsheet.article import Status
from broadsheet.article.frames import is_data_table
from broadsheet.blocks import segment
from broadsheet.corpora import Record
from broadsheet.corpora.align import drop_headline
from broadsheet.evaluation.measures import score_shingles, score_words
from broadsheet.evaluation.peer_adapters import ADAPTERS, call
from broadsheet.evaluation.peers import PEERS as PEER_TABLE
from broadsheet.evaluation.scores import read_gold
from broadsheet.methods.fusion.train_forests import measure_calibration
from broadsheet.page import read_page
from broadsheet.text import split_words

BENCH_SETS = ("dragnet.bench", "big5-13.bench", "cleanportaleval.bench", "cleaneval.bench")
DEV_SETS = ("daniel.dev", "aed.dev", "fundus.dev", "chaos.dev", "dragnet.dev", "l3s-gn1.dev")
PEERS = "trafilatura,trafilatura-fast,readability,magic-html,rs-trafilatura,newspaper4k,resiliparse,justext,boilerpy3"
COMMENT_SETS = ("desk.dev", "dragnet.dev", "l3s-gn1.dev")
TABLE_SETS = ("desk.dev", *DEV_SETS, "wcxb.dev", *BENCH_SETS)
MIN_KEPT_SHARE = 0.8  # of the words of a table that are in the gold text, if the gold keeps the table
MAX_LOST_SHARE = 0.03  # of these words
MIN_TABLE_WORDS = 10
MIN_PROSE_CHARS = 600  # of visible text in <p>
MEASURES = ("shingle_f1", "word_f1", "exact")
BINS = 10

Floats = NDArray[np.float64]


class Subset(NamedTuple):
    """The pages of a set, or those of them with a value in a field of the record."""

    name: str
    field: str = ""
    value: str | int = ""

    def __str__(self) -> str:
        return f"{self.name}, {self.field} {self.value}" if self.field else self.name


DESK_ROUNDS = tuple(Subset("desk.dev", "round", number) for number in (2, 3))  # of labelling
WCXB_TYPES = tuple(
    Subset("wcxb.dev", "page_type", page_type)
    for page_type in ("article", "documentation", "forum", "product", "service", "listing", "collection")
)
FORUM = Subset("wcxb.dev", "page_type", "forum")


def compare_with_peers(data: Data, excluded: Collection[str] = ()) -> None:
    """Print the F1 of fusion, of trafilatura and of the best peer, and the ratio of the errors to the best peer."""
    table = Table("set", "pages", "measure", "fusion", "trafilatura", "best peer", "its F1", "error ratio")
    for subset in (*map(Subset, BENCH_SETS), *DESK_ROUNDS, *map(Subset, DEV_SETS), *WCXB_TYPES):
        evaluate = _evaluate_threads if subset == FORUM else _evaluate
        pages, means = evaluate(data, subset, excluded)
        for measure in MEASURES:
            fusion_mean = means[measure].pop("fusion")
            peer = max(means[measure], key=means[measure].__getitem__)
            peer_mean = means[measure][peer]
            ratio = f"{(1 - fusion_mean) / (1 - peer_mean):.2f}" if peer_mean < 1 else ""
            trafilatura = means[measure]["trafilatura"]
            table.add(str(subset), str(pages), measure, fusion_mean, trafilatura, peer, peer_mean, ratio)


def compare_on_reliable_pages(data: Data) -> None:
    """Do the same without pages whose gold text is probably wrong."""
    compare_with_peers(data, read_faults())


def _evaluate(data: Data, subset: Subset, excluded: Collection[str]) -> tuple[int, dict[str, dict[str, float]]]:
    """Run `broadsheet eval`. Returns the number of pages with a gold text, and the means by measure and contender."""
    with TemporaryDirectory() as folder:
        path = _select_pages(data, subset, excluded, Path(folder))
        limit = [] if data.limit is None else ["--limit", str(data.limit)]
        command = [sys.executable, "-m", "broadsheet", "eval", str(path), "-m", "fusion", "-p", PEERS, "--json"]
        done = subprocess.run([*command, *limit], check=True, stdout=subprocess.PIPE)
    contenders = json.loads(done.stdout)["methods"]
    means = {
        measure: {contender["name"]: contender["figures"][measure]["value"] for contender in contenders}
        for measure in MEASURES
    }
    return contenders[0]["figures"][MEASURES[0]]["pages"], means


def _evaluate_threads(data: Data, subset: Subset, excluded: Collection[str]) -> tuple[int, dict[str, dict[str, float]]]:
    """Score text and comments together, of all contenders: the gold text of a thread has the replies, too.

    Peers that need an environment of their own are left out.
    """
    scores: defaultdict[str, list[tuple[float, ...]]] = defaultdict(list)
    pages = 0
    for record in data.read(subset.name):
        if record.page_type != subset.value or record.id in excluded or not record.text:
            continue
        gold = read_gold(record)
        pages += 1
        for name, text in _read_threads(record).items():
            words = split_words(drop_headline(text, gold.headlines))
            columns = score_shingles(words, gold.words).f1, score_words(words, gold.words).f1
            scores[name].append((*columns, float(words == gold.words)))
    means = {name: np.mean(values, axis=0) for name, values in scores.items()}
    return pages, {
        measure: {name: float(mean[column]) for name, mean in means.items()} for column, measure in enumerate(MEASURES)
    }


def _read_threads(record: Record) -> dict[str, str]:
    from trafilatura import bare_extraction

    html = str(record.html)
    article = broadsheet.extract(html, url=record.url)
    comments = [comment.text for comment in article.comments]
    texts = {"fusion": "\n".join([article.text, *comments])}
    for name in PEERS.split(","):
        if not PEER_TABLE[name].environment:
            texts[name] = call(ADAPTERS[name], html, record.url, record.lang).get("text") or ""
    document = bare_extraction(html, url=record.url, include_comments=True)
    texts["trafilatura"] = "\n".join(filter(None, (document.text, document.comments))) if document else ""
    return texts


def _select_pages(data: Data, subset: Subset, excluded: Collection[str], folder: Path) -> Path:
    """Return the file of a set, or write one with the pages of the subset and without the excluded ones."""
    path = data.path(subset.name)
    if not subset.field and not excluded:
        return path
    selected = folder / f"{subset.name}.jsonl"
    with lzma.open(path, "rt", encoding="utf-8") as lines, selected.open("w", encoding="utf-8") as file:
        for line in lines:
            page = json.loads(line)
            if page["id"] not in excluded and (not subset.field or page[subset.field] == subset.value):
                file.write(line)
    return selected


def measure_verdict(data: Data) -> None:
    """Print the recall of articles and of other pages."""
    is_right: dict[str, list[bool]] = {"article": [], "other": []}
    for record in data.read("metahtml.bench"):
        if record.page_type in is_right:
            status = broadsheet.extract(record.html, url=record.url).status
            is_accepted = status is not Status.NOT_ARTICLE
            is_right[record.page_type].append(is_accepted == (record.page_type == "article"))
    table = Table("page type", "pages", "recall")
    recalls = {page_type: float(np.mean(results)) for page_type, results in is_right.items()}
    for page_type, recall in recalls.items():
        table.add(page_type, str(len(is_right[page_type])), recall)
    table.add("balanced accuracy", "", float(np.mean(list(recalls.values()))))


def measure_confidence(data: Data) -> None:
    """Print the calibration of the confidence: for each set, and for pages grouped by confidence."""
    table = Table("set", "mean confidence", "mean word F1", "calibration error", "rank correlation")
    by_set: dict[str, tuple[Floats, Floats]] = {}
    for name in BENCH_SETS:
        confidence, scores = by_set[name] = _measure_set(data, name)
        error = measure_calibration(confidence, scores, BINS)
        table.add(name, confidence.mean(), scores.mean(), error, _correlate_ranks(confidence, scores), digits=3)
    _print_bins(by_set)


def _measure_set(data: Data, name: str) -> tuple[Floats, Floats]:
    """Return the confidence and the word F1 of each page."""
    confidence, scores = [], []
    for page in data.read_gold(name):
        article = broadsheet.extract(page.record.html, url=page.record.url)
        confidence.append(article.confidence)
        scores.append(page.score(article.text).f1)
    return np.array(confidence), np.array(scores)


def _print_bins(by_set: Mapping[str, tuple[Floats, Floats]]) -> None:
    confidence, scores = (np.concatenate(values) for values in zip(*by_set.values(), strict=True))
    numbers = np.minimum((confidence * BINS).astype(int), BINS - 1)
    table = Table("confidence", "pages", "mean confidence", "mean word F1")
    for number in np.unique(numbers).tolist():
        is_in_bin = numbers == number
        edges = f"{number / BINS:.1f} to {(number + 1) / BINS:.1f}"
        table.add(edges, str(is_in_bin.sum()), confidence[is_in_bin].mean(), scores[is_in_bin].mean())
    error = measure_calibration(confidence, scores, BINS)
    print(f"\nexpected calibration error {error:.3f} over {len(scores)} pages")


def _correlate_ranks(one: Floats, other: Floats) -> float:
    ranks = np.stack([np.argsort(np.argsort(values)) for values in (one, other)])
    return float(np.asarray(np.corrcoef(ranks))[0, 1])


def measure_comments(data: Data) -> None:
    """Print the precision and recall of comment words, and the share of pages without comments that have none.

    Only where all roles are labelled, as in desk.dev, is it known that a page has no comments.
    """
    table = Table("set", "pages with comments", "precision", "recall", "pages without", "empty")
    for name in COMMENT_SETS:
        common = output_words = gold_words = 0
        is_empty: list[bool] = []
        pages = 0
        for record in data.read(name):
            comments = broadsheet.extract(record.html, url=record.url).comments
            words = Counter(split_words("\n".join(comments)))
            if record.comments:
                gold = Counter(split_words(record.comments))
                pages += 1
                common += (words & gold).total()
                output_words += words.total()
                gold_words += gold.total()
            elif record.captions is not None:
                is_empty.append(not words)
        empty = f"{np.mean(is_empty):.3f}" if is_empty else ""
        table.add(name, str(pages), common / output_words, common / gold_words, str(len(is_empty)), empty)


def measure_tables(data: Data) -> None:
    """Print how many data tables of the gold text lose more than 3 % of their words."""
    table = Table("set", "tables", "lose more than 3 %", "share", "whole table lost")
    totals = Counter[str]()
    for name in TABLE_SETS:
        lost = [share for record in data.read(name) if record.text for share in _measure_lost_words(record)]
        counts = Counter(
            tables=len(lost),
            lossy=sum(share > MAX_LOST_SHARE for share in lost),
            gone=sum(share > 0.9 for share in lost),
        )
        totals += counts
        _add_tables(table, name, counts)
    _add_tables(table, "all", totals)


def _add_tables(table: Table, name: str, counts: Counter[str]) -> None:
    share = counts["lossy"] / max(counts["tables"], 1)
    table.add(name, str(counts["tables"]), str(counts["lossy"]), share, str(counts["gone"]))


def _measure_lost_words(record: Record) -> list[float]:
    """Return for each data table that the gold text keeps the share of its words that our text lacks."""
    page = read_page(record.html, url=record.url)
    nodes = page.nodes
    rows = [row for row in nodes.rows["table"] if is_data_table(nodes, row)]
    blocks = segment(page) if rows else None
    if blocks is None:
        return []
    gold, text = Counter(split_words(record.text or "")), None
    lost: list[float] = []
    for row in rows:
        members = range(bisect_left(blocks.first, row), bisect_left(blocks.first, nodes.end[row]))
        words = Counter(split_words(" ".join(blocks.text[block] for block in members)))
        kept = words & gold
        if words.total() < MIN_TABLE_WORDS or kept.total() < MIN_KEPT_SHARE * words.total():
            continue
        if text is None:
            text = Counter(split_words(broadsheet.extract(record.html, url=record.url).text))
        lost.append((kept - text).total() / kept.total())
    return lost


def list_empty_texts(data: Data) -> None:
    """Print the pages with a gold text and 600 characters of prose of which we return nothing."""
    table = Table("set", "pages with prose", "empty text", "pages")
    for name in (*TABLE_SETS, "metahtml.dev", "trafilatura.bench"):
        prose, empty = 0, []
        for record in data.read(name):
            article = broadsheet.extract(record.html, url=record.url)
            if _count_prose(article) < MIN_PROSE_CHARS:
                continue
            prose += 1
            if not article.text.strip():
                empty.append(record.id)
        table.add(name, str(prose), str(len(empty)), ", ".join(empty[:5]))


def _count_prose(article: broadsheet.Article) -> int:
    """Return the number of characters of the visible paragraphs of a page that are not mostly links."""
    return sum(
        len(block.text)
        for block in article.blocks
        if block.path.endswith("/p") and not block.is_hidden and block.link_share < 0.3 and len(block.text) >= 60
    )


if __name__ == "__main__":
    run_command(
        __doc__,
        {
            "peers": compare_with_peers,
            "reliable": compare_on_reliable_pages,
            "verdict": measure_verdict,
            "calibration": measure_confidence,
            "comments": measure_comments,
            "tables": measure_tables,
            "empty": list_empty_texts,
        },
    )
