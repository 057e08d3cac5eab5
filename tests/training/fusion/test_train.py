"""Fusion: what people know of a page told of its blocks; the network in torch and in NumPy; from pages to weights."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from broadsheet.blocks import Role, segment
from broadsheet.corpora import Record
from broadsheet.methods.fusion import Fusion
from broadsheet.methods.fusion.inputs import read_input
from broadsheet.methods.fusion.network import BlockNetwork
from broadsheet.page import read_page
from broadsheet.training.fusion.labels import ROLES, UNKNOWN, label_blocks
from broadsheet.training.fusion.pages import gather_pages, load_or_gather
from broadsheet.training.fusion.verdict import measure_calibration, score_pages
from broadsheet.training.options import TrainingOptions

MENU = "<ul class=menu><li><a href=/>Home</a></li><li><a href=/news>News</a></li></ul>"
PROSE = "The council met on Tuesday, and after a long debate it voted to keep the ferry number {}."


def make_record(number: int, *, kind: str = "article") -> Record:
    """A page of six or more blocks: two of a menu, headline, by-line, date, paragraphs, a comment, the footer."""
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
        page_type=kind,
        text="\n".join(paragraphs) if kind == "article" and number % 4 else None,
        title=f"Ferry {number}",
        authors=("Ann Lee",),
        date="2020-05-05",
        comments="First!",
    )


def label(record: Record) -> dict[str, list[int]]:
    page = read_page(record.html)
    found = label_blocks(page, segment(page), record)
    return {role: found[:, at].tolist() for at, role in enumerate(ROLES)}


def test_labels() -> None:
    assert label(make_record(1)) == {
        "content": [0, 0, UNKNOWN, 0, 0, 1, 1, 0, 0],  # gold texts have the headline or leave it out as they please
        "comment": [0, 0, 0, 0, 0, 0, 0, 1, 0],
        "title": [0, 0, 1, 0, 0, 0, 0, 0, 0],
        "byline": [0, 0, 0, 1, 0, 0, 0, 0, 0],
        "date": [0, 0, 0, 0, 1, 0, 0, 0, 0],
    }


@pytest.mark.parametrize(
    "record",
    [
        Record(id="a", html="<p>Some text.</p>"),
        Record(id="b", html="<p>Some text.</p>", text="Another.", title="X", authors=("Bob",), date="2020-01-02"),
        Record(id="c", html="<p>Some text.</p>", text="Some text.", gold_recall=0.3),
        Record(id="d", html="<p>Some text.</p>", comments="A reader wrote this."),
    ],
)
def test_what_nobody_said_is_unknown(record: Record) -> None:
    assert label(record) == {role: [UNKNOWN] for role in ROLES}


def test_pages_are_kept(tmp_path: Path) -> None:
    records = [make_record(number) for number in range(3)]
    pages = load_or_gather(tmp_path / "kept.npz", records)
    again = load_or_gather(tmp_path / "kept.npz", [])
    assert np.diff(pages.block_starts).tolist() == [8, 9, 10]
    assert (again.values == pages.values).all()
    assert again.ids.tolist() == ["toy/0", "toy/1", "toy/2"]
    assert not (tmp_path / "kept.part.npz").exists()


def test_scores_of_pages() -> None:
    pages = gather_pages([make_record(1)])
    right = np.where(pages.labels == 1, 0.99, 0.01).astype(np.float32)
    chosen = np.array([0])
    assert score_pages(pages, chosen, [right]).tolist() == [1.0]
    assert score_pages(pages, chosen, [1 - right])[0] < 0.1


@pytest.mark.parametrize(
    ("expected", "scores", "error"),
    [
        ([0.95, 0.95], [0.95, 0.95], 0.0),
        ([0.95, 0.95], [1.0, 0.9], 0.0),  # right on average
        ([0.95, 0.15], [0.75, 0.15], 0.1),
    ],
)
def test_calibration(expected: list[float], scores: list[float], error: float) -> None:
    assert measure_calibration(np.array(expected), np.array(scores)) == pytest.approx(error)


@pytest.mark.train
def test_light_code_gives_what_torch_gives() -> None:
    import torch

    from broadsheet.training.fusion.batches import Batcher, find_known
    from broadsheet.training.fusion.export import export_network
    from broadsheet.training.fusion.loop import predict
    from broadsheet.training.fusion.network import Network, Shape

    records = [make_record(number) for number in range(8)]
    pages = gather_pages(records)
    known = find_known(pages, 1)
    torch.manual_seed(1)
    network = Network(len(known.mean), known.vocabulary, Shape(), len(ROLES)).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(parameter.normal_(0, 0.1).half())
        for table in (network.near, network.far, network.convention):
            table.weight[0] = 0
    light = BlockNetwork(*export_network(network, known))
    for record, slow in zip(records, predict(network, Batcher(pages, known), np.arange(len(pages))), strict=True):
        page = read_page(record.html)
        measured = read_input(page, segment(page))
        measured.features[:] = measured.features.astype(np.float16)  # as kept for training
        np.testing.assert_allclose(light.run(measured), slow, atol=1e-5)


@pytest.mark.train
def test_from_pages_to_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from broadsheet.training.fusion import train as fusion
    from broadsheet.training.fusion.recipe import Recipe

    recipe = Recipe(epochs=6, teacher_epochs=2, folds=2, batch=4, rate=0.01, min_sites=2)
    monkeypatch.setattr(fusion, "Recipe", lambda: recipe)
    for split, numbers in (("train", range(60)), ("dev", range(60, 80))):
        records = [make_record(at, kind="article" if at % 3 else "other") for at in numbers]
        names = ("id", "html", "dataset", "site", "page_type", "text", "title", "authors", "date", "comments")
        rows = [json.dumps({name: getattr(record, name) for name in names}) for record in records]
        (tmp_path / f"toy.{split}.jsonl").write_text("\n".join(rows), "utf-8")
    lines: list[str] = []
    options = TrainingOptions(tmp_path, tmp_path / "weights", tmp_path / "work", report=lines.append)
    fusion.train_fusion(options)
    epochs = sum(line.startswith("epoch") for line in lines)
    assert epochs == 2 * 2 + 6
    first = (tmp_path / "weights" / "weights.safetensors").read_bytes()
    fusion.train_fusion(options)  # nothing is left to learn
    assert sum(line.startswith("epoch") for line in lines) == epochs
    assert (tmp_path / "weights" / "weights.safetensors").read_bytes() == first
    fusion.train_fusion(replace(options, seed=1, output=tmp_path / "others"))  # others: nothing of the first is taken
    assert sum(line.startswith("epoch") for line in lines) == 2 * epochs
    assert (tmp_path / "others" / "weights.safetensors").read_bytes() != first
    page = read_page(make_record(3).html)
    labels = Fusion(weights=tmp_path / "weights").label(page, segment(page))
    assert labels.roles[5:9] == [Role.BODY] * 4
    assert labels.roles[0] is Role.BOILERPLATE
    assert labels.confidence is not None
    assert "| toy |" in (tmp_path / "weights" / "README.md").read_text("utf-8")
