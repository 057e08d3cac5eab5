"""Training of fusion: labels of blocks, parity of torch and NumPy, and a run from pages to weights."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from broadsheet.blocks import Role, segment
from broadsheet.corpora import Record
from broadsheet.methods.fusion import Fusion
from broadsheet.methods.fusion.exactness import ExactnessModel
from broadsheet.methods.fusion.network import BlockNetwork, read_input
from broadsheet.methods.fusion.page_features import HEAD_NAMES, OUTCOME_NAMES, read_forests
from broadsheet.methods.fusion.train import (
    average_predictions,
    choose_folds,
    find_convention,
    find_held_out,
    find_other_content,
    ignore_late_blocks,
    make_pseudo_labels,
    measure_held_out,
)
from broadsheet.methods.fusion.train_data import FusionPages, gather_pages, load_pages, measure_pages
from broadsheet.methods.fusion.train_forests import (
    find_labelled_pages,
    find_trained_types,
    measure_calibration,
    measure_dev,
    score_pages,
)
from broadsheet.methods.fusion.train_labels import ROLES, UNKNOWN, label_blocks
from broadsheet.methods.fusion.train_readout import choose_penalty, compute_states, fit_readout
from broadsheet.methods.fusion.train_recipe import FusionRecipe, adapt_recipe
from broadsheet.methods.fusion.train_tune import keep_other_roles, number_templates
from broadsheet.models import load_weights
from broadsheet.page import read_page
from broadsheet.training.datasets import is_held_out
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import LabelledPage, label_page

MENU = "<ul class=menu><li><a href=/>Home</a></li><li><a href=/news>News</a></li></ul>"
PROSE = "The council met on Tuesday, and after a long debate it voted to keep the ferry number {}."


def make_record(number: int, *, page_type: str = "article") -> Record:
    """Make a page: two menu items, headline, by-line, date, one to five paragraphs, comment, footer."""
    paragraphs = [PROSE.format(f"{number} {at}") for at in range(number % 5 + 1)]
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    html = (
        f"<html><title>Ferry {number}</title><body>{MENU}<div class=article-body><h1>Ferry {number}</h1>"
        f"<p class=author>By Ann Lee</p><p class=date>5 May 2020</p>{body}</div>"
        f"<p class=comment>First!</p><div class=footer>All rights reserved {number}</div></body></html>"
    )
    return Record(
        id=f"toy/{number}",
        html=html,
        dataset="toy",
        site=f"site{number % 7}",
        page_type=page_type,
        text="\n".join(paragraphs) if page_type == "article" and number % 4 else None,
        title=f"Ferry {number}",
        authors=("Ann Lee",),
        date="2020-05-05",
        comments="First!",
    )


def read(record: Record) -> LabelledPage:
    labelled = label_page(record)
    assert labelled is not None
    return labelled


def write_dataset(folder: Path, split: str, records: list[Record]) -> None:
    names = ("id", "html", "dataset", "site", "page_type", "text", "title", "authors", "date", "comments")
    rows = [json.dumps({name: getattr(record, name) for name in names}) for record in records]
    (folder / f"toy.{split}.jsonl").write_text("\n".join(rows), "utf-8")


def label(record: Record) -> dict[str, list[int]]:
    labels = label_blocks(read(record))
    return {role: labels[:, column].tolist() for column, role in enumerate(ROLES)}


def test_labels() -> None:
    assert label(make_record(1)) == {
        "content": [0, 0, UNKNOWN, 0, 0, 1, 1, 0, 0],  # only some gold texts include the headline
        "comment": [0, 0, 0, 0, 0, 0, 0, 1, 0],
        "title": [0, 0, 1, 0, 0, 0, 0, 0, 0],
        "byline": [0, 0, 0, 1, 0, 0, 0, 0, 0],
        "date": [0, 0, 0, 0, 1, 0, 0, 0, 0],
        "caption": [UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, 0, 0, UNKNOWN, UNKNOWN],
    }


def test_labels_of_all_roles() -> None:
    record = replace(
        make_record(1),
        comments=None,
        byline=("By Ann Lee",),
        dateline=("5 May 2020",),
        captions=(),
        unsure=("First!", PROSE.format("1 0")),  # the second one is also in the gold text
    )
    assert label(record) == {
        "content": [0, 0, UNKNOWN, 0, 0, 1, 1, UNKNOWN, 0],
        "comment": [0] * 9,
        "title": [0, 0, 1, 0, 0, 0, 0, 0, 0],
        "byline": [0, 0, 0, 1, 0, 0, 0, 0, 0],
        "date": [0, 0, 0, 0, 1, 0, 0, 0, 0],
        "caption": [0] * 9,
    }


def test_article_text_is_no_comment() -> None:
    labels = label(replace(make_record(1), comments=None))
    assert labels["comment"] == [UNKNOWN] * 5 + [0, 0] + [UNKNOWN] * 2


def test_link_paragraphs_of_a_gold_text_are_unknown() -> None:
    link = "Read more about the ferry and its long history"
    html = f"<p>{PROSE}</p><p><a href=/x>{link}</a></p><p>{PROSE} Again.</p>"
    record = Record(id="a", html=html, text=f"{PROSE}\n{link}\n{PROSE} Again.")
    assert label(record)["content"] == [1, UNKNOWN, 1]


def test_blocks_after_the_gold_text_that_teachers_are_sure_of_are_unknown() -> None:
    pages = gather_pages([read(make_record(1)), read(replace(make_record(1), captions=()))])
    sure = np.full((9, len(ROLES)), 0.95, np.float32)
    labels = ignore_late_blocks(pages, [sure, sure])
    assert labels[:9, 0].tolist() == [0, 0, UNKNOWN, 0, 0, 1, 1, UNKNOWN, UNKNOWN]
    assert labels[9:, 0].tolist() == [0, 0, UNKNOWN, 0, 0, 1, 1, 0, 0]  # all roles are labelled: nothing is ignored


@pytest.mark.parametrize(("captions", "convention"), [(None, 0), ((), 1)])
def test_convention_is_that_of_pages_with_all_roles(captions: tuple[str, ...] | None, convention: int) -> None:
    pages = gather_pages([read(replace(make_record(1), captions=captions))])
    assert find_convention(pages, ("toy",)) == convention


@pytest.mark.parametrize(
    "record",
    [
        Record(id="a", html="<p>Some text.</p>"),
        Record(id="b", html="<p>Some text.</p>", text="Another.", title="X", authors=("Bob",), date="2020-01-02"),
        Record(id="c", html="<p>Some text.</p>", text="Some text.", gold_recall=0.3),
        Record(id="d", html="<p>Some text.</p>", comments="A reader wrote this."),
    ],
)
def test_missing_labels_are_unknown(record: Record) -> None:
    assert label(record) == {role: [UNKNOWN] for role in ROLES}


def test_pages_are_cached(tmp_path: Path) -> None:
    for split in ("train", "dev"):
        write_dataset(tmp_path, split, [make_record(number) for number in range(3)])
    options = TrainingOptions(tmp_path, tmp_path / "weights", tmp_path / "work")
    pages, cached = load_pages(options, "dev"), load_pages(options, "dev")
    assert np.diff(pages.block_starts).tolist() == [8, 9, 10]
    assert pages.rows(1) == slice(8, 17)
    assert (cached.values == pages.values).all()
    assert cached.ids.tolist() == ["toy/0", "toy/1", "toy/2"]
    assert len(list(options.work.iterdir())) == 1


def test_a_tenth_of_the_sites_is_held_out(tmp_path: Path) -> None:
    records = [replace(make_record(number), site=f"town{number}") for number in range(40)]
    for split in ("train", "dev"):
        write_dataset(tmp_path, split, records)
    options = TrainingOptions(tmp_path, tmp_path / "weights", tmp_path / "work")
    pages, kept = (load_pages(replace(options, is_tenth_held_out=flag), "train") for flag in (False, True))
    held_out = [is_held_out(site) for site in pages.sites.tolist()]
    assert 0 < sum(held_out) < 10
    assert kept.sites.tolist() == [
        site for site, is_out in zip(pages.sites.tolist(), held_out, strict=True) if not is_out
    ]
    expected = gather_pages([read(record) for record, is_out in zip(records, held_out, strict=True) if not is_out])
    for column in fields(FusionPages):
        assert (getattr(kept, column.name) == getattr(expected, column.name)).all(), column.name
    assert len(load_pages(replace(options, is_tenth_held_out=True), "dev")) == 40


def test_other_content_is_that_of_pages_that_are_no_articles() -> None:
    types = ("article", "product", "forum", None, "listing")
    records = [replace(make_record(1), id=str(number), page_type=kind) for number, kind in enumerate(types)]
    pages = gather_pages([read(record) for record in records])
    assert find_other_content(pages, find_labelled_pages(pages)).tolist() == [1, 4]


def test_exactness_is_measured_on_sites_that_teachers_have_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [
        replace(make_record(number + 1 - number % 4), site=f"town{number}", captions=(), comments=None)
        for number in range(40)
    ]
    pages = gather_pages([read(record) for record in records])
    assert not len(find_held_out(pages))  # too few sites
    monkeypatch.setattr("broadsheet.methods.fusion.train.MIN_HELD_OUT_SITES", 40)
    held_out = find_held_out(pages)
    assert [is_held_out(site) for site in pages.sites.tolist()] == np.isin(np.arange(40), held_out).tolist()
    assert len(held_out) >= 2
    # Right on all pages but one.
    predictions = [np.eye(len(ROLES), dtype=np.float32)[pages.labels[pages.rows(page)].argmax(1)] for page in range(40)]
    for page, roles in enumerate(predictions):
        roles[:, 0] = np.where(pages.labels[pages.rows(page), 0] == 1, 0.95, 0.05)
    predictions[held_out[0]][:, 0] = 0.6
    model = ExactnessModel((0.0,) * 6, (1.0,) * 6, (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1.0)
    (value,) = measure_held_out(pages, predictions, model).values()
    assert value.split(", ")[:2] == [str(len(held_out)), "1.000"]
    assert value.endswith("1.000")
    assert measure_held_out(pages, predictions, None) == {}


@pytest.mark.parametrize(
    ("page_type", "trained"),
    [("forum", "forum"), ("collection", "listing"), ("listing", "listing"), ("other", ""), ("", "")],
)
def test_trained_types(page_type: str, trained: str) -> None:
    assert find_trained_types(np.array([page_type])).tolist() == [trained]


def test_pseudo_labels() -> None:
    pages = gather_pages([read(make_record(number)) for number in range(3)])
    predictions = [np.full((8 + number, len(ROLES)), 0.25 * (number + 1), np.float32) for number in range(3)]
    pseudo_labels = make_pseudo_labels(pages, np.array([1]), predictions)
    assert pseudo_labels.tolist() == [-1] * 8 + [0.5] * 9 + [-1] * 10


def test_page_scores() -> None:
    pages = gather_pages([read(make_record(1))])
    right = np.where(pages.labels == 1, 0.99, 0.01).astype(np.float32)
    chosen = np.array([0])
    assert score_pages(pages, chosen, [right]).tolist() == [1.0]
    assert score_pages(pages, chosen, [1 - right])[0] < 0.1


@pytest.mark.parametrize(
    ("expected", "scores", "error"),
    [
        ([0.95, 0.95], [0.95, 0.95], 0.0),
        ([0.95, 0.95], [1.0, 0.9], 0.0),  # correct on average
        ([0.95, 0.15], [0.75, 0.15], 0.1),
    ],
)
def test_calibration(expected: list[float], scores: list[float], error: float) -> None:
    assert measure_calibration(np.array(expected), np.array(scores)) == pytest.approx(error)


@pytest.mark.parametrize(
    ("pages", "sites", "epochs", "expected"),
    [
        (5000, 1000, None, FusionRecipe()),
        (5000, 400, None, FusionRecipe()),
        (60, 60, None, FusionRecipe(batch=10, epochs=67, teacher_epochs=100, min_sites=3, min_word_sites=6)),
        (60, 1, None, FusionRecipe(batch=10, epochs=67, teacher_epochs=100, min_sites=1, min_word_sites=1)),
        (12, 7, 3, FusionRecipe(batch=4, epochs=3, teacher_epochs=3, min_sites=2, min_word_sites=2)),
    ],
)
def test_recipe_for_few_pages(pages: int, sites: int, epochs: int | None, expected: FusionRecipe) -> None:
    options = TrainingOptions(Path(), Path(), Path(), epochs=epochs)
    assert adapt_recipe(FusionRecipe(), options, pages=pages, sites=sites) == expected


@pytest.mark.parametrize("site", ["site{}", "one"])
def test_every_fold_has_labelled_pages(site: str) -> None:
    records = [replace(make_record(number), site=site.format(number)) for number in range(16)]
    records.append(replace(records[1], id=f"{records[1].id}+"))
    pages = gather_pages([read(record) for record in records])
    labelled = find_labelled_pages(pages)
    folds = choose_folds(pages, labelled, 3)
    assert set(folds[labelled].tolist()) == {0, 1, 2}
    assert folds[-1] == folds[1]  # a composed page is in the fold of its original


@pytest.mark.parametrize(
    ("changes", "measures"),
    [
        ({}, ["F1 of characters, mean of dev sets", "F1 of characters, toy.dev", "expected calibration error, dev"]),
        ({"text": None}, []),
        ({"text": None, "page_type": None}, []),
    ],
)
def test_measures_without_labels_are_left_out(changes: dict[str, Any], measures: list[str]) -> None:
    pages = gather_pages([read(replace(make_record(number), **changes)) for number in range(1, 4)])
    sizes = [pages.rows(page).stop - pages.rows(page).start for page in range(3)]
    predictions = [np.full((size, len(ROLES)), 0.5, np.float32) for size in sizes]
    forests = read_forests(load_weights("fusion"), len(HEAD_NAMES) + len(OUTCOME_NAMES))
    assert list(measure_dev(pages, predictions, forests)) == measures


def test_output_layer_learns_labels(tmp_path: Path) -> None:
    """The footer is labelled as article text, which the shipped weights do not expect."""
    records = [make_record(number) for number in range(24)]
    records = [
        replace(record, text=f"{record.text}\nAll rights reserved {number}" if record.text else None)
        for number, record in enumerate(records)
    ]
    for split in ("train", "dev"):
        write_dataset(tmp_path, split, records)
    pages = measure_pages(TrainingOptions(tmp_path, tmp_path, tmp_path), "train")
    start = load_weights("fusion")
    states = compute_states(pages, start)
    assert len(states) == 18
    assert np.isfinite(choose_penalty(states, start, range(len(states))))
    assert np.isinf(choose_penalty(states, start, number_templates(pages)[: len(states)]))  # one template says nothing
    footers = {}
    for penalty in (np.inf, 1.0):
        arrays = fit_readout(states, start, penalty)
        footers[penalty] = BlockNetwork(arrays, start.config["network"]).run(pages[1].input)[-1, 0]
    assert footers[np.inf] < 0.3
    assert footers[1.0] > 0.7
    assert {name for name, array in arrays.items() if (array != start.arrays[name]).any()} == {
        f"member{member}.{name}" for member in range(2) for name in ("out", "out_bias")
    }


def test_penalty_is_infinite_if_nothing_is_gained(tmp_path: Path) -> None:
    """Labels that contradict one another predict nothing."""
    records = [make_record(number) for number in (1, 2, 3, 5, 6, 7, 9, 10, 11, 13)]
    for split in ("train", "dev"):
        write_dataset(tmp_path, split, records)
    start = load_weights("fusion")
    states = compute_states(measure_pages(TrainingOptions(tmp_path, tmp_path, tmp_path), "train"), start)
    generator = np.random.default_rng(0)
    random_states = [
        replace(page, is_content=generator.random(len(page.is_content)) < page.is_content.mean()) for page in states
    ]
    templates = range(len(states))
    assert choose_penalty(random_states, start, templates) >= choose_penalty(states, start, templates)


def test_roles_without_labels_are_kept() -> None:
    pages = gather_pages([read(replace(make_record(1), comments=None))])
    old = np.full((9, len(ROLES)), 0.25, np.float32)
    targets = keep_other_roles(pages, [old])
    assert targets[:, 0].tolist() == [-1] * 9
    assert targets[:, 1].tolist() == [0.25] * 5 + [-1] * 2 + [0.25] * 2  # article text is no comment
    assert targets[:, 2].tolist() == [-1] * 9  # the title is labelled


@pytest.mark.train
def test_numpy_network_equals_torch() -> None:
    import torch

    from broadsheet.methods.fusion.train_loop import Batcher, fit_preprocessing, predict_roles
    from broadsheet.methods.fusion.train_network import Shape, TrainableFusion, export_networks

    records = [make_record(number) for number in range(8)]
    pages = gather_pages([read(record) for record in records])
    preprocessing = fit_preprocessing(pages, FusionRecipe(min_sites=1, min_word_sites=1))
    torch.manual_seed(1)
    networks = [
        TrainableFusion(len(preprocessing.mean), preprocessing.vocabulary, shape, len(ROLES)).eval()
        for shape in (Shape(), Shape(name_columns=0))
    ]
    for network in networks:
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.copy_(parameter.normal_(0, 0.1).half())
            for table in (network.near, network.far, network.word, network.dataset):
                table.weight[0] = 0
            # The sum is stored in half precision.
            network.dataset.weight[1] = (network.mix.bias + network.dataset.weight[1]).half() - network.mix.bias
    exported = export_networks(networks, preprocessing, convention=1)
    numpy_network = BlockNetwork(exported.arrays, exported.config)
    batcher, chosen = Batcher(pages, preprocessing), np.arange(len(pages))
    predictions = average_predictions([predict_roles(network, batcher, chosen, 1) for network in networks])
    for record, expected in zip(records, predictions, strict=True):
        page = read_page(record.html)
        measured = read_input(page, segment(page))
        measured.features[:] = measured.features.astype(np.float16)  # the precision of the training data
        np.testing.assert_allclose(numpy_network.run(measured), expected, atol=1e-5)


@pytest.mark.train
def test_shipped_networks_can_be_continued() -> None:
    from broadsheet.methods.fusion.train_network import export_networks, import_networks

    start = load_weights("fusion")
    imported = import_networks(start)
    exported = export_networks(imported.networks, imported.preprocessing, 0)
    assert exported.config == start.config["network"]
    for name, array in exported.arrays.items():
        np.testing.assert_array_equal(array, start.arrays[name], err_msg=name)


@pytest.mark.train
def test_from_pages_to_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from broadsheet.methods.fusion import train as fusion

    recipe = FusionRecipe(folds=2, batch=4, rate=0.01, min_sites=2, min_word_sites=2)
    monkeypatch.setattr(fusion, "FusionRecipe", lambda: recipe)
    for split, numbers in (("train", range(60)), ("dev", range(60, 80))):
        page_types = ("forum", "article", "article")
        write_dataset(tmp_path, split, [make_record(at, page_type=page_types[at % 3]) for at in numbers])
    lines: list[str] = []
    options = TrainingOptions(tmp_path, tmp_path / "weights", tmp_path / "work", epochs=5, report=lines.append)
    fusion.train_fusion(options)
    epochs = sum(line.startswith("epoch") for line in lines)
    assert epochs == 4 * 5
    first = (tmp_path / "weights" / "weights.safetensors").read_bytes()
    fusion.train_fusion(options)  # all networks are restored from their checkpoints
    assert sum(line.startswith("epoch") for line in lines) == epochs
    assert (tmp_path / "weights" / "weights.safetensors").read_bytes() == first
    fusion.train_fusion(
        replace(options, seed=1, output=tmp_path / "others")
    )  # another seed does not use the checkpoints
    assert sum(line.startswith("epoch") for line in lines) == 2 * epochs
    assert (tmp_path / "others" / "weights.safetensors").read_bytes() != first
    page = read_page(make_record(3).html)
    labels = Fusion(weights=tmp_path / "weights").label(page, segment(page))
    assert labels.roles[5:9] == [Role.BODY] * 4
    assert labels.roles[0] is Role.BOILERPLATE
    assert labels.confidence is not None
    forum = read_page(make_record(0).html)
    assert Fusion(weights=tmp_path / "weights").label(forum, segment(forum)).page_type in {None, "forum"}
    assert json.loads((tmp_path / "weights" / "config.json").read_bytes())["page_types"] == ["forum"]
    assert "| toy |" in (tmp_path / "weights" / "README.md").read_text("utf-8")
