"""Data sets: written with pyarrow, read back with the real package."""

from __future__ import annotations

from pathlib import Path

import pytest

import broadsheet
from broadsheet.errors import UsageError
from broadsheet.integrations.huggingface import CardText, to_dataset, write_dataset

PAGES = Path(__file__).parents[2] / "examples" / "pages"


def extract_pages() -> list[broadsheet.Article]:
    articles = [broadsheet.extract(path.read_bytes()) for path in sorted((PAGES / "valley").glob("*.html"))]
    failed = broadsheet.extract(b"%PDF-1.7", "https://x.example/a")
    return [broadsheet.extract((PAGES / "harbour.html").read_bytes()), *articles, failed]


def test_card(tmp_path: Path) -> None:
    card = CardText("Harbour | news", "cc-by-4.0", "Written for a test.")
    folder = write_dataset(extract_pages(), tmp_path / "news", card=card)
    text = (folder / "README.md").read_text("utf-8")
    assert text.startswith('---\npretty_name: "Harbour | news"\nlicense: "cc-by-4.0"\nlanguage:\n- "en"\n')
    assert "path: data/train-*.parquet" in text
    assert "| courier.example | 1 |" in text
    assert "| failed | 1 |" in text
    assert "| `title` | string | " in text
    assert [path.name for path in (folder / "data").iterdir()] == ["train-00000.parquet"]


def test_folders(tmp_path: Path) -> None:
    articles = extract_pages()[:1]
    folder = write_dataset(articles, tmp_path / "news")
    write_dataset(articles, folder)  # replaced
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"has other files \(notes.txt\)"):
        write_dataset(articles, folder)
    for mine in ("mine/README.md", "pages/data/page.html"):
        path = tmp_path / mine
        path.parent.mkdir(parents=True)
        path.write_text("mine")
        with pytest.raises(UsageError, match="has other files"):
            write_dataset(articles, tmp_path / mine.partition("/")[0])
        assert path.read_text() == "mine"
    with pytest.raises(UsageError, match="is a file"):
        write_dataset(articles, folder / "notes.txt")
    with pytest.raises(UsageError, match="no articles"):
        write_dataset([], tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.integrations
@pytest.mark.filterwarnings("ignore")
def test_round_trip(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    articles = extract_pages()
    folder = write_dataset(articles, tmp_path / "news", include=["body"])
    read = datasets.load_dataset(str(folder), split="train", cache_dir=str(tmp_path / "cache"))
    for dataset in (read, to_dataset(articles, include=["body"])):
        assert dataset.num_rows == len(articles)
        for row, article in zip(dataset, articles, strict=True):
            again = broadsheet.Article.from_dict(row)
            assert again.to_dict() == article.to_dict()
            assert again.markdown == article.markdown
    assert read.filter(lambda row: row["status"] == "ok").num_rows == len(articles) - 1
    pytest.importorskip("huggingface_hub")
    from huggingface_hub import DatasetCard

    card = DatasetCard.load(folder / "README.md")
    assert card.data.language == ["en"]
    assert card.data.configs[0]["data_files"][0]["path"] == "data/train-*.parquet"
