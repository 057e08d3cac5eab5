"""Training of SemText: columns of pages, parity of torch and NumPy, and a run from pages to weights."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from broadsheet.blocks import Role, segment
from broadsheet.corpora import Record
from broadsheet.methods.semtext import Semtext, SemtextConfig, train
from broadsheet.methods.semtext.features import read_input
from broadsheet.methods.semtext.network import find_probabilities, read_network
from broadsheet.methods.semtext.train_data import UNKNOWN, label_blocks, load_examples, make_examples, score_units
from broadsheet.models import Weights
from broadsheet.models.words import load_words
from broadsheet.page import read_page
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import LabelledPage, label_page

MENU = "<ul class=menu><li><a href=/>Home</a></li><li><a href=/news>News</a></li></ul>"
PROSE = "The council met on Tuesday, and after a long debate it voted to keep the ferry number {}."
SMALL = SemtextConfig(
    kernels=((3, 4), (5, 4), (7, 8)),
    hidden=6,
    has_features=True,
    threshold=0.5,
    max_blocks=8,
    overlap=3,
    combines=False,
)


def make_record(number: int) -> Record:
    paragraphs = [PROSE.format(f"{number} {at}") for at in range(number % 5 + 1)]
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    html = (
        f"<html><title>Ferry {number}</title><body>{MENU}<div class=article-body><h1>Ferry {number}</h1>{body}</div>"
        f"<div class=footer>All rights reserved {number}</div></body></html>"
    )
    return Record(id=f"toy/{number}", html=html, dataset="toy", text="\n".join(paragraphs))


def read(record: Record) -> LabelledPage:
    labelled = label_page(record)
    assert labelled is not None
    return labelled


def write_dataset(folder: Path, name: str, numbers: range) -> None:
    records = [make_record(number) for number in numbers]
    rows = [{"id": record.id, "html": record.html, "text": record.text, "dataset": "aed"} for record in records]
    (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")


def test_label_of_the_headline_is_unknown() -> None:
    assert label_blocks(read(make_record(1))) == [0, 0, UNKNOWN, 1, 1, 0]


def test_columns(tmp_path: Path) -> None:
    write_dataset(tmp_path, "aed.train", range(3))
    write_dataset(tmp_path, "aed.dev", range(3, 5))
    options = TrainingOptions(tmp_path, tmp_path / "weights", tmp_path / "work")
    load_examples(options, "train", SemtextConfig(), None)
    examples = load_examples(options, "train", SemtextConfig(), None)  # from the cache
    assert np.diff(examples.page_starts).tolist() == [4, 4, 4]  # menu, headline, text, footer
    assert np.diff(examples.block_starts).tolist() == [5, 6, 7]
    assert examples.gold.tolist() == [0, UNKNOWN, 1, 0] * 3
    texts = examples.strings["texts"]
    first = texts.values[texts.starts[0] : texts.starts[1]]
    assert [examples.vocabulary[word] for word in first] == ["home", "news"]
    assert score_units(examples, examples.gold == 1).f1 == 1
    assert score_units(examples, examples.gold != 1).f1 == 0


@pytest.mark.train
@pytest.mark.parametrize(
    "config", [SMALL, replace(SMALL, has_relu=True, max_words=8), replace(SMALL, strings=("texts",))]
)
def test_numpy_network_equals_torch(config: SemtextConfig) -> None:
    import torch

    from broadsheet.methods.semtext.train_loop import Pages, load_vectors, read_chain
    from broadsheet.methods.semtext.train_loop import find_probabilities as find_by_torch
    from broadsheet.methods.semtext.train_network import TrainableSemtext

    torch.manual_seed(3)
    network = TrainableSemtext(config, 200).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_(0, 0.3)
    weights = Weights(
        {name: value.numpy() for name, value in network.state_dict().items()}, {"network": asdict(config)}, Path()
    )
    numpy_network = read_network(weights)
    labelled = read(replace(make_record(4), html=str(make_record(4).html).replace(MENU, MENU * 20)))
    examples = make_examples([labelled], config)
    pages = Pages(examples, load_vectors(examples.vocabulary).float())
    probabilities = find_probabilities(
        numpy_network,
        read_input(labelled.page, labelled.blocks, config),
        lambda words: load_words().vectors(words).astype(np.float16).astype(np.float32),
    )
    np.testing.assert_allclose(probabilities, find_by_torch(network, pages), atol=1e-5)
    assert read_chain(network) == numpy_network.chain


@pytest.mark.train
def test_gradients_of_the_convolution() -> None:
    """The reference is the convolution of torch over strings padded with zeros."""
    import torch

    from broadsheet.methods.semtext.train_data import Ragged
    from broadsheet.methods.semtext.train_network import StringEncoder, gather_strings

    torch.manual_seed(0)
    lengths = [0, 1, 2, 5, 9, 10]
    random = np.random.default_rng(0)
    ragged = Ragged(random.integers(0, 30, sum(lengths)).astype(np.int32), np.cumsum([0, *lengths]))
    vectors = torch.randn(30, 7)
    encoder = StringEncoder(SemtextConfig(kernels=((3, 4), (5, 6)), max_words=10), 7)
    padded = torch.zeros(len(lengths), 10, 7)
    for at, length in enumerate(lengths):
        padded[at, :length] = vectors[torch.from_numpy(ragged.values[ragged.starts[at] : ragged.starts[at + 1]]).long()]
    encoded = encoder(gather_strings(ragged, np.arange(len(lengths)), vectors, 10))
    expected = torch.cat(
        [
            torch.nn.functional.conv1d(padded.transpose(1, 2), kernel.permute(2, 1, 0), bias).amax(2)
            for kernel, bias in zip(encoder.kernels, encoder.biases, strict=True)
        ],
        1,
    )
    torch.testing.assert_close(encoded, expected)
    parameters = list(encoder.parameters())
    weight = torch.randn_like(encoded)
    for gradient, reference in zip(
        torch.autograd.grad((encoded * weight).sum(), parameters),
        torch.autograd.grad((expected * weight).sum(), parameters),
        strict=True,
    ):
        torch.testing.assert_close(gradient, reference)


@pytest.mark.train
def test_from_pages_to_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from broadsheet.methods.semtext import train as semtext

    monkeypatch.setattr(semtext, "SHIPPED", replace(semtext.SHIPPED, config=SMALL, epochs=4, batch=4, rate=0.02))
    write_dataset(tmp_path, "aed.train", range(40))
    write_dataset(tmp_path, "aed.dev", range(40, 50))
    lines: list[str] = []
    options = TrainingOptions(tmp_path, tmp_path / "weights", tmp_path / "work", epochs=4, report=lines.append)
    semtext.train_shipped(options)
    assert [line[:12] for line in lines if line.startswith("epoch")] == [f"epoch {epoch} of 4" for epoch in range(1, 5)]
    lines.clear()
    semtext.train_shipped(options)  # restored from the checkpoint
    assert not any(line.startswith("epoch") for line in lines)
    semtext.train_shipped(replace(options, seed=1))  # another seed does not use the checkpoint
    assert sum(line.startswith("epoch") for line in lines) == 4
    semtext.train_shipped(options)
    page = read_page(make_record(3).html)
    roles = Semtext(weights=tmp_path / "weights").label(page, segment(page)).roles
    assert roles[0] is Role.BOILERPLATE
    assert roles[3:6] == [Role.BODY] * 3
    assert "| aed | 40 |" in (tmp_path / "weights" / "README.md").read_text("utf-8")


@pytest.mark.train
@pytest.mark.parametrize(("start", "given", "epochs"), [(None, None, 10), (None, 3, 3), ("shipped", None, None)])
def test_epochs_of_the_network_for_cleaneval(
    start: str | None, given: int | None, epochs: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the shipped network, the few pages were learned in 58 epochs; its card says 10."""
    calls: list[TrainingOptions] = []
    monkeypatch.setattr(train, "_train", lambda _model, options, _start: calls.append(options))
    train.tune_for_cleaneval(TrainingOptions(tmp_path, tmp_path, tmp_path, start=start, epochs=given))
    assert [options.epochs for options in calls] == [epochs]


@pytest.mark.parametrize(
    ("pages", "changes", "expected"),
    [
        (10_000, {}, ("adam", 1e-3, 10, None, "f1")),
        (48, {}, ("adam", 1e-3, 400, 80, "f1")),  # one step per epoch: the run stops early
        (48, {"epochs": 30}, ("adam", 1e-3, 30, None, "f1")),
        (10_000, {"optimizer": "sgd"}, ("sgd", 0.1, 10, None, "f1")),
    ],
)
def test_options_of_a_recipe(pages: int, changes: dict[str, Any], expected: tuple[object, ...]) -> None:
    options = replace(TrainingOptions(Path(), Path(), Path()), **changes)
    recipe = train._choose_recipe(train.PUBLISHED, options, pages)
    assert (recipe.optimizer, recipe.rate, recipe.epochs, recipe.patience, recipe.picks) == expected
