"""The paper's Table 1: classifiers and two extractors, on German news, on dragnet.bench and on sites of many pages.

The networks of the tables `german` and `dragnet` are trained in two steps: on some train pages of several datasets,
then on pages similar to the test pages. In the German tables, no publisher of a test page is in either step. In
`same-publishers`, all publishers are in training and test, as in the paper.

The commands are those of benchmarks/gcn.py: german, german-few, dragnet, dragnet-few, same-publishers and shipped.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from statistics import mean, median, pstdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.gcn_baselines import CLASSIFIERS, TextClassifier, make_mlp, make_undirected
from benchmarks.harness import Data, Table, find_peer
from benchmarks.papers.tables import has_peer
from broadsheet.blocks import CONTENT_ROLES, Blocks
from broadsheet.corpora.align import drop_headline, find_headlines
from broadsheet.evaluation.measures import measure_edit_distance
from broadsheet.methods.gcn import Gcn, GcnConfig, PublishedGcn, PublishedGcn2
from broadsheet.methods.gcn.train import (
    SHIPPED,
    SHIPPED_FIT,
    find_threshold_by_nodes,
    find_threshold_by_words,
    fit_best_run,
    refine_blocks,
    score_blocks,
    score_nodes,
)
from broadsheet.methods.gcn.train_data import COLUMNS, PAGE_COLUMNS, Graphs, load_graphs, make_graphs
from broadsheet.methods.gcn.train_network import (
    FitConfig,
    GraphData,
    NetworkPlan,
    TagVectors,
    fit_network,
    learn_tags,
    make_network,
    predict_nodes,
)
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import GOLD_TEXT, Dataset, LabelledPage, read_pages

FOLDS = 4
DEV_PAGES = 20  # of the training pages, for early stopping and the threshold (section 6)
FEW_PAGES = 111  # as many as in the paper
FEW_RUNS = 2  # of which the best on dev pages counts; five in the paper
SEEDS = 5  # of the table of the same publishers
SAME_PUBLISHER_SETS = ("big5-09.train", "big5-09.dev", "daniel.train", "daniel.dev")
PUBLISHERS, PUBLISHER_PAGES = 16, 12  # those with the most pages; the paper: 16 publishers, 204 pages
BASE_SETS = frozenset("aed big5-09 chaos dragnet metahtml wcxb".split())  # of the first step
BASE_PAGES = 60  # of each of these
BODY = ("body",)
EXTRACTORS = ("justext", "boilerpy3")

Scores = NDArray[np.float32]


@dataclass(frozen=True)
class Recipe:
    """A network of the table, and how it is trained."""

    config: GcnConfig
    fit: FitConfig
    second_fit: FitConfig | None = None  # of the second step, if there are two
    make: Callable[[GcnConfig, float], Any] = make_network
    gap: float = GcnConfig().gap
    by_words: bool = False  # whether the threshold is chosen by words


def make_recipes(fit: FitConfig, second_fit: FitConfig | None) -> dict[str, Recipe]:
    """Return the paper's three networks."""
    return {
        "MLP": Recipe(GcnConfig(), fit, second_fit, make_mlp),
        "undirected (Equation 1), 2 layers": Recipe(GcnConfig(layers=2), fit, second_fit, make_undirected),
        "GCN2": Recipe(GcnConfig(layers=2), fit, second_fit),
        "GCN3": Recipe(GcnConfig(layers=3), fit, second_fit),
    }


PUBLISHED = make_recipes(FitConfig(), None)
# Networks and loss as published; with more pages, fewer epochs and a higher rate. And ours, as shipped.
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


# Test pages and rows of the table


@dataclass
class Row:
    """A row of the table: labels of all nodes, and edit distances of all pages."""

    is_true: list[NDArray[np.bool_]] = field(default_factory=list)
    is_predicted: list[NDArray[np.bool_]] = field(default_factory=list)
    distances: list[float] = field(default_factory=list)


Rows = defaultdict[str, Row]


@dataclass(frozen=True)
class TestPages:
    """The pages on which classifiers are compared."""

    graphs: Graphs
    pages: Sequence[LabelledPage]
    headlines: Sequence[frozenset[str]]

    def measure(self, page: int, output: str) -> float:
        """Return the edit distance of an output from the gold text, both without headline."""
        headlines, gold = self.headlines[page], self.pages[page].record.text or ""
        return measure_edit_distance(drop_headline(output, headlines), drop_headline(gold, headlines))

    def block_rows(self, page: int) -> slice:
        """Return the blocks of a page among those of the graphs."""
        return slice(int(self.graphs.block_start[page]), int(self.graphs.block_start[page + 1]))


def make_test_pages(graphs: Graphs, pages: Sequence[LabelledPage]) -> TestPages:
    """Combine graphs with the pages that they were made from."""
    by_id = {labelled.record.id: labelled for labelled in pages}
    chosen = [by_id[page] for page in graphs.ids]
    return TestPages(graphs, chosen, [find_headlines(labelled.page, labelled.record.title) for labelled in chosen])


# Training


@dataclass(frozen=True)
class Base:
    """The result of the first step."""

    tags: TagVectors
    networks: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Trains classifiers and compares them on test pages."""

    data: Data
    options: TrainingOptions
    runs: int = FEW_RUNS

    def read(self, *names: str, count: int | None = None) -> list[LabelledPage]:
        """Return the pages of some sets that have gold text, or the first of them."""
        datasets = [Dataset(name.split(".")[0], self.data.path(name)) for name in names]
        return list(islice(read_pages(datasets, GOLD_TEXT, self.options), count))

    def train_base(self, excluded_sites: frozenset[str], dev: Graphs) -> Base:
        """Train the networks on some train pages of several datasets."""
        options = self.options
        train = []
        for graphs in load_graphs(options, "train", BODY, names=BASE_SETS):
            kept = [page for page, site in enumerate(graphs.sites) if not site or site not in excluded_sites]
            train.append(take_pages(graphs, kept[:: -(-len(kept) // BASE_PAGES)]))
        options.report(f"{sum(map(len, train))} pages of several datasets")
        data = GraphData(train, [dev], learn_tags(train, options.seed))
        networks = {
            name: fit_network(data, NetworkPlan(recipe.config, recipe.fit, recipe.make), options).network
            for name, recipe in IN_TWO_STEPS.items()
        }
        return Base(data.tags, networks)

    def compare(self, rows: Rows, train: Graphs, dev: Graphs, test: TestPages, base: Base | None = None) -> None:
        """Train the classifiers, from the base networks if given, and add their results on the test pages."""
        options = self.options
        tags = learn_tags([train], options.seed) if base is None else base.tags
        for name in CLASSIFIERS:
            classifier = TextClassifier(name, options.seed)
            classifier.fit([train], tags)
            add_classifier(
                rows[name], partial(score_texts, classifier, tags), dev, test, Recipe(GcnConfig(), FitConfig())
            )
        for name, recipe in (PUBLISHED if base is None else IN_TWO_STEPS).items():
            plan = NetworkPlan(recipe.config, recipe.fit, recipe.make)
            if base is not None and recipe.second_fit is not None:
                plan = replace(plan, fit=recipe.second_fit, make=start_from(base.networks[name], name))
            data = GraphData([train], [dev], tags)
            network = fit_best_run(data, plan, options, self.runs if base is None else 1).fitted.network
            add_classifier(rows[name], partial(score_graphs, network, tags, recipe), dev, test, recipe)
        add_extractors(rows, test)
        for name, row in rows.items():
            options.report(f"{name}: mean edit distance so far {mean(row.distances):.1f}")


def start_from(network: Any, name: str) -> Callable[[GcnConfig, float], Any]:
    """Return a function that makes networks with the weights of another one."""

    def make(config: GcnConfig, dropout: float) -> Any:  # noqa: ARG001
        return copy.deepcopy(network)

    make.__name__ = f"start_from_{name}".replace(" ", "_")  # part of the checkpoint's name
    return make


ROW_COLUMNS = (  # column of row numbers, the kind of row it refers to, the kind of row it is a column of
    ("parent", "node", "node"),
    ("text_row", "node", "text"),
    ("text_block", "block", "text"),
    ("name_row", "node", "name"),
)


def take_pages(graphs: Graphs, pages: Sequence[int]) -> Graphs:
    """Return some of the pages, in the given order."""
    values: dict[str, Any] = {name: [getattr(graphs, name)[page] for page in pages] for name in PAGE_COLUMNS}
    shifts: dict[str, NDArray[np.int64]] = {}  # for each row that is taken: the change of its number
    for kind, columns in COLUMNS.items():
        start = getattr(graphs, f"{kind}_start")
        spans = [np.arange(start[page], start[page + 1]) for page in pages]
        rows = np.concatenate(spans) if spans else np.zeros(0, np.int64)
        values[f"{kind}_start"] = np.cumsum([0, *(len(span) for span in spans)])
        shifts[kind] = np.arange(len(rows)) - rows
        values |= {column: getattr(graphs, column)[rows] for column in columns}
    for column, target, owner in ROW_COLUMNS:  # all rows of a page are shifted alike
        starts = values[f"{owner}_start"]
        page_shifts = shifts[target][np.minimum(values[f"{target}_start"][:-1], max(len(shifts[target]) - 1, 0))]
        row_shifts = np.repeat(page_shifts, np.diff(starts))
        values[column] = np.where(values[column] < 0, -1, values[column] + row_shifts).astype(np.int32)
    return Graphs(**values, name_vector=graphs.name_vector, tags=graphs.tags)


def take_sites(graphs: Graphs, sites: set[str], language: str | None = None) -> Graphs:
    """Return the pages of some sites."""
    pages = [
        page
        for page, site in enumerate(graphs.sites)
        if site in sites and (language is None or graphs.languages[page] == language)
    ]
    return take_pages(graphs, pages)


# Results


def score_graphs(network: Any, tags: TagVectors, recipe: Recipe, graphs: Graphs) -> Scores:
    """Return the probabilities of nodes."""
    scores: Scores = predict_nodes(network, graphs, tags, recipe.config)[:, 0]
    if recipe.fit.text_only:  # the network was not trained on the other nodes
        is_other = np.ones(len(scores), bool)
        is_other[graphs.text_row] = False
        scores[is_other] = 0
    return scores


def score_texts(classifier: TextClassifier, tags: TagVectors, graphs: Graphs) -> Scores:
    """Return the scores of nodes by a classifier of text nodes."""
    return classifier.predict(graphs, tags)[:, 0]


def add_classifier(row: Row, score: Callable[[Graphs], Scores], dev: Graphs, test: TestPages, recipe: Recipe) -> None:
    """Choose the threshold on dev pages, and add the results on the test pages."""
    if recipe.by_words:
        threshold = find_threshold_by_words([dev], [score(dev)], recipe.gap)
    else:
        threshold = find_threshold_by_nodes([dev], [score(dev)])
    graphs, scores = test.graphs, score(test.graphs)
    counts = graphs.counts > 0
    row.is_true.append((graphs.label[:, 0] > 0)[counts])
    row.is_predicted.append((scores >= threshold)[counts])
    block_scores = score_blocks(graphs, scores)
    for page, labelled in enumerate(test.pages):
        rows = test.block_rows(page)
        is_kept = refine_blocks(graphs, rows, block_scores[rows] >= threshold, recipe.gap)
        row.distances.append(test.measure(page, _join_blocks(labelled.blocks, is_kept)))


def add_method(row: Row, test: TestPages, method: Gcn) -> None:
    """Add the results of a method with its weights. A node is predicted if its block is."""
    graphs = test.graphs
    for page, labelled in enumerate(test.pages):
        blocks = labelled.blocks
        is_kept = np.array([role in CONTENT_ROLES for role in method.label(labelled.page, blocks).roles])
        row.distances.append(test.measure(page, _join_blocks(blocks, is_kept)))
        nodes = slice(int(graphs.node_start[page]), int(graphs.node_start[page + 1]))
        is_predicted = np.zeros(nodes.stop - nodes.start, bool)
        kept_rows = [node for rows, kept in zip(blocks.rows, is_kept, strict=True) if kept for node in rows]
        is_predicted[[node for node in kept_rows if labelled.page.nodes.text[node].strip()]] = True
        counts = graphs.counts[nodes] > 0
        row.is_true.append((graphs.label[nodes, 0] > 0)[counts])
        row.is_predicted.append(is_predicted[counts])


def _join_blocks(blocks: Blocks, is_kept: NDArray[np.bool_]) -> str:
    return "\n".join(blocks.text[block] for block in np.flatnonzero(is_kept).tolist())


def add_extractors(rows: Rows, test: TestPages) -> None:
    """Add the results of the two extractors, which do not label nodes."""
    for page, labelled in enumerate(test.pages):
        html, language = str(labelled.record.html), labelled.record.lang
        rows["jusText"].distances.append(test.measure(page, extract_by_justext(html, language)))
        rows["Boilerpipe"].distances.append(test.measure(page, extract_by_boilerpipe(html)))


def extract_by_justext(html: str, language: str | None) -> str:
    """Return the text that jusText extracts."""
    import justext

    stop_list = justext.get_stoplist("German" if language == "de" else "English")
    paragraphs = justext.justext(html, stop_list)
    return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)


def extract_by_boilerpipe(html: str) -> str:
    """Return the text that Boilerpipe's ArticleSentencesExtractor extracts."""
    from boilerpy3.extractors import ArticleSentencesExtractor

    return str(ArticleSentencesExtractor(raise_on_failure=False).get_content(html))


# Tables


def make_german_table(comparison: Comparison) -> Rows:
    """Cross-validate by publisher over the German pages of fundus."""
    pages = comparison.read("fundus.train", "fundus.dev")
    graphs = make_graphs(pages, BODY)
    german = _find_german_sites(pages)
    others = sorted(set(graphs.sites) - german)
    dev_sites = set(others[::3])
    dev = take_sites(graphs, dev_sites)
    base = comparison.train_base(frozenset(german), dev)
    rows: Rows = defaultdict(Row)
    for fold in range(FOLDS):
        test_sites = set(sorted(german)[fold::FOLDS])
        train = take_sites(graphs, (german - test_sites) | (set(others) - dev_sites))
        test = make_test_pages(take_sites(graphs, test_sites, language="de"), pages)
        comparison.compare(rows, train, dev, test, base)
    return rows


def make_dragnet_table(comparison: Comparison) -> Rows:
    """Train on several datasets, then on dragnet.train; choose thresholds on dragnet.dev; test on dragnet.bench."""
    names = frozenset(("dragnet",))
    (train,) = load_graphs(comparison.options, "train", BODY, names=names)
    (dev,) = load_graphs(comparison.options, "dev", BODY, names=names)
    german = _find_german_sites(comparison.read("fundus.train", "fundus.dev"))
    rows: Rows = defaultdict(Row)
    base = comparison.train_base(frozenset(german), dev)
    comparison.compare(rows, train, dev, _read_dragnet_test(comparison), base)
    return rows


def make_few_german_table(comparison: Comparison) -> Rows:
    """Cross-validate as above, trained as published on the pages of fundus alone."""
    pages = comparison.read("fundus.train", "fundus.dev")
    graphs = make_graphs(pages, BODY)
    sites = sorted(_find_german_sites(pages))
    rows: Rows = defaultdict(Row)
    for fold in range(FOLDS):
        test_sites = set(sites[fold::FOLDS])
        others = [page for page, site in enumerate(graphs.sites) if site not in test_sites]
        order = np.random.default_rng(fold).permutation(others).tolist()
        train, dev = (take_pages(graphs, chosen) for chosen in (order[DEV_PAGES:], order[:DEV_PAGES]))
        test = make_test_pages(take_sites(graphs, test_sites, language="de"), pages)
        comparison.compare(rows, train, dev, test)
    return rows


def make_few_dragnet_table(comparison: Comparison) -> Rows:
    """Train as published on 111 pages of dragnet.train."""
    train = make_graphs(comparison.read("dragnet.train", count=FEW_PAGES), BODY)
    dev = make_graphs(comparison.read("dragnet.dev", count=DEV_PAGES), BODY)
    rows: Rows = defaultdict(Row)
    comparison.compare(rows, train, dev, _read_dragnet_test(comparison))
    return rows


def read_same_publishers(comparison: Comparison) -> tuple[Graphs, Graphs, TestPages]:
    """Return train, dev and test pages of the same publishers: a third of each publisher's pages are test pages."""
    by_site: dict[str, list[LabelledPage]] = defaultdict(list)
    for labelled in comparison.read(*SAME_PUBLISHER_SETS):
        by_site[labelled.record.site or ""].append(labelled)
    by_site.pop("", None)
    sites = sorted(by_site, key=lambda site: (-len(by_site[site]), site))[:PUBLISHERS]
    chosen = [labelled for site in sites for labelled in by_site[site][:PUBLISHER_PAGES]]
    is_test = [position % 3 == 2 for site in sites for position in range(len(by_site[site][:PUBLISHER_PAGES]))]
    test = [labelled for labelled, part in zip(chosen, is_test, strict=True) if part]
    others = [labelled for labelled, part in zip(chosen, is_test, strict=True) if not part]
    order = np.random.default_rng(0).permutation(len(others)).tolist()
    dev, train = ([others[index] for index in part] for part in (order[:DEV_PAGES], order[DEV_PAGES:]))
    return make_graphs(train, BODY), make_graphs(dev, BODY), make_test_pages(make_graphs(test, BODY), test)


def make_same_publishers_table(comparison: Comparison) -> Rows:
    """Train as published on pages of the publishers of the test pages, once for each of five seeds."""
    train, dev, test = read_same_publishers(comparison)
    rows: Rows = defaultdict(Row)
    for seed in range(SEEDS):
        one_run = Comparison(comparison.data, replace(comparison.options, seed=seed), runs=1)
        one_run.compare(rows, train, dev, test)
    return rows


def _find_german_sites(pages: Sequence[LabelledPage]) -> set[str]:
    return {labelled.record.site or "" for labelled in pages if labelled.record.lang == "de"}


def _read_dragnet_test(comparison: Comparison) -> TestPages:
    pages = comparison.read("dragnet.bench")
    return make_test_pages(make_graphs(pages, BODY), pages)


def measure_shipped(comparison: Comparison) -> dict[str, Rows]:
    """Return the results of the shipped weights on pages that they were not trained on, by set."""
    rows_by_set: dict[str, Rows] = {}
    german = [labelled for labelled in comparison.read("fundus.dev") if labelled.record.lang == "de"]
    for name, pages in (("fundus.dev, German", german), ("dragnet.bench", comparison.read("dragnet.bench"))):
        if not pages:
            continue
        test = make_test_pages(make_graphs(pages, BODY), pages)
        rows: Rows = defaultdict(Row)
        for row, method in (
            ("as published (GCN3)", PublishedGcn()),
            ("as published (GCN2)", PublishedGcn2()),
            ("as shipped", Gcn()),
        ):
            add_method(rows[row], test, method)
        if all(has_peer(extractor) for extractor in EXTRACTORS):
            add_extractors(rows, test)
        rows_by_set[name] = rows
    return rows_by_set


def print_rows(title: str, rows: Rows) -> None:
    """Print the table as Markdown. The spread is the standard deviation of the macro F1 over runs or folds."""
    columns = "P micro, P macro, R micro, R macro, F1 micro, F1 macro, article nodes P, R, F1, spread".split(", ")
    table = Table(title, *columns, "mean edit distance", "median")
    for name, row in rows.items():
        cells: list[str | float] = [""] * len(columns)
        if row.is_true:
            score = score_nodes(np.concatenate(row.is_true), np.concatenate(row.is_predicted))
            macro, article, micro = score.macro, score.positive, score.micro
            cells = [micro, macro.precision, micro, macro.recall, micro, macro.f1]
            parts = [score_nodes(*part).macro.f1 for part in zip(row.is_true, row.is_predicted, strict=True)]
            spread = "" if len(parts) == 1 else f"{pstdev(parts):.3f}"
            cells += [article.precision, article.recall, article.f1, spread]
        table.add(name, *cells, f"{mean(row.distances):.1f}", f"{median(row.distances):.0f}")
    print(f"\n{len(next(iter(rows.values())).distances)} pages")


MAKERS: dict[str, Callable[[Comparison], Rows]] = {
    "german": make_german_table,
    "german-few": make_few_german_table,
    "dragnet": make_dragnet_table,
    "dragnet-few": make_few_dragnet_table,
    "same-publishers": make_same_publishers_table,
}
TABLES = (*MAKERS, "shipped")


def print_table(name: str, data: Data, options: TrainingOptions) -> None:
    """Make and print one of the tables."""
    for extractor in EXTRACTORS:
        find_peer(extractor)  # exits if it is not installed
    comparison = Comparison(data, options)
    tables = measure_shipped(comparison) if name == "shipped" else {name: MAKERS[name](comparison)}
    for title, rows in tables.items():
        print_rows(title, rows)
