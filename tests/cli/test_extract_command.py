"""`broadsheet extract`: inputs, formats, options and errors. See test_extract_process.py for pipes and signals."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.inputs.warcs import make_page, make_response
from typer.testing import CliRunner

import broadsheet
from broadsheet.article import Article, Status
from broadsheet.article.assemble import PageSource
from broadsheet.cli.app import build_app, run
from broadsheet.output import FORMATS
from broadsheet.page import Limits

PAGE = "pages/ferry.html"


def test_one_page_is_printed_as_text(folder: Path) -> None:
    result = CliRunner().invoke(build_app(), ["extract", PAGE])
    assert result.exit_code == 0
    assert result.stdout.startswith("Ferry late again\n\nThe ferry to Quay Island was late")
    assert "Sport" not in result.stdout
    assert result.stderr == ""


def extract_file(name: str) -> Article:
    article = broadsheet.extract(Path(name).read_bytes())
    return replace(article, provenance=replace(article.provenance, source_file=name))


@pytest.mark.parametrize("format_name", FORMATS)
def test_format_of_one_page_is_that_of_the_library(
    format_name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["extract", PAGE, "-f", format_name]) == 0
    assert capsys.readouterr().out == FORMATS[format_name].write(extract_file(PAGE)) + "\n"


def test_several_pages_are_records_with_their_source(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["extract", "pages", "-j", "2"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["source_file"] for record in records] == [
        "pages/blank.htm",
        "pages/ferry.html",
        "pages/old/ferry.html.gz",
    ]
    assert len({record["id"] for record in records}) == 3
    assert [record["status"] for record in records] == ["empty", "ok", "ok"]
    assert records[1]["text"] == records[2]["text"] != ""


@pytest.mark.parametrize("format_name", ["json", "schema"])
def test_several_pages_as_an_array(format_name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["extract", "pages", "-j", "1", "-f", format_name]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 3


@pytest.mark.parametrize(
    ("format_name", "heading"),
    [("text", "==> pages/ferry.html <==\nFerry late"), ("md", "<!-- pages/ferry.html -->\n\n# Ferry late")],
)
def test_several_pages_as_text_have_headings(
    format_name: str, heading: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["extract", "pages", "-j", "1", "-f", format_name]) == 0
    assert heading in capsys.readouterr().out


def test_folder_output_has_a_document_for_each_page(folder: Path) -> None:
    assert run(["extract", "pages", "-j", "1", "-f", "tei", "-o", "tei/"]) == 0
    paths = sorted(str(path.relative_to("tei")) for path in Path("tei").rglob("*") if path.is_file())
    assert paths == ["blank.xml", "ferry.xml", "old/ferry.xml"]
    assert ElementTree.parse("tei/ferry.xml").getroot().tag.endswith("TEI")


@pytest.mark.parametrize(
    ("name", "format_name"),
    [
        ("a.txt", "text"),
        ("a.md", "md"),
        ("a.markdown", "md"),
        ("a.html", "html"),
        ("a.JSON", "json"),
        ("a.jsonl", "jsonl"),
        ("a.jsonld", "schema"),
        ("a.xml", "tei"),
        ("json", "text"),
    ],
)
def test_ending_of_the_output_tells_the_format(name: str, format_name: str, folder: Path) -> None:
    assert run(["extract", PAGE, "-o", name]) == 0
    assert Path(name).read_text("utf-8") == FORMATS[format_name].write(extract_file(PAGE), has_file=True) + "\n"


def test_chunk_options(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--max-tokens", "30", "--overlap", "10", "--chunk-markdown"]
    assert run(["extract", PAGE, "-f", "chunks", *arguments]) == 0
    chunks = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    expected = extract_file(PAGE).chunks(30, overlap=10, with_markdown=True)
    assert chunks == [chunk.to_dict() for chunk in expected]
    assert run(["extract", PAGE, "-f", "csv", *arguments]) == 2
    assert "options of chunks, not of csv" in capsys.readouterr().err
    assert run(["extract", PAGE, "-f", "chunks", "--max-tokens", "9", "--overlap", "9"]) == 2
    assert "overlap must be less than max_tokens (9)" in capsys.readouterr().err


def test_markdown_files_have_front_matter(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["extract", PAGE, "-f", "md", "-o", "one/", "--url", "https://courier.example/1"]) == 0
    text = Path("one/ferry.md").read_text("utf-8")
    front, _, body = text.removeprefix("---\n").partition("\n---\n\n")
    article = replace(extract_file(PAGE), url="https://courier.example/1")
    values = {name: json.loads(value) for name, _, value in (line.partition(": ") for line in front.splitlines())}
    assert values["title"] == article.title
    assert values["url"] == article.url
    assert set(values) <= {"title", "authors", "date", "language", "url"}
    assert body == FORMATS["md"].write(article) + "\n"
    assert run(["extract", PAGE, "-f", "md"]) == 0
    assert capsys.readouterr().out == body
    assert run(["extract", "pages", "-f", "md", "-o", "all.md", "-j", "1"]) == 0  # several articles in a file
    assert "title: " not in Path("all.md").read_text("utf-8")


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_pages_with_the_same_text_are_named(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["extract", "pages", "-o", name, "-j", "1"]
    assert run(arguments) == 0
    pages = [PAGE, "pages/old/ferry.html.gz"]
    notes = [f"broadsheet: 1 page has the text of an earlier page: {b} (as {a})\n" for a, b in (pages, pages[::-1])]
    assert capsys.readouterr().err in notes
    assert run([*arguments, "--quiet"]) == 0
    assert run([*arguments, "--fields", "title"]) == 0  # no texts
    assert "earlier page" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        ([PAGE, "-f", "md", "-o", "a.json"], "---\ntitle: "),  # said is said
        ([PAGE, "--explain", "-o", "a.txt"], PAGE),
        ([PAGE, "-o", "a.json/"], "Ferry"),  # a folder has no format
        (["pages", "-o", "a.txt"], "==> pages/"),
        (["pages", "-o", "out"], '{"url"'),
        (["pages", "-o", "a.out", "-f", "csv"], "\ufeffurl,title,"),
    ],
)
def test_ending_of_the_output_is_not_all(arguments: list[str], start: str, folder: Path) -> None:
    assert run(["extract", *arguments, "-j", "1"]) == 0
    path = Path(arguments[arguments.index("-o") + 1])
    assert (path / "ferry.txt" if path.is_dir() else path).read_text("utf-8").startswith(start)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (
            [PAGE, "-o", "a.doc"],
            "'a.doc'; known: .txt, .md, .html, .json, .jsonl, .jsonld, .xml, .csv, .xlsx, .parquet; or add --format",
        ),
        (["pages", "-f", "csv", "-o", "out/"], "a csv file holds all pages; write it to a file: -o FILE.csv"),
        (["pages", "--fields", "titel", "-f", "csv"], "unknown field 'titel'; known: url, title, "),
        (["pages", "--fields", "titel", "-f", "csv"], "did you mean 'title'?"),
        (["pages", "--fields", ",", "-f", "csv"], "no fields were named"),
        (["pages", "--with", "html", "-f", "md"], "--fields and --with choose columns of csv, xlsx, parquet, json and"),
        (["pages", "-f", "tei"], "one tei file holds one page, and there are several; write them to a folder: -o DIR/"),
        (["pages", "-f", "html", "-o", "all.html"], "one html file holds one page, and there are several"),
        (["pages", "--url", "https://a.example/"], "--url is the address of one page"),
        ([PAGE, "--home", PAGE], "add --url"),
        ([PAGE, "--home", ""], "the name of the home page is empty"),
        (
            [PAGE, "--url", "a.example"],
            "--url 'a.example' is not an http(s) address; write it in full: https://host/path",
        ),
        ([PAGE, "--url", "https://"], "--url 'https://' is not an http(s) address"),
        ([PAGE, "--url", ""], "--url '' is not an http(s) address"),
        ([PAGE, "-o", ""], "the name of the output is empty"),
        ([PAGE, "-m", ""], "unknown method ''; known: "),
        ([PAGE, "-f", ""], "unknown format ''; known: "),
        (["pages", "-o", "all.html"], "one html file holds one page, and there are several"),
        ([PAGE, "--explain", "-f", "md"], "--explain is an output format"),
        ([PAGE, "-o", "missing/out.txt"], "there is no folder missing"),
        ([PAGE, "-o", PAGE], "is one of the pages"),
    ],
)
def test_what_does_not_go_together(
    arguments: list[str], reason: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["extract", *arguments]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["missing.html"], "broadsheet: cannot read missing.html: no such file; check the name\n"),
        (["zz*.html"], "broadsheet: no file matches zz*.html; check the pattern\n"),
        (["--allow-private", "http://127.0.0.1:1/"], "the server refused the connection"),
        (["http://127.0.0.1:1/"], "127.0.0.1 is a private or reserved address; pass --allow-private"),
        (["http://me:secret@a.example/"], "cannot fetch http://me:***@a.example/: addresses with a user name"),
    ],
)
def test_page_that_cannot_be_read(
    arguments: list[str],
    error: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    assert run(["extract", *arguments, "-o", "out.txt"]) == 1
    shown = capsys.readouterr()
    assert error in shown.err
    assert shown.err.count("\n") == 1
    assert not Path("out.txt").exists()


def test_the_rest_goes_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("pages/scan.html").write_bytes(b"%PDF-1.7")
    assert run(["extract", "missing.html", "pages", PAGE, "-j", "1", "-q"]) == 1
    shown = capsys.readouterr()
    assert shown.err.splitlines() == [
        "broadsheet: cannot read missing.html: no such file; check the name",
        "broadsheet: pages/scan.html is a PDF, not an HTML page",
    ]
    assert [json.loads(line)["source_file"] for line in shown.out.splitlines()][-2:] == [
        "pages/old/ferry.html.gz",
        PAGE,
    ]


def test_what_a_method_prints_is_not_in_the_output(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from broadsheet.api import extract_input

    def chat(*arguments: Any, **options: Any) -> Article:
        print("noise")
        return extract_input(*arguments, **options)

    monkeypatch.setattr("broadsheet.workers.extraction.extract_input", chat)
    assert run(["extract", PAGE, "-f", "json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["title"] == "Ferry late again"
    assert shown.err == "noise\n"


@pytest.mark.parametrize(("arguments", "is_noted"), [(["-f", "text"], True), (["-f", "json"], True), (["-q"], False)])
def test_page_without_article_is_a_result(
    arguments: list[str], is_noted: bool, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["extract", "pages/blank.htm", *arguments]) == 0
    note = "broadsheet: pages/blank.htm: no article text was found; inspect the blocks with --explain or Article.blocks (status: empty)\n"
    assert capsys.readouterr().err == (note if is_noted else "")


@pytest.mark.parametrize(
    ("format_name", "status", "lines"),
    [
        ("jsonl", Status.FAILED, 1),
        ("text", Status.FAILED, 0),
        ("jsonl", Status.TIMEOUT, 1),
        ("text", Status.TIMEOUT, 0),
    ],
)
def test_page_on_which_the_method_fails(
    format_name: str,
    status: Status,
    lines: int,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    failed = Article(status=status, sources={"status": "ValueError: two\nlines"})
    monkeypatch.setattr("broadsheet.workers.extraction.extract_input", lambda *_, **__: failed)
    assert run(["extract", PAGE, "-f", format_name]) == 1
    shown = capsys.readouterr()
    assert shown.err == f"broadsheet: {PAGE}: {status}: ValueError: two lines\n"
    assert len(shown.out.splitlines()) == lines


def test_address_of_the_page_and_home_page_are_used(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("home.html").write_text('<a href="/late">The ferry that never came</a>')
    assert run(["extract", PAGE, "--url", "https://a.example/late", "--home", "home.html", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["url"] == "https://a.example/late"


def test_page_from_the_web(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from broadsheet.web import FetchedPage

    page = Path(PAGE).read_text().replace("<!doctype html>", "<!doctype html><meta charset=utf-8>").encode("cp1252")
    fetched = FetchedPage("https://a.example/2", page, "cp1252")
    monkeypatch.setattr("broadsheet.inputs.pages.fetch_page", lambda address, **options: fetched)
    assert run(["extract", "https://a.example", "-f", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert "café" in record["text"]
    assert record["url"] == "https://a.example/2"


def test_explain_shows_blocks_and_sources(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["extract", PAGE, "--explain"]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert re.search(r"^title +Ferry late again +\[\S+ [01]\.\d\d\]$", shown, re.MULTILINE)
    assert re.search(r"^[01]\.\d\d  boilerplate  .*Sport$", shown, re.MULTILINE)
    assert re.search(r"^[01]\.\d\d  body +The ferry to Quay Island", shown, re.MULTILINE)


def test_explain_of_several_pages_into_a_file(folder: Path) -> None:
    assert run(["extract", "pages", "-j", "1", "--explain", "-o", "out.txt"]) == 0
    assert Path("out.txt").read_text().count("confidence") == 3


@pytest.mark.parametrize(
    ("option", "value", "status"),
    [
        ("--max-seconds", "1e-9", "timeout"),
        ("--max-bytes", "200", "too_large"),
        ("--max-nodes", "3", "too_large"),
    ],
)
def test_limits_from_the_command_line(
    option: str, value: str, status: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["extract", PAGE, "-f", "json", option, value])
    assert json.loads(capsys.readouterr().out)["status"] == status


@pytest.mark.parametrize("option", [f"--{field.name.replace('_', '-')}" for field in fields(Limits)])
def test_a_limit_must_be_positive(option: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["extract", PAGE, option, "0"]) == 2
    assert capsys.readouterr().err == f"broadsheet: {option} must be greater than 0, not 0\n"


def test_help_states_the_default_limits(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    run(["extract", "--help"])
    text = capsys.readouterr().out
    for field in fields(Limits):
        option = f"--{field.name.replace('_', '-')}"
        (line,) = [line for line in text.splitlines() if option in line.split()]
        value = getattr(Limits(), field.name)
        assert f"[default: {f'({value:,})' if value >= 10_000 else value}]" in line


def test_folder_to_a_spreadsheet_in_one_command(folder: Path) -> None:
    pytest.importorskip("xlsxwriter", reason="xlsxwriter is not installed (extra tables)")
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    fields = "title,date,authors,confidence,status,text"
    assert run(["extract", "pages", "-j", "1", "-o", "a.xlsx", "--fields", fields, "--with", "markdown"]) == 0
    table = pandas.read_excel("a.xlsx")
    assert list(table.columns) == [*fields.split(","), "markdown"]
    assert list(table["status"]) == ["empty", "ok", "ok"]
    assert table["title"][1] == "Ferry late again"


@pytest.mark.parametrize(
    ("arguments", "unmade"),
    [
        (["-f", "text"], {"comments", "images", "body", "provenance", "sources", "authors"}),
        (["-f", "md"], {"comments", "images", "text", "provenance", "sources"}),
        (["-f", "jsonl", "--fields", "title,date"], {"comments", "images", "body", "text", "provenance", "authors"}),
        (["-f", "jsonl"], {"body", "labels"}),
    ],
)
def test_only_what_is_written_is_made(
    arguments: list[str], unmade: set[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: set[str] = set()
    make = PageSource.make

    def note(source: PageSource, name: str) -> object:
        made.add(name)
        return make(source, name)

    monkeypatch.setattr(PageSource, "make", note)
    page = Path(__file__).parents[2] / "examples" / "pages" / "harbour.html"
    assert run(["extract", str(page), *arguments]) == 0
    assert capsys.readouterr().out
    assert made
    assert not made & unmade


@pytest.mark.parametrize("flags", [[], ["--no-images"]])
def test_no_images(flags: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(__file__).parents[2] / "examples" / "pages" / "harbour.html"
    assert run(["extract", str(page), "-f", "md", *flags]) == 0
    assert ("![" in capsys.readouterr().out) is not bool(flags)


def test_archive_to_tei_in_one_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("fastwarc", reason="fastwarc is not installed (extra archive)")
    html = Path(PAGE).read_bytes()
    records = [
        make_response("https://a.example/news/1", html),
        make_response("https://a.example/news/2", gzip.compress(html), "Content-Encoding: gzip\r\n"),
        make_response("https://a.example/gone", html, status="404 Not Found"),
    ]
    Path("crawl.warc.gz").write_bytes(b"".join(map(gzip.compress, records)))
    assert run(["extract", "crawl.warc.gz", "-j", "1", "-f", "tei", "-o", "tei/"]) == 0
    assert capsys.readouterr().err == "broadsheet: crawl.warc.gz: 1 record is not a page (1 status 404)\n"
    assert sorted(path.name for path in Path("tei").iterdir()) == ["a.example-news-1.xml", "a.example-news-2.xml"]
    text = Path("tei/a.example-news-2.xml").read_text("utf-8")
    assert '<application ident="broadsheet"' in text
    assert '<change when="2024-03-16T08:30:00Z">Captured with HTTP status 200.</change>' in text
    assert f'<idno type="source">crawl.warc.gz#{len(gzip.compress(records[0]))}</idno>' in text


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_failed_pages_are_rows(ending: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    Path("pages.jsonl").write_text(json.dumps({"body": Path(PAGE).read_text()}) + "\nbroken\n")
    arguments = ["extract", "pages.jsonl", "--html-column", "body", "-j", "1", "-o", f"a.{ending}"]
    assert run(arguments) == 1
    reason = f"pages.jsonl: the line at byte {Path('pages.jsonl').stat().st_size - 7} is not valid JSON"
    assert reason in capsys.readouterr().err
    name = {"jsonl": "json"}.get(ending, ending)
    table = getattr(pandas, f"read_{name}")(f"a.{ending}", **({"lines": True} if ending == "jsonl" else {}))
    assert list(table["status"]) == ["ok", "failed"]
    assert table["status_reason"][1] == reason


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.jsonl", '{"text": "x"}', "a.jsonl has no column 'html', 'file' or 'url'; its columns: text"),
        ("a.json", '[{"html": "x"}]', "a.json: the first line is not a JSON object; write one JSON object per line"),
        ("a.csv", "x,y\n1,2\n", "a.csv has no column 'html', 'file' or 'url'"),
    ],
)
def test_wrong_input_is_one_line(
    name: str, content: str, reason: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(name).write_text(content)
    assert run(["extract", name, "-o", "out.csv"]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith(f"broadsheet: {reason}")
    assert shown.count("\n") == 1
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_archive_that_is_cut_in_its_last_page(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [make_response(f"https://a.example/{number}", make_page(number)) for number in range(2)]
    data = b"".join(map(gzip.compress, records) if name.endswith(".gz") else records)
    Path(name).write_bytes(data[: -len(data) // 6])
    assert run(["extract", name, "-j", "1"]) == 1
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 2, "what could be read is extracted"
    assert f"broadsheet: {name}: truncated or damaged in the record at byte " in printed.err
