"""`broadsheet train visual`, on pages written here."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

import broadsheet
from broadsheet.blocks import Role, segment
from broadsheet.corpora import Record
from broadsheet.errors import UsageError
from broadsheet.methods.visual import PublishedVisual, Visual, VisualConfig
from broadsheet.methods.visual.features import ATTRIBUTES
from broadsheet.methods.visual.train import (
    WEKA_FOREST,
    TitledPage,
    fit_date,
    keep_examined,
    train_published,
    train_visual,
)
from broadsheet.methods.visual.train_data import find_date_nodes, find_title_nodes, load_samples, sample_page
from broadsheet.models.weights import ARRAYS, CARD, CONFIG
from broadsheet.page import read_page
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import label_page

PLACES = "Harbour Mill Bridge Market Station Garden Tower Meadow Castle Forest".split()
PROSE = (
    "The council met on Tuesday, and after four hours of talk it kept the {place} that half of the town depends on. "
)


def write_page(number: int) -> dict[str, str]:
    place = PLACES[number % len(PLACES)]
    title = f"{place} stays open for {number + 3} more years"
    paragraphs = [PROSE.format(place=place) * (1 + (number + at) % 3) + f"Part {at}." for at in range(4 + number % 3)]
    menu = "".join(f"<li><a href=/{name}>{name} news</a></li>" for name in PLACES)
    teasers = "".join(
        f"<li><a href=/{name}{number}>{name} opens again, and all are glad</a></li>" for name in PLACES[:6]
    )
    html = f"""<html><head><title>{title} - The Courier</title><style>h1 {{ font-size: 32px }} .d {{ font-size: 11px }}</style></head>
      <body><ul class=menu>{menu}</ul><div class=story><h1>{title}</h1><div class=d>{number % 28 + 1} March 2021, 10:0{number % 10}</div>
      {"".join(f"<p>{text}</p>" for text in paragraphs)}</div><ul class=more>{teasers}</ul>
      <div class=footer>© 2021 The Courier. All rights reserved. Call 555 0{number % 10}.</div></body></html>"""
    return {
        "id": f"toy/{number}",
        "html": html,
        "title": title,
        "date": f"2021-03-{number % 28 + 1:02}",
        "text": "\n".join(paragraphs),
        "site": f"site{number % 7}.example",
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    for split, numbers in (("train", range(60)), ("dev", range(60, 66))):
        lines = (json.dumps(write_page(number)) for number in numbers)
        (folder / f"toy.{split}.jsonl").write_text("\n".join(lines), "utf-8")
    return folder


def test_samples_of_a_page() -> None:
    row = write_page(3)
    labelled = label_page(Record(**row))  # type: ignore[arg-type]
    assert labelled is not None
    samples = sample_page(labelled)
    assert samples.nodes.shape == (len(samples.positions), len(ATTRIBUTES))
    assert [int(samples.is_title.sum()), int(samples.is_date.sum()), int(samples.is_clue_date.sum())] == [1, 1, 1]
    assert int(samples.is_body.sum()) == 4
    assert samples.is_headline.tolist().index(True) == int(samples.block_of[samples.is_title.argmax()])


def test_samples_are_cached(data: Path, tmp_path: Path) -> None:
    options = TrainingOptions(data=data, output=tmp_path / "weights", work=tmp_path / "work", limit=3)
    rows = [write_page(number) for number in range(3)]
    rows[1].pop("text")
    (data / "toy.train.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    samples, cached = load_samples(options, "train")["toy"], load_samples(options, "train")["toy"]
    assert [page.has_body for page in samples] == [True, False, True]
    for page, other in zip(samples, cached, strict=True):
        for field in fields(page):
            assert np.array_equal(getattr(page, field.name), getattr(other, field.name))


def test_dates_outside_the_examined_nodes_are_named(data: Path) -> None:
    labelled = label_page(Record(**write_page(3)))  # type: ignore[arg-type]
    assert labelled is not None
    page = sample_page(labelled)
    titled = TitledPage(replace(page, is_date=np.zeros_like(page.is_date)), None)
    with pytest.raises(UsageError, match="no date is among the nodes that the method examines"):
        fit_date([titled], WEKA_FOREST, 0)


TITLES = [
    ("heading and link", "<ul><a href=x>Ferry stays</a></ul><h1>Ferry stays</h1>", ["Ferry stays"], 1),
    ("several nodes", "<h1>Ferry <em>stays</em></h1>", ["Ferry", "stays"], 0),
    ("no heading", "<a href=x>Ferry stays</a><div>Ferry stays!</div>", ["Ferry stays!"], 1),
]


@pytest.mark.parametrize(("html", "texts", "block"), [case[1:] for case in TITLES], ids=[case[0] for case in TITLES])
def test_title_nodes(html: str, texts: list[str], block: int) -> None:
    page = read_page(html)
    blocks = segment(page)
    from broadsheet.methods.visual.nce import read_text_nodes

    text = read_text_nodes(page, blocks)
    nodes = sorted(find_title_nodes(blocks, text, "Ferry stays"))
    assert [text.texts[node] for node in nodes] == texts
    assert {text.blocks[node] for node in nodes} == {block}


DATES = [
    ("one node", "<p>By John <i>14 March 2021</i> <b>3 comments</b>", ["14 March 2021"]),
    ("several nodes: those with a digit", "<p><b>By</b> <i>14</i> <i>March</i> <i>2021</i>", ["14", "2021"]),
    ("another day", "<p>15 March 2021", []),
]


@pytest.mark.parametrize(("html", "texts"), [case[1:] for case in DATES], ids=[case[0] for case in DATES])
def test_date_nodes(html: str, texts: list[str]) -> None:
    from broadsheet.methods.visual.nce import read_text_nodes

    page = read_page(html)
    text = read_text_nodes(page, segment(page))
    with_digits = [node for node, node_text in enumerate(text.texts) if any(map(str.isdigit, node_text))]
    nodes = sorted(find_date_nodes(text, "2021-03-14T10:00:00", with_digits))
    assert [text.texts[node] for node in nodes] == texts


@pytest.mark.train
def test_training(data: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    options = TrainingOptions(data=data, output=tmp_path / "one", work=tmp_path, report=lines.append)
    train_visual(options)
    assert any(line.startswith("title: trained on 60 pages") for line in lines)
    card = (tmp_path / "one" / CARD).read_text("utf-8")
    assert "| toy | 60 | your own data |" in card
    assert "body, toy.dev" in card

    html = write_page(90)["html"]
    for config in (None, VisualConfig()):
        article = broadsheet.extract(html, method=Visual(config, weights=tmp_path / "one"))
        roles = {block.text: block.role for block in article.blocks}
        assert roles["Harbour stays open for 93 more years"] is Role.TITLE
        assert roles["7 March 2021, 10:00"] is Role.DATE
        assert "The council met" in article.text
    assert article.date is not None
    assert (article.date.isoformat()[:10], article.sources["date"]) == ("2021-03-07", "visual")

    again = TrainingOptions(data=data, output=tmp_path / "two", work=tmp_path, report=lines.append)
    train_visual(again)
    for name in (ARRAYS, CONFIG):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_nodes_that_are_not_examined_are_left_out() -> None:
    labelled = label_page(Record("toy/1", write_page(1)["html"], title=write_page(1)["title"]))
    assert labelled is not None
    page = sample_page(labelled)
    examined = keep_examined(page)
    assert 0 < len(examined.nodes) == int(page.is_examined.sum()) < len(page.nodes)
    assert examined.is_title.any()
    assert examined.positions.tolist() == page.positions[page.is_examined].tolist()


@pytest.mark.train
def test_training_as_published(data: Path, tmp_path: Path) -> None:
    output = tmp_path / "weights"
    train_published(TrainingOptions(data, output, tmp_path / "work", report=lambda line: None))
    assert set(json.loads((output / CONFIG).read_text("utf-8"))["forests"]) == {"title", "date"}
    page = write_page(99)
    article = broadsheet.extract(page["html"], method=PublishedVisual(weights=output))
    assert article.title == page["title"]
    assert article.method == "visual-published"
