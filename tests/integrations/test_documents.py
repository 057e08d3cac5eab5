"""What the document loaders share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import broadsheet
from broadsheet.errors import InputError, UsageError
from broadsheet.integrations.documents import LoadOptions, choose_options, load_articles, load_pieces, make_metadata

SAMPLE = Path(__file__).parents[2] / "examples" / "pages" / "harbour.html"


def test_sources() -> None:
    article = broadsheet.extract(SAMPLE.read_bytes())
    options = LoadOptions()
    for sources in (SAMPLE, str(SAMPLE), article, [article], (SAMPLE,)):
        (piece,) = load_pieces(sources, options)
        assert piece.text == article.text
        assert piece.metadata["title"] == "Harbour ferry returns after eleven years"
        assert piece.metadata["source"] == "https://courier.example/news/2024/03/harbour-ferry-returns"
        assert json.loads(json.dumps(piece.metadata)) == piece.metadata


def test_chunks() -> None:
    pieces = list(load_pieces(SAMPLE, choose_options(None, max_tokens=100)))
    assert len(pieces) == 6
    assert [piece.metadata["headings"] for piece in pieces][2] == ["A battery and a grant"]
    text = broadsheet.extract(SAMPLE.read_bytes()).text
    assert all(text[piece.metadata["start"] : piece.metadata["end"]] == piece.text for piece in pieces)


def test_what_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_text("<!doctype html><html><body></body></html>")
    assert list(load_pieces(tmp_path / "empty.html", LoadOptions())) == []
    assert list(load_pieces(SAMPLE, LoadOptions(min_confidence=1.0))) == []
    (article,) = load_articles(tmp_path / "empty.html", LoadOptions())
    assert make_metadata(article)["source"] == str(tmp_path / "empty.html")


def test_wrong_sources(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="missing"):
        list(load_pieces(tmp_path / "missing.html", LoadOptions()))
    with pytest.raises(UsageError, match="a source must be a path, an address or an Article, not int"):
        list(load_pieces([3], LoadOptions()))  # type: ignore[list-item]
