"""The tables of the papers: figures, baselines and sets of pages. They need no labelled pages."""

from __future__ import annotations

from dataclasses import fields
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("benchmarks", reason="the benchmarks are not in the source distribution")

from benchmarks.gcn_tables import take_pages
from benchmarks.harness import GoldPage
from benchmarks.papers.__main__ import PAGES as DOCUMENTS
from benchmarks.papers.__main__ import PAPERS, list_tables
from benchmarks.papers.figures import draw_lines
from benchmarks.papers.stadynot import make_whole
from benchmarks.papers.tables import Contender, Interval, measure_half_interval, print_scores, score_pages
from tests.methods.gcn.test_train import PAGES

from broadsheet.corpora import Record
from broadsheet.methods.gcn import GcnConfig
from broadsheet.methods.gcn.train_data import make_graphs


def test_each_marker_names_a_table() -> None:
    lines = [line for path in DOCUMENTS.glob("*.md") for line in path.read_text("utf-8").splitlines()]
    markers = {tuple(line.split()[2:4]) for line in lines if line.startswith("<!-- papers:")}
    assert set(PAPERS) <= {paper for paper, _ in markers}
    assert all(table in list_tables(paper) for paper, table in markers)


def test_a_figure_has_a_line_for_each_series() -> None:
    root = ElementTree.fromstring(
        draw_lines("word F1 < 1", (1, 2, 4), {"a": [0.5, 0.6, 0.55], "b & c": [0.1, 0.2, 0.9]})
    )
    lines = [element.get("points", "").split() for element in root.iter() if element.tag.endswith("polyline")]
    assert [len(points) for points in lines] == [3, 3]
    heights = [float(point.split(",")[1]) for point in lines[0]]
    assert heights[1] < heights[2] < heights[0]  # y grows downwards


def test_intervals_shrink_with_pages() -> None:
    values = [0.0, 1.0] * 20
    assert 0.1 < measure_half_interval(values) < 0.2
    assert measure_half_interval(values * 16) < 0.05
    assert measure_half_interval([0.7] * 5) == 0


def test_whole_pages_have_title_author_and_date() -> None:
    html = "<title>Ferry</title><h1>Ferry</h1><p>By Ann</p><p>It stays.</p>"
    whole = make_whole(Record("a/1", html, dataset="a", title="Ferry", text="It stays.", byline=("By Ann",)))
    assert whole.score("Ferry\nBy Ann\nIt stays.").f1 == 1
    assert whole.score("It stays.").recall == pytest.approx(2 / 5)


def test_take_pages() -> None:
    graphs = make_graphs(PAGES, ("body",))
    taken, alone = take_pages(graphs, [4, 1]), make_graphs([PAGES[4], PAGES[1]], ("body",))
    assert taken.ids == ["toy/4", "toy/1"]
    for field in fields(graphs):
        if field.name not in ("tags", "tag", "name_vector", "name_index"):  # numbered in order of occurrence
            assert np.array_equal(getattr(taken, field.name), getattr(alone, field.name)), field.name


@pytest.mark.train
def test_the_undirected_network_computes_equation_1() -> None:
    torch = pytest.importorskip("torch")
    from benchmarks.gcn_baselines import make_undirected

    from broadsheet.methods.gcn.train_network import learn_tags, make_batch, project_features

    graphs = make_graphs(PAGES[:1], ("body",))
    config = GcnConfig(layers=2)
    batch = make_batch(graphs, 0, 1, learn_tags([graphs], 0).arrange(graphs.tags), config)
    network = make_undirected(config, 0.0).eval()
    count = len(graphs.tag)
    joined = np.eye(count)
    for row, parent in enumerate(graphs.parent.tolist()):
        if parent >= 0:
            joined[row, parent] = joined[parent, row] = 1
    degree = joined.sum(axis=1)
    normalised = joined / np.sqrt(np.outer(degree, degree))
    with torch.no_grad():
        weights = [array.numpy() for array in network.weights]
        first = project_features(batch, network.weights[0], config).numpy()
        expected = np.maximum(normalised @ first, 0)
        expected = np.maximum(normalised @ expected @ weights[1], 0) @ weights[2]
        assert np.allclose(network(batch).numpy(), expected, atol=1e-4)


def test_an_extractor_that_is_not_installed_has_dashes(capsys: pytest.CaptureFixture[str]) -> None:
    page = GoldPage(Record("a/1", "<p>It stays.</p>", dataset="a", text="It stays."))
    print_scores("one page", {"other": Interval(score_pages([page], Contender(None)))}, {"other": (0.5, 0.5, 0.5)})
    assert "| other | – | – | – |" in capsys.readouterr().out
