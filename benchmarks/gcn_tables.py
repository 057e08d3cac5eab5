"""The paper's Table 1: four classifiers and two extractors, on German news and on dragnet.bench.

Three networks and ours learn in two steps: from some train pages of several sets, and then from pages like those that
they are asked of. In the German table no page of a publisher that is asked of is among either.

python benchmarks/gcn.py german, german-few, dragnet, dragnet-few or shipped; what is learned is kept in .training, so
that a run that was stopped goes on.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is there

import copy
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import CONTENT_ROLES, segment
from broadsheet.corpora import Record, read_corpus
from broadsheet.corpora.headline import drop_headline, find_headlines
from broadsheet.evaluation.measures.edit_distance import measure_edit_distance
from broadsheet.methods.gcn import Gcn, GcnConfig
from broadsheet.page import Limits, read_page
from broadsheet.training.gcn.baselines import Svc, make_mlp
from broadsheet.training.gcn.fit import FitConfig, fit, predict
from broadsheet.training.gcn.graphs import Graphs, is_usable, load_graphs, make_graphs, take_pages
from broadsheet.training.gcn.network import make_network
from broadsheet.training.gcn.scores import (
    find_threshold_by_nodes,
    find_threshold_by_words,
    refine,
    score_nodes,
    weigh_blocks,
)
from broadsheet.training.gcn.tags import TagVectors, learn_tags
from broadsheet.training.gcn.train import SHIPPED, SHIPPED_FIT
from broadsheet.training.options import TrainingOptions

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
WORK = Path(".training") / "gcn-benchmark"
FOLDS = 4
DEV_PAGES = 20  # of those learned from that tell when to stop and where the threshold is (section 6)
FEW_PAGES = 111  # learned from, as many as in the paper
BASE_SETS = frozenset("aed big5-09 chaos dragnet metahtml wcxb".split())  # learned from in the first step
BASE_PAGES = 60  # of each of these
BODY = ("body",)
PATIENT = Limits(max_seconds=3600.0)  # a busy machine is no reason to stop here

Scores = NDArray[np.float32]


@dataclass(frozen=True)
class Recipe:
    """A network of the table, and how it learns."""

    config: GcnConfig
    how: FitConfig  # from pages of several sets; as published: from the few pages that there are
    then: FitConfig | None = None  # from pages like those that it is asked of
    make: Callable[[GcnConfig, float], Any] = make_network
    gap: float = GcnConfig().gap
    by_words: bool = False  # how the threshold is found


def make_recipes(how: FitConfig, then: FitConfig | None) -> dict[str, Recipe]:
    """The paper's three networks."""
    return {
        "MLP": Recipe(GcnConfig(), how, then, make_mlp),
        "GCN2": Recipe(GcnConfig(layers=2), how, then),
        "GCN3": Recipe(GcnConfig(layers=3), how, then),
    }


PUBLISHED = make_recipes(FitConfig(), None)
# The networks and their loss as published; many pages, so fewer rounds and a faster rate. And ours, as it is shipped.
IN_TWO_STEPS = make_recipes(
    FitConfig(rate=3e-3, epochs=6, batch_pages=2, decays=True),
    FitConfig(rate=1e-3, epochs=6, batch_pages=2, decays=True),
)
IN_TWO_STEPS["GCN as shipped"] = Recipe(
    SHIPPED,
    replace(SHIPPED_FIT, batch_pages=2),
    replace(SHIPPED_FIT, rate=1e-3, batch_pages=2),
    gap=SHIPPED.gap,
    by_words=True,
)


@dataclass
class Row:
    """A row of the table: what a classifier said of all nodes, and how far its texts are from the gold ones."""

    is_true: list[NDArray[np.bool_]] = field(default_factory=list)
    is_found: list[NDArray[np.bool_]] = field(default_factory=list)
    distances: list[float] = field(default_factory=list)


Table = defaultdict[str, Row]


@dataclass(frozen=True)
class Asked:
    """The pages that classifiers are asked of."""

    graphs: Graphs
    records: Sequence[Record]
    texts: Sequence[Sequence[str]]  # of the blocks of each page
    headlines: Sequence[frozenset[str]]

    def measure(self, page: int, output: str) -> float:
        """Edit distance of an output, headlines apart."""
        names = self.headlines[page]
        return measure_edit_distance(drop_headline(output, names), drop_headline(self.records[page].text or "", names))


def open_asked(graphs: Graphs, records: Sequence[Record]) -> Asked:
    """Read pages again for the texts of their blocks."""
    by_id = {record.id: record for record in records}
    own = [by_id[page["id"]] for page in graphs.pages]
    pages = [read_page(record.html, url=record.url, limits=PATIENT) for record in own]
    headlines = [find_headlines(page, record.title) for page, record in zip(pages, own, strict=True)]
    return Asked(graphs, own, [segment(page).text for page in pages], headlines)


@dataclass(frozen=True)
class Learned:
    """What was learned in the first step, without those publishers that are asked of."""

    tags: TagVectors
    networks: dict[str, Any]


@dataclass(frozen=True)
class Trainer:
    """Makes classifiers and asks them."""

    data: Path
    work: Path

    @property
    def options(self) -> TrainingOptions:
        return TrainingOptions(self.data, self.work, self.work, report=lambda line: print("  ", line, file=sys.stderr))

    def make_german_table(self) -> Table:
        """Cross-validation by publisher over the German pages of fundus."""
        records = self._read("fundus", "train", "dev")
        graphs = make_graphs(records, BODY)
        german = {page["site"] for page in graphs.pages if page["language"] == "de"}
        others = sorted({page["site"] for page in graphs.pages} - german)
        for_dev = set(others[::3])
        dev = _take(graphs, for_dev)
        base = self._learn_base(frozenset(german), dev)
        table: Table = defaultdict(Row)
        for fold in range(FOLDS):
            held = set(sorted(german)[fold::FOLDS])
            tune = _take(graphs, (german - held) | (set(others) - for_dev))
            asked = open_asked(_take(graphs, held, language="de"), records)
            self._fill(table, tune, dev, asked, IN_TWO_STEPS, base)
        return table

    def make_dragnet_table(self) -> Table:
        """Learned from several sets, then from dragnet.train; dragnet.dev for thresholds; asked of dragnet.bench."""
        options = self.options
        (tune,) = load_graphs(options, "train", BODY, only=frozenset(("dragnet",)))
        (dev,) = load_graphs(options, "dev", BODY, only=frozenset(("dragnet",)))
        german = {record.site or "" for record in self._read("fundus", "train", "dev") if record.lang == "de"}
        base = self._learn_base(frozenset(german), dev)
        records = self._read("dragnet", "bench")
        table: Table = defaultdict(Row)
        self._fill(table, tune, dev, open_asked(make_graphs(records, BODY), records), IN_TWO_STEPS, base)
        return table

    def make_few_german_table(self) -> Table:
        """Cross-validation as above, learned as published from the pages of fundus alone."""
        records = self._read("fundus", "train", "dev")
        graphs = make_graphs(records, BODY)
        sites = sorted({page["site"] for page in graphs.pages if page["language"] == "de"})
        table: Table = defaultdict(Row)
        for fold in range(FOLDS):
            held = set(sites[fold::FOLDS])
            rest = [at for at, page in enumerate(graphs.pages) if page["site"] not in held]
            order = np.random.default_rng(fold).permutation(rest).tolist()
            train, dev = (take_pages(graphs, pages) for pages in (order[DEV_PAGES:], order[:DEV_PAGES]))
            asked = open_asked(_take(graphs, held, language="de"), records)
            self._fill(table, train, dev, asked, PUBLISHED)
        return table

    def make_few_dragnet_table(self) -> Table:
        """Learned as published from 111 pages of dragnet.train."""
        train = make_graphs(self._read("dragnet", "train")[:FEW_PAGES], BODY)
        dev = make_graphs(self._read("dragnet", "dev")[:DEV_PAGES], BODY)
        records = self._read("dragnet", "bench")
        table: Table = defaultdict(Row)
        self._fill(table, train, dev, open_asked(make_graphs(records, BODY), records), PUBLISHED)
        return table

    def make_shipped_tables(self) -> dict[str, Table]:
        """The weights that are shipped, asked of pages that they were not learned from: no training."""
        german = [record for record in self._read("fundus", "dev") if record.lang == "de"]
        tables: dict[str, Table] = {}
        for name, records in (("fundus.dev, German", german), ("dragnet.bench", self._read("dragnet", "bench"))):
            asked = open_asked(make_graphs(records, BODY), records)
            tables[name] = defaultdict(Row)
            add_shipped(tables[name]["GCN as shipped"], asked)
            add_extractors(tables[name], asked)
        return tables

    def _read(self, name: str, *splits: str) -> list[Record]:
        files = [self.data / f"{name}.{split}.jsonl.xz" for split in splits]
        return [record for path in files for record in read_corpus(path) if is_usable(record)]

    def _learn_base(self, without: frozenset[str], dev: Graphs) -> Learned:
        """Learn from some train pages of several sets, none of them of certain sites."""
        options = self.options
        train = []
        for each in load_graphs(options, "train", BODY, only=BASE_SETS):
            kept = [at for at, page in enumerate(each.pages) if page["site"] not in without]
            train.append(take_pages(each, kept[:: -(-len(kept) // BASE_PAGES)]))
        options.report(f"{sum(map(len, train))} pages of several sets")
        tags = learn_tags(train, options.seed)
        networks = {
            name: fit(train, [dev], tags, recipe.config, recipe.how, options, make=recipe.make).network
            for name, recipe in IN_TWO_STEPS.items()
        }
        return Learned(tags, networks)

    def _fill(
        self,
        table: Table,
        train: Graphs,
        dev: Graphs,
        asked: Asked,
        recipes: dict[str, Recipe],
        base: Learned | None = None,
    ) -> None:
        """Train the classifiers, or train them on, and ask them and the two extractors."""
        options = self.options
        tags = learn_tags([train], options.seed) if base is None else base.tags
        svc = Svc(options.seed)
        svc.fit([train], tags)
        plain = Recipe(GcnConfig(), FitConfig())
        add_classifier(table["SVC"], lambda each: svc.predict(each, tags)[:, 0], dev, asked, plain)
        for name, recipe in recipes.items():
            make, how = recipe.make, recipe.how
            if base is not None and recipe.then is not None:
                make, how = _go_on(base.networks[name], name), recipe.then
            network = fit([train], [dev], tags, recipe.config, how, options, make=make).network
            add_classifier(table[name], partial(ask_network, network, tags, recipe), dev, asked, recipe)
        add_extractors(table, asked)
        for name, row in table.items():
            options.report(f"{name}: {mean(row.distances):.1f} so far")


def _take(graphs: Graphs, sites: set[str], language: str | None = None) -> Graphs:
    pages = [
        at
        for at, page in enumerate(graphs.pages)
        if page["site"] in sites and (language is None or page["language"] == language)
    ]
    return take_pages(graphs, pages)


def _go_on(network: Any, name: str) -> Callable[[GcnConfig, float], Any]:
    """Make networks that begin with the weights of another."""

    def make(config: GcnConfig, dropout: float) -> Any:  # noqa: ARG001
        return copy.deepcopy(network)

    make.__name__ = f"go_on_{name}".replace(" ", "_")  # names the file of what is kept between runs
    return make


def ask_network(network: Any, tags: TagVectors, recipe: Recipe, graphs: Graphs) -> Scores:
    """Probabilities of nodes."""
    scores: Scores = predict(network, graphs, tags, recipe.config)[:, 0]
    if recipe.how.text_only:  # then nobody told it what the other nodes are
        others = np.ones(len(scores), bool)
        others[graphs.text_row] = False
        scores[others] = 0
    return scores


def add_classifier(row: Row, ask: Callable[[Graphs], Scores], dev: Graphs, asked: Asked, recipe: Recipe) -> None:
    """Find the threshold on dev pages, and add what the classifier says of the others."""
    if recipe.by_words:
        threshold = find_threshold_by_words([dev], [ask(dev)], recipe.gap)
    else:
        threshold = find_threshold_by_nodes([dev], [ask(dev)])
    graphs, scores = asked.graphs, ask(asked.graphs)
    counted = graphs.counts > 0
    row.is_true.append((graphs.label[:, 0] > 0)[counted])
    row.is_found.append((scores >= threshold)[counted])
    blocks = weigh_blocks(graphs, scores)
    for page, texts in enumerate(asked.texts):
        part = slice(int(graphs.block_start[page]), int(graphs.block_start[page + 1]))
        is_kept = refine(graphs, part, blocks[part] >= threshold, recipe.gap)
        output = "\n".join(texts[block] for block in np.flatnonzero(is_kept).tolist())
        row.distances.append(asked.measure(page, output))


def add_shipped(row: Row, asked: Asked) -> None:
    """Add what the method says of blocks, as users get it; of nodes, those of its blocks count."""
    method = Gcn()
    graphs = asked.graphs
    for page, record in enumerate(asked.records):
        opened = read_page(record.html, url=record.url, limits=PATIENT)
        blocks = segment(opened)
        is_kept = np.array([role in CONTENT_ROLES for role in method.label(opened, blocks).roles])
        row.distances.append(asked.measure(page, "\n".join(np.array(blocks.text, object)[is_kept].tolist())))
        nodes = slice(int(graphs.node_start[page]), int(graphs.node_start[page + 1]))
        is_found = np.zeros(nodes.stop - nodes.start, bool)
        rows = [row for own, kept in zip(blocks.rows, is_kept, strict=True) if kept for row in own]
        is_found[[row for row in rows if opened.nodes.text[row].strip()]] = True
        counted = graphs.counts[nodes] > 0
        row.is_true.append((graphs.label[nodes, 0] > 0)[counted])
        row.is_found.append(is_found[counted])


def add_extractors(table: Table, asked: Asked) -> None:
    """Ask the two extractors that know nothing of nodes."""
    for page, record in enumerate(asked.records):
        for name, extract in (("jusText", extract_by_justext), ("Boilerpipe", extract_by_boilerpipe)):
            table[name].distances.append(asked.measure(page, extract(record)))


def extract_by_justext(record: Record) -> str:
    """The text that jusText finds."""
    import justext

    language = {"de": "German"}.get(record.lang or "en", "English")
    paragraphs = justext.justext(str(record.html), justext.get_stoplist(language))
    return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)


def extract_by_boilerpipe(record: Record) -> str:
    """The text that Boilerpipe's ArticleSentencesExtractor finds."""
    from boilerpy3.extractors import ArticleSentencesExtractor

    return str(ArticleSentencesExtractor(raise_on_failure=False).get_content(str(record.html)))


def print_table(table: Table) -> None:
    """Print the table as Markdown."""
    means = "P micro | macro | R micro | macro | F1 micro | macro"
    print(f"| | {means} | of article nodes P | R | F1 | edit distance | median |")
    print("|---|" + "---:|" * 11)
    for name, row in table.items():
        cells = [""] * 9
        if row.is_true:
            score = score_nodes(np.concatenate(row.is_true), np.concatenate(row.is_found))
            values = (score.micro, score.macro_precision, score.micro, score.macro_recall, score.micro, score.macro_f1)
            cells = [f"{value:.3f}" for value in (*values, score.precision, score.recall, score.f1)]
        print(f"| {name} | {' | '.join(cells)} | {mean(row.distances):.1f} | {median(row.distances):.0f} |")
    print(f"\n{len(next(iter(table.values())).distances)} pages")


def main() -> None:
    trainer = Trainer(DATA, WORK)
    tables = {
        "german": trainer.make_german_table,
        "german-few": trainer.make_few_german_table,
        "dragnet": trainer.make_dragnet_table,
        "dragnet-few": trainer.make_few_dragnet_table,
    }
    if len(sys.argv) != 2 or sys.argv[1] not in (*tables, "shipped"):
        sys.exit(__doc__)
    WORK.mkdir(parents=True, exist_ok=True)
    if sys.argv[1] == "shipped":
        for name, table in trainer.make_shipped_tables().items():
            print(f"\n{name}\n")
            print_table(table)
        return
    print_table(tables[sys.argv[1]]())


if __name__ == "__main__":
    main()
