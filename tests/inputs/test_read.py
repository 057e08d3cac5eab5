"""Readers of tables, lists, manifests, ZIP, tar and MHTML files."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import broadsheet
from broadsheet.capture import Capture
from broadsheet.errors import FetchError, InputError
from broadsheet.inputs import ReadOptions
from broadsheet.web import FetchedPage

HTML = "<!doctype html><p>The café ran out of tea.</p>"
URL = "https://a.example/1"


def read(path: Path, **options: str) -> list[Capture]:
    return list(broadsheet.read_captures(path, ReadOptions(**options)))  # type: ignore[arg-type]


def write_lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), "utf-8")
    return path


def test_json_lines(tmp_path: Path) -> None:
    first = {"html": HTML, "url": URL, "fetched_at": "2024-03-16T08:30:00Z"}
    path = write_lines(tmp_path / "a.jsonl", first, "", {"html": HTML})
    captures = read(path)
    assert [(capture.html, capture.url) for capture in captures] == [(HTML, URL), (HTML, None)]
    assert [capture.source_offset for capture in captures] == [0, len(json.dumps(first)) + 2]
    assert str(captures[0].fetched_at) == "2024-03-16 08:30:00+00:00"
    assert {capture.source_file for capture in captures} == {str(path)}
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert [capture.html for capture in read(tmp_path / "a.jsonl.gz")] == [HTML, HTML]


def test_columns_have_names(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"body": HTML, "link": URL})
    (capture,) = read(path, html_column="body", url_column="link")
    assert (capture.html, capture.url) == (HTML, URL)


def test_addresses_as_bytes(tmp_path: Path) -> None:
    pq.write_table(pa.table({"html": [HTML, HTML], "url": [URL.encode(), None]}), tmp_path / "a.parquet")
    assert [capture.url for capture in read(tmp_path / "a.parquet")] == [URL, None]


def test_the_named_column_of_addresses_must_exist(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"html,link\n<p>x,{URL}\n", "utf-8")
    with pytest.raises(InputError, match="has no column 'lnk'; its columns: html, link"):
        read(tmp_path / "a.csv", url_column="lnk")
    assert read(tmp_path / "a.csv")[0].url is None


def test_bad_lines_are_faults(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "a.jsonl", {"html": HTML}, "{broken", "[1]", {"html": None, "url": URL}, {"html": HTML}
    )
    captures = read(path)
    assert [capture.html for capture in captures] == [HTML, None, None, None, HTML]
    assert [capture.fault.removeprefix(f"{path}: the line at ") for capture in captures[1:3]] == [
        f"byte {captures[1].source_offset} is not valid JSON",
        f"byte {captures[2].source_offset} is not a JSON object",
    ]
    assert "has no page" in captures[3].fault
    assert captures[3].url == URL


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.jsonl", '{"text": 1, "id": 2}\n', "has no column 'html', 'file' or 'url'; its columns: id, text; name the"),
        ("a.jsonl", "<p>a page</p>", "the first line is not valid JSON; write one JSON object per line"),
        ("a.json", '[{"html": "x"},\n{"html": "y"}]', "the first line is not valid JSON"),
        ("a.json", '[{"html": "x"}]', "the first line is not a JSON object"),
        ("a.jsonl", "\n\n", "has no records"),
        ("a.csv", "x,y\n1,2\n", "has no column 'html', 'file' or 'url'; its columns: x, y"),
        (
            "a.csv",
            "url,status,text,method,confidence\nhttps://a.example,ok,x,fusion,1\n",
            "has extracted articles, not pages; to fetch the pages again, list",
        ),
        (
            "a.csv",
            "url,status,text,method,confidence,html,broadsheet_version\nhttps://a.example,ok,x,fusion,1,<p>x</p>,0.2\n",
            "has extracted articles, not pages",
        ),
        (
            "README.md",
            "# A project\n\nIt uses cookies.\n",
            "has no HTML tags; if it is a page, give it the ending .html",
        ),
        ("a.csv", "url,html\n", "has no rows"),
        ("a.parquet", "PAR1 and nothing else", "cannot read"),
        ("a.zip", "PK\x03\x04 and nothing else", "the file is not valid ZIP"),
        ("a.mhtml", "Subject: x\n\ntext", "is an MHTML file without a page"),
        ("a.tar.xz", "nothing", "the file is not valid tar"),
    ],
)
def test_wrong_files_are_one_clear_line(name: str, content: str, reason: str, tmp_path: Path) -> None:
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra tables)")
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(InputError) as caught:
        read(tmp_path / name)
    assert reason in str(caught.value)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_csv_of_pages(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f'\ufeffurl;html\n{URL};"{HTML}\nMore ""tea""."\n;<p>x\n', "utf-8")
    assert [(capture.html, capture.url, capture.source_offset) for capture in read(tmp_path / "a.csv")] == [
        (f'{HTML}\nMore "tea".', URL, 0),
        ("<p>x", None, 1),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_csv_of_pages_in_other_character_sets(encoding: str, tmp_path: Path) -> None:
    rows = [("url", "html", "note"), (URL, f"<html><body><p>Größe, {HTML}</body></html>", "für")]
    with (tmp_path / "a.csv").open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    (capture,) = read(tmp_path / "a.csv")
    assert capture.html is not None
    assert broadsheet.extract(capture.html).blocks[0].text.startswith("Größe")
    assert capture.url == URL


@pytest.mark.parametrize("name", ["manifest.csv", "manifest.jsonl"])
def test_manifest_gives_files_their_addresses(name: str, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "one").write_text(HTML)
    (tmp_path / "pages" / "two.html.gz").write_bytes(gzip.compress(HTML.encode()))
    (tmp_path / "pages" / "scan.html").write_bytes(b"%PDF-1.7")
    files = ["pages/one", "pages/two.html.gz", "pages/scan.html", "pages/missing.html"]
    rows = [{"file": file, "url": f"https://a.example/{number}"} for number, file in enumerate(files)]
    if name.endswith(".csv"):
        text = "file,url\n" + "".join(f"{row['file']},{row['url']}\n" for row in rows)
        (tmp_path / name).write_text(text)
    else:
        write_lines(tmp_path / name, *rows)
    captures = read(tmp_path / name)
    assert [capture.html for capture in captures] == [HTML.encode(), HTML.encode(), None, None]
    assert [capture.url for capture in captures] == [row["url"] for row in rows]
    assert captures[0].source_file == str(tmp_path / "pages/one")
    assert "is a PDF, not an HTML page" in captures[2].fault
    assert "no such file" in captures[3].fault


def test_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra tables)")
    import pyarrow.parquet as pq

    pages = [HTML, HTML.encode(), None] * 50
    urls = [f"https://a.example/{number}" for number in range(150)]
    columns = {"html": [None if page is None else HTML.encode() for page in pages], "url": urls, "other": [1] * 150}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet", row_group_size=40)
    captures = read(tmp_path / "a.parquet")
    assert [capture.source_offset for capture in captures] == list(range(150))
    assert [capture.url for capture in captures] == urls
    assert [capture.html for capture in captures[:3]] == [HTML.encode(), HTML.encode(), None]
    pq.write_table(pa.table({"body": [HTML]}), tmp_path / "b.parquet")
    assert [capture.html for capture in read(tmp_path / "b.parquet", html_column="body")] == [HTML]
    (tmp_path / "c.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:-20])
    with pytest.raises(InputError, match=r"cannot read .*c\.parquet"):
        read(tmp_path / "c.parquet")


def fetch(address: str, **_: object) -> FetchedPage:
    if "missing" in address:
        raise FetchError(f"cannot fetch {address}: the server answered 404 Not Found; check the address")
    return FetchedPage(f"{address}#end", HTML.encode("latin-1"), "iso-8859-1")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("list.txt", f"# my list\n\n{URL}\nhttps://a.example/missing\n"),
        ("list.csv", f"url,note\n{URL},x\nhttps://a.example/missing,y\n"),
    ],
)
def test_list_of_addresses(name: str, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadsheet.inputs.pages.fetch_page", fetch)
    (tmp_path / name).write_text(content)
    page, missing = read(tmp_path / name)
    assert (page.url, page.http_status, page.content_type) == (f"{URL}#end", 200, "text/html; charset=iso-8859-1")
    assert page.fetched_at is not None
    assert (missing.html, missing.url) == (None, "https://a.example/missing")
    assert "404 Not Found" in missing.fault
    articles = list(broadsheet.extract_many([page, missing], workers=1))
    assert "The café" in articles[0].text
    assert [str(article.status) for article in articles][1] == "failed"
    assert articles[1].to_dict()["status_reason"] == missing.fault


MEMBERS = {
    "b/page.html": HTML.encode(),
    "a/story.php": HTML.encode(),
    "c/packed.html.gz": gzip.compress(HTML.encode()),
    "style.css": b"p { }",
    "notes": b"plain text",
    "image.php": b"\x89PNG\r\n",
}
FOUND = ["b/page.html", "a/story.php", "c/packed.html.gz"]


def test_zip(tmp_path: Path) -> None:
    path = tmp_path / "pages.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.mkdir("b")
        for name, data in MEMBERS.items():
            archive.writestr(name, data)
    captures = read(path)
    assert [capture.source_file for capture in captures] == [f"{path}/{name}" for name in FOUND]
    assert {capture.html for capture in captures} == {HTML.encode()}
    path.write_bytes(path.read_bytes().replace(b"caf", b"CAF", 1))  # the first page no longer has its checksum
    faults = [capture.fault for capture in read(path)]
    assert "b/page.html: the file is not valid ZIP (Bad CRC-32" in faults[0]
    assert faults[1:] == ["", ""]


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_tar(mode: str, tmp_path: Path) -> None:
    path = tmp_path / f"pages.tar{mode[1:].replace(':', '.')}"
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in MEMBERS.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("link.html")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    captures = read(path)
    assert [capture.source_file for capture in captures] == [f"{path}/{name}" for name in FOUND]
    assert {capture.html for capture in captures} == {HTML.encode()}


def test_truncated_tar_keeps_the_pages_before_the_end(tmp_path: Path) -> None:
    path = tmp_path / "pages.tar"
    with tarfile.open(path, "w") as archive:
        for number in range(3):
            member = tarfile.TarInfo(f"{number}.html")
            member.size = 5_000
            archive.addfile(member, io.BytesIO(HTML.encode().ljust(5_000)))
    path.write_bytes(path.read_bytes()[:9_000])
    *pages, end = read(path)
    assert len(pages) == 1
    assert "the file is not valid tar" in end.fault


def test_archive_without_pages(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.css", "x")
    with pytest.raises(InputError, match=r"no pages in .*a\.zip"):
        list(broadsheet.read_captures(tmp_path / "a.zip"))


def test_spreadsheet_is_not_an_archive_of_pages(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/_rels/workbook.xml.rels", "<Relationships/>")
    with pytest.raises(InputError, match=r"a\.xlsx is a file of Excel, Word or PowerPoint"):
        list(broadsheet.read_captures(tmp_path / "a.xlsx"))


MHTML = """\
From: <Saved by Blink>
Snapshot-Content-Location: https://a.example/1
Subject: =?utf-8?Q?Caf=C3=A9?=
Date: Sat, 16 Mar 2024 09:30:00 +0100
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="----x"

------x
Content-Type: text/html
Content-Location: cid:frame@mhtml.blink

<p>An advertisement.
------x
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: quoted-printable
Content-Location: https://a.example/1

<!doctype html><p>The caf=C3=A9 ran out of =
tea.</p>
------x
Content-Type: text/css
Content-Location: https://a.example/a.css

p { color: red }
------x--
"""


def test_mhtml(tmp_path: Path) -> None:
    (tmp_path / "saved.mhtml").write_text(MHTML.replace("\n", "\r\n"), newline="")
    (capture,) = read(tmp_path / "saved.mhtml")
    assert capture.html == HTML.encode()
    assert (capture.url, str(capture.fetched_at)) == (URL, "2024-03-16 08:30:00+00:00")
    (article,) = broadsheet.extract_many([capture], workers=1)
    assert "The café ran out of tea." in article.text


def test_mhtml_that_is_cut(tmp_path: Path) -> None:
    for end, fault in (("ran out", "the file is truncated"), ("color", "")):  # in the page, in the style sheet
        (tmp_path / "saved.mhtml").write_text(MHTML[: MHTML.index(end)])
        (capture,) = read(tmp_path / "saved.mhtml")
        assert capture.html
        assert capture.fault == fault
