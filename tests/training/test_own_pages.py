"""Every model learns from pages that are not the project's: any layout, any name, with few labels."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from pathlib import Path

import pytest

import broadsheet
from broadsheet.cli.app import run
from broadsheet.errors import UsageError
from broadsheet.methods.visual.train_data import load_samples
from broadsheet.models.weights import CARD, find_newest, find_own_weights
from broadsheet.training.datasets import find_datasets
from broadsheet.training.finish import read_commit
from broadsheet.training.options import TrainingOptions, has_pages

LABELLED = Path(__file__).parents[2] / "examples" / "labelled"
_spec = importlib.util.spec_from_file_location("own_pages", Path(__file__).with_name("own_pages.py"))
assert _spec is not None
assert _spec.loader is not None
own_pages = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(own_pages)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sixty pages in html/ and txt/; the current folder is another one."""
    monkeypatch.chdir(tmp_path)
    path: Path = own_pages.write_folder(tmp_path / "my")
    return path


@pytest.fixture
def lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sixty pages in JSON Lines."""
    monkeypatch.chdir(tmp_path)
    path: Path = own_pages.write_lines(tmp_path / "lines.jsonl")
    return path


def write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text("\n".join(json.dumps({"html": "<p>Text.</p>", "text": "Text.", **row}) for row in rows), "utf-8")


def list_ids(data: Path, split: str) -> list[str]:
    return [record.id for dataset in find_datasets(data, split) for record in dataset.read()]


def test_pages_are_divided_by_site(tmp_path: Path) -> None:
    rows = [
        {"id": f"{site} {page}", "url": f"https://site{site}.example/{page}"} for site in range(10) for page in "abc"
    ]
    write_rows(tmp_path / "mine.jsonl", rows)
    train, dev = list_ids(tmp_path, "train"), list_ids(tmp_path, "dev")
    assert sorted(train + dev) == sorted(row["id"] for row in rows)
    assert len(dev) == 6
    assert {name.split()[0] for name in train}.isdisjoint(name.split()[0] for name in dev)
    assert (train, dev) == (list_ids(tmp_path / "mine.jsonl", "train"), list_ids(tmp_path / "mine.jsonl", "dev"))


def test_pages_of_one_site_are_divided_by_page(tmp_path: Path) -> None:
    write_rows(tmp_path / "mine.jsonl", [{"id": str(number), "site": "one.example"} for number in range(50)])
    assert (len(list_ids(tmp_path, "train")), len(list_ids(tmp_path, "dev"))) == (40, 10)


def test_splits_of_records_count(tmp_path: Path) -> None:
    rows = [{"id": f"{split}{number}", "split": split} for split in ("train", "dev", "bench") for number in range(3)]
    write_rows(tmp_path / "mine.jsonl", rows)
    assert list_ids(tmp_path, "train") == ["train0", "train1", "train2"]
    assert list_ids(tmp_path, "dev") == ["dev0", "dev1", "dev2"]


def test_records_of_split_train_are_divided_if_none_is_of_dev(tmp_path: Path) -> None:
    write_rows(tmp_path / "mine.jsonl", [{"id": str(number), "split": "train"} for number in range(20)])
    assert (len(list_ids(tmp_path, "train")), len(list_ids(tmp_path, "dev"))) == (16, 4)


def test_pages_of_another_split_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": str(number), "split": "test" if number < 3 else "train"} for number in range(20)]
    write_rows(tmp_path / "mine.jsonl", rows)
    assert run(["train", "title", "--data", str(tmp_path), "-o", str(tmp_path / "w"), "--work", str(tmp_path / "k")])
    assert "pages with the split 'test' are not used (3)" in capsys.readouterr().err
    write_rows(tmp_path / "mine.jsonl", rows[:3])
    with pytest.raises(
        UsageError, match=r"none is left for train; pages with the split 'test' are not used \(3\); label"
    ):
        find_datasets(tmp_path, "train")


def test_skipped_pages_are_reported(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "txt" / "page7.txt").unlink()
    assert run(["train", "title", "--data", str(folder), "-o", str(tmp_path / "w"), "--work", str(tmp_path / "k")]) == 2
    assert f"{folder}: skipped pages without labels (1): page7" in " ".join(capsys.readouterr().err.split())


def test_files_of_the_same_dataset_are_all_read(tmp_path: Path) -> None:
    """`visual` kept the pages of the last file only."""
    for year in (2020, 2021):
        write_rows(tmp_path / f"mine.{year}.jsonl", [{"id": f"{year} {number}"} for number in range(10)])
    options = TrainingOptions(tmp_path, tmp_path / "w", tmp_path / "k")
    samples = {split: load_samples(options, split) for split in ("train", "dev")}
    assert {split: {name: len(pages) for name, pages in parts.items()} for split, parts in samples.items()} == {
        "train": {"mine": 16},
        "dev": {"mine": 4},
    }


def test_a_folder_is_a_dataset_of_its_full_name(tmp_path: Path) -> None:
    for host in ("www.a.example", "www.b.example"):
        own_pages.write_folder(tmp_path / host, 5)
    assert [dataset.name for dataset in find_datasets(tmp_path, "train")] == ["www.a.example", "www.b.example"]


def test_dev_pages_are_taken_from_train_files(tmp_path: Path) -> None:
    write_rows(tmp_path / "mine.train.jsonl", [{"id": str(number)} for number in range(20)])
    write_rows(tmp_path / "mine.bench.jsonl", [{"id": "bench"}])
    assert (len(list_ids(tmp_path, "train")), len(list_ids(tmp_path, "dev"))) == (16, 4)


def test_bench_files_are_not_used(tmp_path: Path) -> None:
    write_rows(tmp_path / "mine.bench.jsonl", [{"id": str(number)} for number in range(20)])
    with pytest.raises(UsageError, match="no train pages"):
        find_datasets(tmp_path, "train")


def test_folders_of_several_layouts(tmp_path: Path, folder: Path) -> None:
    shutil.copytree(LABELLED, tmp_path / "all" / "labelled")
    shutil.move(folder, tmp_path / "all" / "my")
    assert [dataset.name for dataset in find_datasets(tmp_path / "all", "train")] == ["labelled", "my"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "a"}], "has too few labelled pages: none is left for dev"),
        ([{"id": str(n)} for n in range(8)], "title needs at least 10 train pages with a label `title`; .* has 0"),
        (
            [{"id": str(n), "title": "T", "html": "<h1>Title</h1>"} for n in range(8)],
            "title needs at least 10 train pages .* has 6",
        ),
    ],
)
def test_too_few_pages(
    rows: list[dict[str, str]], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_rows(tmp_path / "mine.jsonl", rows)
    assert (
        run(["train", "title", "--data", str(tmp_path), "-o", str(tmp_path / "w"), "--work", str(tmp_path / "k")]) == 2
    )
    error = " ".join(capsys.readouterr().err.split())
    assert re.search(message, error)
    assert not (tmp_path / "w").exists()


def test_no_labelled_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["train", "title", "--data", str(tmp_path)]) == 2
    assert "does not have a supported layout of labelled pages" in " ".join(capsys.readouterr().err.split())


def test_title_is_trained_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["train", "title", "--data", str(LABELLED), "--start", "shipped", "--compare"]) == 0
    output = capsys.readouterr().out
    assert "title on 6 held-out pages: shipped weights before, weights/title after" in output
    assert [line.split()[0] for line in output.splitlines()[2:]] == [
        "Word",
        "Shingle",
        "Block",
        "Title",
        "Date",
        "Authors",
    ]
    card = (tmp_path / "weights" / "title" / CARD).read_text("utf-8")
    assert "Trained by `broadsheet train title --seed 0 --start shipped`" in card
    assert read_commit() in card
    html = (LABELLED / "html" / "gazette-bridge.html").read_bytes()
    assert "Sand Creek bridge comes down after 68 years" in (
        broadsheet.extract(html, weights="weights/title").title or ""
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "words", "--start", "shipped"], "words does not use --start; models that do: fusion"),
        (["train", "title", "--start", "absent"], "cannot read weights of title in absent"),
        (["train", "title", "--start", str(find_newest("gcn"))], "contains weights of 'gcn', not of 'title'"),
        (["train", "visual", "--epochs", "2"], "visual does not use --epochs; models that do: fusion"),
        (["train", "title", "--classes", "body"], "title does not use --classes; models that do: gcn"),
        (["train", "fusion", "--classes", "body"], "fusion does not use --classes; models that do: gcn"),
        (["train", "fusion", "--start", str(find_newest("gcn"))], "contains weights of 'gcn', not of 'fusion'"),
        (["train", "words", "--compare"], "--compare is not possible for words"),
        (["train", "title", "--seed", "-1"], "-1 is not in the range x>=0"),
        (
            ["train", "title", "--start", str(find_newest("title")), "-o", str(find_newest("title")), "--compare"],
            "which training replaces; name another folder with -o",
        ),
        (["train", "title", "-o", f"{__file__}/weights"], "test_own_pages.py is a file, so"),
        (
            ["train", "title", "--data", str(LABELLED), "--skip", "labeled"],
            "unknown dataset 'labeled'; known: labelled",
        ),
    ],
)
def test_refused_options(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(("start", "is_enough"), [(None, False), ("shipped", True)])
def test_ten_labelled_pages_are_enough_to_fine_tune(start: str | None, is_enough: bool, tmp_path: Path) -> None:
    """Two of them are held out; `gcn` and `visual` refused the other eight."""
    lines: list[str] = []
    options = TrainingOptions(tmp_path, tmp_path / "w", tmp_path / "k", start=start, report=lines.append)
    assert has_pages("body", "a gold text", 8, options, instead="left out") == is_enough
    assert lines == ([] if is_enough else ["skipped: body needs 10 train pages with a gold text, found 8; left out"])


@pytest.mark.train
@pytest.mark.parametrize(
    ("model", "row", "message"),
    [
        ("semtext", {"text": "Other words."}, "semtext needs at least 10 train pages with a visible gold text"),
        ("gcn", {"text": "Other words."}, "gcn has no class to learn"),
        ("fusion", {"text": "Other words."}, "fusion needs at least 10 train pages with a visible gold text"),
        ("visual", {"text": "Other words."}, "visual has nothing to learn"),
        ("visual", {"title": "Text."}, "all parts of these pages have the same label"),
    ],
)
def test_labels_that_teach_nothing(
    model: str, row: dict[str, str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_rows(tmp_path / "mine.jsonl", [{"id": str(number), **row} for number in range(20)])
    command = ["train", model, "--data", str(tmp_path), "-o", str(tmp_path / "w"), "--work", str(tmp_path / "k")]
    assert run(command) == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.train
def test_weights_as_published_are_compared_as_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["train", "visual-published", "--data", str(LABELLED), "--compare"]) == 0
    assert "visual-published on 6 held-out pages: shipped weights before" in capsys.readouterr().out
    assert find_own_weights([Path("weights/visual-published")]).method == "visual-published"


@pytest.mark.train
@pytest.mark.parametrize("model", ["fusion", "visual", "gcn", "semtext"])
@pytest.mark.parametrize("start", [[], ["--start", "shipped"]], ids=["new", "tuned"])
def test_models_learn_from_html_and_txt(
    model: str, start: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    epochs = [] if model == "visual" else ["--epochs", "1"]
    arguments = ["train", model, "--data", str(folder), *epochs, *start]
    assert run(arguments) == 0
    error = " ".join(capsys.readouterr().err.split())
    assert "48 pages to learn from, 12 held out" in error
    assert "no page has a title, a date, a page type; what needs it is skipped" in error
    article = broadsheet.extract((folder / "html" / "page0.html").read_bytes(), weights=Path("weights") / model)
    assert article.method == model
    assert "| my | 48 |" in (Path("weights") / model / CARD).read_text("utf-8")


@pytest.mark.train
def test_comparison_on_json_lines(lines: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["train", "visual", "--data", str(lines), "--compare"]) == 0
    captured = capsys.readouterr()
    assert (
        "skipped: title needs 10 train pages with a visible `title`, found 0; its forest is the shipped one"
        in " ".join(captured.err.split())
    )
    table = captured.out.splitlines()
    assert table[0] == "visual on 12 held-out pages: shipped weights before, weights/visual after"
    assert [line.split()[:3] for line in table[2:]] == [
        ["Word", "F1", "12"],
        ["Shingle", "F1", "12"],
        ["Block", "F1", "12"],
    ]


@pytest.mark.train
def test_classes_without_labels_are_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["train", "gcn", "--data", str(folder), "--epochs", "1", "--classes", "body,date"]) == 0
    assert "skipped: class date needs 10 train pages" in " ".join(capsys.readouterr().err.split())
    assert json.loads((Path("weights/gcn") / "config.json").read_text("utf-8"))["classes"] == ["body"]


@pytest.fixture
def no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadsheet.methods.fusion.train_tune.has_torch", lambda: False)


@pytest.mark.train
def test_all_layers_of_fusion_are_tuned_on_many_templates(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadsheet.methods.fusion.train_tune.MIN_NETWORK_TEMPLATES", 1)
    assert run(["train", "fusion", "--data", str(folder), "--start", "shipped", "--epochs", "1"]) == 0
    card = (Path("weights/fusion") / CARD).read_text("utf-8")
    assert "Fine-tuned from the `shipped` weights: all layers" in card


@pytest.mark.usefixtures("no_torch")
def test_output_layer_of_fusion_is_tuned_without_torch(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["train", "fusion", "--data", str(folder), "--start", "shipped", "--compare"]) == 0
    captured = capsys.readouterr()
    assert "only the output layer for article text and the terms of the own pages are trained" in " ".join(
        captured.err.split()
    )
    table = captured.out.splitlines()
    assert table[0] == "fusion on 12 held-out pages: shipped weights before, weights/fusion after"
    assert [line.split()[:3] for line in table[2:]] == [
        ["Word", "F1", "12"],
        ["Shingle", "F1", "12"],
        ["Block", "F1", "12"],
    ]
    word_f1 = table[2].split()
    assert float(word_f1[4]) >= float(word_f1[3])
    card = (Path("weights/fusion") / CARD).read_text("utf-8")
    assert "Fine-tuned from the `shipped` weights: the output layer for article text" in card
    assert "| my | 48 |" in card
    assert run(["eval", str(folder), "--weights", "weights/fusion", "--limit", "5", "--no-cache"]) == 0
    assert "fusion" in capsys.readouterr().out


@pytest.mark.usefixtures("no_torch")
@pytest.mark.parametrize("start", [[], ["--start", "shipped"]], ids=["new", "tuned"])
def test_fusion_needs_pages(start: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch") if not start else None
    data = own_pages.write_lines(tmp_path / "few.jsonl", 9)
    arguments = ["train", "fusion", "--data", str(data), "-o", str(tmp_path / "w"), "--work", str(tmp_path / "k")]
    assert run([*arguments, *start]) == 2
    error = " ".join(capsys.readouterr().err.split())
    needed = 8 if start else 10
    assert f"fusion needs at least {needed} train pages with a visible gold text (`text`)" in error
    assert "has 7: label more pages" in error
    assert not (tmp_path / "w").exists()


@pytest.mark.train
def test_fusion_learns_from_one_site(tmp_path: Path, lines: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{**json.loads(line), "site": "one.example"} for line in lines.read_text("utf-8").splitlines()[:40]]
    data = tmp_path / "site.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert run(["train", "fusion", "--data", str(data), "--epochs", "1", "--compare"]) == 0
    captured = capsys.readouterr()
    error = " ".join(captured.err.split())
    assert "skipped: the article forest needs 20 train pages with each kind of `page_type`" in error
    assert "skipped: the quality forest needs 40 train pages with a visible gold text (`text`), found 32" in error
    assert "fusion on 8 held-out pages" in captured.out
