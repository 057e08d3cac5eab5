"""Training of the graph network, on pages written here."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from broadsheet.blocks import segment
from broadsheet.corpora import Record
from broadsheet.errors import UsageError
from broadsheet.methods.gcn import Gcn, GcnConfig, PublishedGcn, PublishedGcn2
from broadsheet.methods.gcn.features import read_features
from broadsheet.methods.gcn.network import GcnNetwork
from broadsheet.methods.gcn.train import (
    find_threshold_by_nodes,
    measure_word_f1,
    refine_blocks,
    score_blocks,
    score_nodes,
    score_threshold,
)
from broadsheet.methods.gcn.train_data import label_class, make_graphs
from broadsheet.methods.gcn.train_network import FitConfig, GraphData, NetworkPlan, has_stopped_improving
from broadsheet.models.words import load_words
from broadsheet.page import Page, read_page
from broadsheet.style import compute_styles, find_boxes
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import LabelledPage, label_page

PROSE = "The council met on Tuesday, and after four hours of talk it kept the ferry that half of the town depends on."


def make_record(number: int) -> Record:
    body = "".join(f"<p>Part {number} {part}. {PROSE}</p>" for part in "abc")
    text = "\n".join(f"Part {number} {part}. {PROSE}" for part in "abc")
    html = (
        f"<title>Ferry {number}</title><body><ul><li><a href=/a>Home</a><li><a href=/b>Sport</a></ul>"
        f"<h1>Ferry {number}</h1><span class=date>14 March 2021</span><div>{body}</div><div id=c><p>Nice, says Ann {number}.</p></div>"
    )
    return Record(
        f"toy/{number}",
        html,
        dataset="toy",
        text=text,
        title=f"Ferry {number}",
        date="2021-03-14",
        comments=f"Nice, says Ann {number}.",
    )


def read(record: Record) -> LabelledPage:
    labelled = label_page(record)
    assert labelled is not None
    return labelled


RECORDS = [make_record(number) for number in range(6)]
PAGES = [read(record) for record in RECORDS]

CLASSES = [
    ("body", ["Part 0 a.", "Part 0 b.", "Part 0 c."]),
    ("title", ["Ferry 0"]),
    ("date", ["14 March 2021"]),
    ("comment", ["Nice, says Ann 0."]),
]


@pytest.mark.parametrize(("name", "starts"), CLASSES)
def test_class_labels(name: str, starts: list[str]) -> None:
    labelled = PAGES[0]
    texts = [text for text, is_in in zip(labelled.blocks.text, label_class(name, labelled), strict=True) if is_in]
    assert len(texts) == len(starts)
    assert all(text.startswith(start) for text, start in zip(texts, starts, strict=True))


def test_unknown_class() -> None:
    with pytest.raises(
        UsageError, match="unknown class 'footer'; classes that have labels: body, title, date, comment"
    ):
        label_class("footer", PAGES[0])


def test_graphs_of_pages() -> None:
    graphs = make_graphs(PAGES[:2], ("body",))
    page = read_page(RECORDS[1].html)
    first = int(graphs.node_start[1])
    assert [graphs.tags[place] for place in graphs.tag[first:]] == list(page.nodes.tag)
    assert (graphs.parent[first:] - first).tolist()[1:] == list(page.nodes.parent)[1:]
    assert graphs.parent[first] == -1
    positive = np.flatnonzero(graphs.label[first:, 0]).tolist()
    assert [page.nodes.text[row][:8] for row in positive] == ["Part 1 a", "Part 1 b", "Part 1 c"]
    ignored = np.flatnonzero(graphs.counts[first:] == 0).tolist()
    assert [page.nodes.text[row] for row in ignored] == ["Ferry 1"]  # only some gold texts include the headline


def test_node_scores() -> None:
    is_true, is_predicted = np.array([1, 1, 1, 0, 0, 0, 0, 0], bool), np.array([1, 1, 0, 1, 0, 0, 0, 0], bool)
    score = score_nodes(is_true, is_predicted)
    assert (score.positive.precision, score.positive.recall, score.positive.f1) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    assert score.micro == pytest.approx(6 / 8)
    assert score.macro.f1 == pytest.approx((2 / 3 + 0.8) / 2)


def test_thresholds_and_word_f1() -> None:
    graphs = make_graphs(PAGES, ("body",))
    scores = np.where(graphs.label[:, 0] > 0, 0.4, 0.2).astype(np.float32)
    assert 0.2 < find_threshold_by_nodes([graphs], [scores]) <= 0.4
    blocks = [score_blocks(graphs, scores)]
    assert measure_word_f1([graphs], blocks, 0.3, 1000) == {"toy": pytest.approx(1.0)}
    assert measure_word_f1([graphs], blocks, 0.1, 1000)["toy"] < 0.95
    part = slice(0, int(graphs.block_start[1]))
    assert refine_blocks(graphs, part, np.zeros(part.stop, bool), 1000).sum() == 0


def test_thresholds_of_trained_nodes_only() -> None:
    graphs = make_graphs(PAGES, ("body",))
    scores = np.where(graphs.label[:, 0] > 0, 0.4, 0.2).astype(np.float32)
    is_text = np.zeros(len(scores), bool)
    is_text[graphs.text_row] = True
    scores[~is_text] = 0.9  # of nodes that were not trained
    assert 0.2 < find_threshold_by_nodes([graphs], [scores], text_only=True) <= 0.4
    assert score_threshold([graphs], [scores], 0.3) < 0.5


STOPS = [
    ("falls", [3, 2, 1, 0], False),
    ("rises three times", [3, 4, 5, 6], True),
    ("rises twice, falls, rises", [3, 4, 5, 4, 5], False),
    ("too few epochs", [3, 4, 5], False),
]


@pytest.mark.parametrize(("losses", "is_stopped"), [case[1:] for case in STOPS], ids=[case[0] for case in STOPS])
def test_early_stop(losses: list[float], is_stopped: bool) -> None:
    assert has_stopped_improving([(0.0, loss) for loss in losses], patience=3) is is_stopped


@pytest.fixture
def options(tmp_path: Path) -> TrainingOptions:
    rows = [
        {name: getattr(record, name) for name in ("id", "html", "dataset", "text", "title", "date", "comments")}
        for record in map(make_record, range(12))
    ]
    for split in ("train", "dev"):
        (tmp_path / f"toy.{split}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    work = tmp_path / "work"
    work.mkdir()
    return TrainingOptions(tmp_path, tmp_path / "out", work, report=lambda line: None)


PARITY = {
    "as published": GcnConfig(),
    "two layers, all switches": GcnConfig(layers=2, has_bias=True, reads_names=True, has_extra_numbers=True),
    "several classes": GcnConfig(classes=("body", "title", "date", "comment")),
    "exclusive classes": GcnConfig(classes=("body", "title"), is_exclusive=True),
}


@pytest.mark.train
@pytest.mark.parametrize("config", PARITY.values(), ids=PARITY.keys())
def test_numpy_network_equals_torch(config: GcnConfig, options: TrainingOptions) -> None:
    from broadsheet.methods.gcn.train_network import export_arrays, fit_network, learn_tags, predict_nodes

    graphs = make_graphs(PAGES, config.classes)
    tags = learn_tags([graphs], 0)
    plan = NetworkPlan(config, FitConfig(epochs=2, rate=1e-3))
    network = fit_network(GraphData([graphs], [graphs], tags), plan, options).network
    arrays = {"tags": tags.vectors, **export_arrays(network)}
    numpy_network = GcnNetwork(config, arrays, tags.tags, load_words())
    page = read_page(RECORDS[2].html)
    styles = compute_styles(page)
    predicted = numpy_network.predict(read_features(page, styles, find_boxes(page, styles), config))
    full_precision: Any = {"text_vector": read_sentences(page), "name_vector": load_words().sif([("date",), ("c",)])}
    exact = replace(make_graphs([PAGES[2]], ("body",)), **full_precision)
    assert np.abs(predicted - predict_nodes(network, exact, tags, config)).max() <= 1e-5


def read_sentences(page: Page) -> NDArray[np.float32]:
    """Return sentence vectors in full precision: graphs store half precision."""
    styles = compute_styles(page)
    return load_words().sif(read_features(page, styles, find_boxes(page, styles), GcnConfig()).texts)


@pytest.mark.train
def test_training_writes_weights_and_uses_checkpoints(
    options: TrainingOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    from broadsheet.methods.gcn import train as gcn

    monkeypatch.setattr(gcn, "SHIPPED_FIT", replace(gcn.SHIPPED_FIT, epochs=30, rate=3e-3, batch_pages=4))
    options = replace(options, epochs=30)
    gcn.train_gcn(options)
    first = (options.output / "weights.safetensors").read_bytes()
    assert "| toy | 12 | your own data |" in (options.output / "README.md").read_text("utf-8")
    page = read_page(RECORDS[0].html)
    blocks = segment(page)
    labels = Gcn(weights=options.output).label(page, blocks)
    kept = [text for text, role in zip(blocks.text, labels.roles, strict=True) if role == "body"]
    assert [text[:8] for text in kept if text.startswith("Part")] == ["Part 0 a", "Part 0 b", "Part 0 c"]
    gcn.train_gcn(options)  # restored from the checkpoint
    assert (options.output / "weights.safetensors").read_bytes() == first


@pytest.mark.train
def test_training_as_published(options: TrainingOptions) -> None:
    from broadsheet.methods.gcn import train as gcn

    lines: list[str] = []
    gcn.train_published(replace(options, epochs=1, report=lines.append))
    assert [line.partition(":")[0] for line in lines if line.startswith("run")] == [
        f"run {run} of 5" for run in range(1, 6)
    ]
    config = PublishedGcn(weights=options.output).config
    assert replace(config, thresholds=()) == GcnConfig()
    folder = options.output.with_name("gcn2")
    gcn.train_published(replace(options, epochs=1, layers=2, output=folder, report=lines.append))
    assert PublishedGcn2(weights=folder).config.layers == 2
    assert json.loads((folder / "config.json").read_text("utf-8"))["method"] == "gcn2-published"


@pytest.mark.train
def test_several_classes(options: TrainingOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    from broadsheet.methods.gcn import train as gcn

    monkeypatch.setattr(gcn, "SHIPPED_FIT", replace(gcn.SHIPPED_FIT, epochs=2))
    gcn.train_gcn(replace(options, epochs=2, classes=("body", "title", "date", "comment")))
    page = read_page(RECORDS[0].html)
    labels = Gcn(weights=options.output).label(page, segment(page))
    assert len(labels.roles) == len(segment(page))
