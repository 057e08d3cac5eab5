"""The recipes in examples/ do what their pages in docs/howto/ say."""

from __future__ import annotations

import json
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import broadsheet
from broadsheet.blocks import segment
from broadsheet.cli.app import run
from broadsheet.corpora import Record, align_text, read_corpus
from broadsheet.page import read_page
from broadsheet.text import fold_words, split_words

EXAMPLES = Path(__file__).parents[1] / "examples"
PAGES = EXAMPLES / "pages"


def load_example(name: str) -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="example")


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    """Records of all sample pages, as `broadsheet extract` writes them."""
    path = tmp_path / "articles.jsonl"
    load_example("corpus")["build_corpus"](PAGES, path, workers=1)
    return path


def read_records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_corpus_resumes_after_an_interruption(articles: Path) -> None:
    build_corpus = load_example("corpus")["build_corpus"]
    whole = articles.read_text("utf-8")
    lines = whole.splitlines(keepends=True)
    articles.write_text("".join(lines[:3]) + lines[3][:50], "utf-8")
    assert build_corpus(PAGES, articles, workers=1) == len(lines) - 3
    assert articles.read_text("utf-8") == whole
    assert build_corpus(PAGES, articles, workers=1) == 0


def test_corpus_uses_the_sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = {}
    monkeypatch.setattr(broadsheet, "extract_many", lambda _, **given: options.update(given) or iter(()))
    load_example("corpus")["build_corpus"](PAGES, tmp_path / "articles.jsonl", workers=1)
    bridge = read_page((PAGES / "valley" / "bridge.html").read_bytes())
    static = options["site"].prepare(bridge).static_rows
    assert any("belongs to its readers" in bridge.nodes.text[row] for row in static)


def test_labelled_pages_are_complete() -> None:
    records = list(read_corpus(EXAMPLES / "labelled"))
    assert len(records) == 30
    assert len({record.site for record in records}) >= 10
    assert {record.lang for record in records} == set("ar de en es fr ja ru zh".split())
    for record in records:
        assert (record.text is not None) == (record.page_type == "article"), record.id
        assert 2_500 <= len(record.html) <= 15_000, record.id


@pytest.mark.parametrize("record", list(read_corpus(EXAMPLES / "labelled")), ids=lambda record: record.id)
def test_labels_are_on_the_page(record: Record) -> None:
    """Every word of the gold text is in an aligned block, and these blocks have no other words."""
    page = read_page(record.html, url=record.url)
    texts = segment(page).text
    aligned = (text for text, is_gold in zip(texts, align_text(texts, record.text or ""), strict=True) if is_gold)
    assert Counter(split_words(" ".join(aligned))) == Counter(split_words(record.text or ""))
    assert fold_words(record.title or "") in fold_words(" ".join(texts))


def test_evaluation_of_the_labelled_pages(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The command of the README."""
    assert run(["eval", str(EXAMPLES / "labelled"), "--json", "--cache", str(tmp_path), "-j", "1"]) == 0
    report = json.loads(capsys.readouterr().out)
    figures = report["methods"][0]["figures"]
    assert report["pages"] == 30
    assert figures["shingle_f1"]["value"] > 0.9
    assert figures["title"]["value"] > 0.9
    assert figures["date"]["value"] > 0.9


def test_own_method_labels_blocks() -> None:
    method = load_example("longest")["Longest"]()
    html = "<div><p>a</p></div><main><p>long one</p><p>long two</p></main>"
    article = broadsheet.extract(html, method=method)
    assert article.text == "long one\nlong two"
    assert article.method == "longest"
    assert broadsheet.extract("", method=method).status == "empty"


def test_own_format_writes_bibtex() -> None:
    article = broadsheet.extract((PAGES / "harbour.html").read_bytes())
    entry = load_example("bibtex")["write_bibtex"](article)
    assert entry.splitlines()[0] == "@article{hale2024harbour,"
    assert "  author = {Imogen Hale and Tomas Reyes}," in entry
    assert load_example("bibtex")["write_bibtex"](broadsheet.Article(title="50 % & more")) == (
        "@article{50,\n  title = {50 \\% \\& more},\n}"
    )


def test_own_field_reads_the_kicker() -> None:
    example = load_example("kicker")
    assert example["extract_record"]((PAGES / "marche.html").read_bytes())["kicker"] == "Ville"
    assert example["find_kicker"]("<p>text</p>") is None


def test_service_extracts_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("fastapi", reason="the extra 'server' is not installed")
    from tests.server.running import run_service

    with run_service() as running:
        load_example("service_client")["print_titles"](running.address, str(PAGES))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(list(PAGES.rglob("*.html")))
    assert "harbour.html: Harbour ferry returns after eleven years (ok)" in lines
