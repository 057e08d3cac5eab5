"""SemText: labelled pages as columns; the network in torch and in NumPy; a run from pages to weights."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from broadsheet.blocks import Role, segment
from broadsheet.corpora import Record
from broadsheet.embeddings import load_words
from broadsheet.methods.semtext import Semtext, SemtextConfig
from broadsheet.methods.semtext.inputs import read_input
from broadsheet.methods.semtext.network import find_probabilities, read_network
from broadsheet.models import Weights
from broadsheet.page import read_page
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import label_page
from broadsheet.training.semtext.data import UNKNOWN, label_blocks, make_examples, read_examples, save_examples
from broadsheet.training.semtext.scores import score_units

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


def test_labels_leave_the_headline_open() -> None:
    labelled = label_page(make_record(1))
    assert labelled is not None
    assert label_blocks(labelled) == [0, 0, UNKNOWN, 1, 1, 0]


def test_columns(tmp_path: Path) -> None:
    pages = [label_page(make_record(number)) for number in range(3)]
    examples = make_examples((page for page in pages if page), SemtextConfig())
    save_examples(tmp_path / "kept.npz", examples)
    examples = read_examples(tmp_path / "kept.npz")
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
def test_light_code_gives_what_torch_gives(config: SemtextConfig) -> None:
    import torch

    from broadsheet.training.semtext.loop import Pages, load_vectors, read_chain
    from broadsheet.training.semtext.loop import find_probabilities as find_slowly
    from broadsheet.training.semtext.network import Network

    torch.manual_seed(3)
    slow = Network(config, 200).eval()
    with torch.no_grad():
        for parameter in slow.parameters():
            parameter.normal_(0, 0.3)
    weights = Weights(
        {name: value.numpy() for name, value in slow.state_dict().items()}, {"network": asdict(config)}, Path()
    )
    light = read_network(weights)
    labelled = label_page(replace(make_record(4), html=str(make_record(4).html).replace(MENU, MENU * 20)))
    assert labelled is not None
    examples = make_examples(iter([labelled]), config)
    pages = Pages(examples, load_vectors(examples.vocabulary).float())
    found = find_probabilities(
        light,
        read_input(labelled.page, labelled.blocks, config),
        lambda words: load_words().vectors(words).astype(np.float16).astype(np.float32),
    )
    np.testing.assert_allclose(found, find_slowly(slow, pages), atol=1e-5)
    assert read_chain(slow) == light.chain


@pytest.mark.train
def test_gradients_of_the_convolution() -> None:
    """Against torch's own convolution over strings that are filled up with zeros."""
    import torch

    from broadsheet.training.semtext.data import Ragged
    from broadsheet.training.semtext.network import StringEncoder, gather_strings

    torch.manual_seed(0)
    lengths = [0, 1, 2, 5, 9, 10]
    random = np.random.default_rng(0)
    ragged = Ragged(random.integers(0, 30, sum(lengths)).astype(np.int32), np.cumsum([0, *lengths]))
    vectors = torch.randn(30, 7)
    encoder = StringEncoder(SemtextConfig(kernels=((3, 4), (5, 6)), max_words=10), 7)
    filled = torch.zeros(len(lengths), 10, 7)
    for at, length in enumerate(lengths):
        filled[at, :length] = vectors[torch.from_numpy(ragged.values[ragged.starts[at] : ragged.starts[at + 1]]).long()]
    found = encoder(gather_strings(ragged, np.arange(len(lengths)), vectors, 10))
    wanted = torch.cat(
        [
            torch.nn.functional.conv1d(filled.transpose(1, 2), kernel.permute(2, 1, 0), bias).amax(2)
            for kernel, bias in zip(encoder.kernels, encoder.biases, strict=True)
        ],
        1,
    )
    torch.testing.assert_close(found, wanted)
    parameters = list(encoder.parameters())
    weight = torch.randn_like(found)
    for own, other in zip(
        torch.autograd.grad((found * weight).sum(), parameters),
        torch.autograd.grad((wanted * weight).sum(), parameters),
        strict=True,
    ):
        torch.testing.assert_close(own, other)


@pytest.mark.train
def test_from_pages_to_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from broadsheet.training.semtext import recipes as semtext_recipes
    from broadsheet.training.semtext import train as semtext

    monkeypatch.setattr(
        semtext, "SHIPPED", replace(semtext_recipes.SHIPPED, config=SMALL, epochs=4, batch=4, rate=0.02)
    )
    for split, numbers in (("train", range(40)), ("dev", range(40, 50))):
        rows = [
            {"id": str(at), "html": make_record(at).html, "text": make_record(at).text, "dataset": "aed"}
            for at in numbers
        ]
        (tmp_path / f"aed.{split}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert "aed" in semtext_recipes.GOLD_SETS
    lines: list[str] = []
    options = TrainingOptions(tmp_path, tmp_path / "weights", tmp_path / "work", report=lines.append)
    options.work.mkdir()
    semtext.train_shipped(options)
    assert [line[:4] for line in lines[2:]] == ["| 1 ", "| 2 ", "| 3 ", "| 4 "]
    semtext.train_shipped(options)  # nothing is left to do
    assert len(lines) == 6 + 2
    page = read_page(make_record(3).html)
    roles = Semtext(weights=tmp_path / "weights").label(page, segment(page)).roles
    assert roles[0] is Role.BOILERPLATE
    assert roles[3:6] == [Role.BODY] * 3
    assert "| aed | 40 |" in (tmp_path / "weights" / "README.md").read_text("utf-8")
