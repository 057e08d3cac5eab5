"""Collections as EPUB and printable HTML, through the command line."""

from __future__ import annotations

import json
import shutil
import subprocess
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import broadsheet
import broadsheet.article
from broadsheet.article import Article, Listing, Paragraph, Part, Run
from broadsheet.cli.app import run
from broadsheet.publishing.collection import render_xhtml

PAGES = Path(__file__).parents[2] / "examples" / "pages"
HOSTILE = {
    "title": "A <script>alert(1)</script> & ]]> \x07",
    "text": "One <b>&amp;</b> line.\nTwo.",
    "authors": ["<i>Ann</i>"],
    "language": "zz<",
    "url": "https://x.example/?a=1&b=[2]<",
    "status": "ok",
    "confidence": 0.5,
}


@pytest.fixture
def records(tmp_path: Path) -> Path:
    articles = [broadsheet.extract(path.read_bytes()) for path in sorted(PAGES.rglob("*.html"))]
    rows = [article.to_dict(include=["body"]) for article in articles]
    path = tmp_path / "articles.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in (*rows, HOSTILE, {"status": "failed"})), "utf-8")
    return path


def test_epub(records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "book.epub"
    assert run(["publish", str(records), "-o", str(target), "--title", "News & <more>"]) == 0
    count = capsys.readouterr().err.partition(": ")[2].partition(" ")[0]
    with zipfile.ZipFile(target) as book:
        first = book.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
        assert book.read(first) == b"application/epub+zip"
        chapters = [name for name in book.namelist() if name.startswith("book/a")]
        assert len(chapters) == int(count)
        for name in book.namelist():
            if name.endswith((".xml", ".xhtml", ".opf")):
                ET.fromstring(book.read(name))
        contents = book.read("book/nav.xhtml").decode()
        assert "Harbour ferry returns after eleven years (Imogen Hale, Tomas Reyes" in contents
        assert contents.count("<li ") == len(chapters)
        assert "News &amp; &lt;more&gt;" in contents
        chapter = next(text for text in (book.read(name).decode() for name in chapters) if "Harbour ferry" in text)
        assert "<strong>thirty-eight miles</strong>" in chapter
        assert "<img" not in chapter


def test_printable(records: Path, tmp_path: Path) -> None:
    target = tmp_path / "book.html"
    assert run(["publish", str(records), "-o", str(target)]) == 0
    html = target.read_text("utf-8")
    assert "<script" not in html
    assert "default-src 'none'" in html
    assert html.count("<article ") == html.count('<li dir="auto">')
    assert "<title>articles</title>" in html
    again = broadsheet.extract(html)  # the browser's parser reads it as well
    assert "thirty-eight miles" in again.text


def test_parquet(records: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in records.read_text("utf-8").splitlines()]
    table = tmp_path / "articles.parquet"
    broadsheet.write_articles([broadsheet.Article.from_dict(row) for row in rows], str(table), include=["body"])
    assert run(["publish", str(table), "-o", str(tmp_path / "a.html")]) == 0
    assert run(["publish", str(records), "-o", str(tmp_path / "b.html")]) == 0
    assert (tmp_path / "a.html").read_text("utf-8") == (tmp_path / "b.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["articles.jsonl", "-o", "book.pdf"],
            "the ending of book.pdf is not a format of publish; name it .epub, .html or .md",
        ),
        (["empty.jsonl", "-o", "book.epub"], "there are no articles to publish"),
        (["empty.jsonl", "-o", "book.html"], "there are no articles to publish"),
        (["broken.jsonl", "-o", "book.epub"], "cannot read broken.jsonl"),
        (["missing.jsonl", "-o", "book.epub"], "cannot read missing.jsonl: no such file or directory"),
        (["articles.jsonl", "-o", "book.epub", "--language", "\udce9"], "is not a language; write a tag such as en"),
        (["articles.jsonl", "-o", "book.epub", "--min-confidence", "1"], "there are no articles to publish"),
    ],
)
def test_wrong_arguments(
    arguments: list[str],
    message: str,
    records: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(records.parent)
    Path("empty.jsonl").write_text('{"status": "empty"}\n')
    Path("broken.jsonl").write_text('{"status": "ok", "text": "a", "body": [{"type": "Nonsense"}]}\n')
    assert run(["publish", *arguments]) != 0
    assert message in capsys.readouterr().err
    assert not Path("book.epub").exists()
    assert not Path("book.html").exists()


@pytest.mark.parametrize(
    ("body", "html"),
    [
        ((Paragraph((Run("a\nb"),)),), "<p>a<br/>b</p>"),
        ((Paragraph((Run("a", href="https://x.example/%zz[1]"),)),), '<a href="https://x.example/%25zz%5B1%5D">a</a>'),
        ((Paragraph((Run("a", href="https:// bad"),)),), "<p>a</p>"),
        ((broadsheet.article.Heading(1, (Run("h"),)), Listing(False, ((Paragraph((Run("i"),)),),))), "<h2>h</h2>"),
    ],
)
def test_xhtml(body: tuple[Part, ...], html: str) -> None:
    text = render_xhtml(Article(title="T", body=body))
    assert html in text
    ET.fromstring(f"<x>{text}</x>")


@pytest.mark.long
def test_epubcheck(records: Path, tmp_path: Path, make_checker: Callable[[], list[str]]) -> None:
    """The validator of the W3C, where it is installed: it takes 10 seconds."""
    checker = make_checker()
    target = tmp_path / "book.epub"
    assert run(["publish", str(records), "-o", str(target)]) == 0
    ran = subprocess.run([*checker, str(target)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture
def make_checker() -> Callable[[], list[str]]:
    def find() -> list[str]:
        java, jar = shutil.which("java"), shutil.which("epubcheck")
        if not (java and jar):
            pytest.skip("epubcheck and java are not installed (Debian: epubcheck)")
        return [java, "-jar", jar] if Path(jar).read_bytes()[:2] == b"PK" else [jar]

    return find
