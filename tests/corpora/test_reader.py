"""A minimal example of every layout, and the record that all of them must give."""

from __future__ import annotations

import csv
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from broadsheet.corpora import Record, count_records, describe_skipped, read_corpus
from broadsheet.corpora.layouts import parse_cleaned
from broadsheet.errors import UsageError

PAGE = "<html><title>Harbour opens – Westport Courier</title><body><p>The harbour opened.</p><p>Ships came.</p></body></html>"
TEXT = "The harbour opened.\nShips came."


def write_file(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)


def make_json_lines(folder: Path) -> Path:
    write_file(folder / "news.jsonl", json.dumps({"id": "a", "html": PAGE, "text": TEXT}) + "\n\n")
    return folder / "news.jsonl"


def make_gzipped_lines(folder: Path) -> Path:
    write_file(folder / "news.jsonl.gz", json.dumps({"id": "a", "html": PAGE, "text": TEXT}) + "\n")
    return folder / "news.jsonl.gz"


def make_xz_lines(folder: Path) -> Path:
    write_file(folder / "news.jsonl.xz", lzma.compress(json.dumps({"id": "a", "html": PAGE, "text": TEXT}).encode()))
    return folder / "news.jsonl.xz"


def make_folder_of_lines(folder: Path) -> Path:
    write_file(folder / "set" / "news.jsonl.gz", json.dumps({"id": "a", "html": PAGE, "text": TEXT}) + "\n")
    return folder / "set"


def make_html_and_txt(folder: Path) -> Path:
    write_file(folder / "set" / "html" / "a.html", PAGE)
    write_file(folder / "set" / "html" / "unlabelled.html", PAGE)
    write_file(folder / "set" / "txt" / "a.txt", "\ufeff" + TEXT)
    return folder / "set"


def make_cleaneval(folder: Path) -> Path:
    write_file(
        folder / "set" / "en_original" / "7.html", f'<text id="7" title="x" encoding="utf-8">\n{PAGE}\n</text>\n'
    )
    write_file(
        folder / "set" / "en_cleaned" / "7-cleaned.txt",
        " URL: http://example.org/7\n\n<p>The harbour\nopened.\n<l>Ships came.",
    )
    return folder / "set"


def make_article_benchmark(folder: Path) -> Path:
    write_file(folder / "set" / "html" / "ab12.html.gz", PAGE)
    gold = {"ab12": {"articleBody": TEXT, "url": "http://example.org/7"}, "gone": {"articleBody": "x"}}
    write_file(folder / "set" / "ground-truth.json", json.dumps(gold))
    return folder / "set"


def make_wcxb(folder: Path) -> Path:
    write_file(folder / "set" / "html" / "0001.html.gz", PAGE)
    gold = {
        "url": "http://example.org/7",
        "_internal": {"page_type": {"primary": "article"}},
        "ground_truth": {
            "main_content": TEXT.replace("\n", "\n\n"),
            "author": "Ann Lee",
            "with": ["Ships"],
            "without": ["Imprint"],
        },
    }
    write_file(folder / "set" / "ground-truth" / "0001.json", json.dumps(gold))
    return folder / "set"


def make_dragnet(folder: Path) -> Path:
    write_file(folder / "set" / "HTML" / "R1.html", PAGE)
    write_file(
        folder / "set" / "Corrected" / "R1.html.corrected.txt",
        "The harbour opened.\n\nShips came.\n!@#$%^&*()  COMMENTS\nFirst!",
    )
    return folder / "set"


MAKERS = [
    make_json_lines,
    make_gzipped_lines,
    make_xz_lines,
    make_folder_of_lines,
    make_html_and_txt,
    make_cleaneval,
    make_article_benchmark,
    make_wcxb,
    make_dragnet,
]


def read_one(path: Path) -> Record:
    (record,) = read_corpus(path)
    return record


@pytest.mark.parametrize("make", MAKERS)
def test_every_layout_gives_page_and_text(make: Callable[[Path], Path], tmp_path: Path) -> None:
    record = read_one(make(tmp_path))
    html = record.html.decode() if isinstance(record.html, bytes) else record.html
    assert html.strip() == PAGE
    assert record.text == TEXT
    assert record.dataset in {"news", "set"}
    assert record.id


TABLE = (
    "name,title,authors,date,year,with\na,Harbour opens,Ann Lee; Bo Ek,2021-03-14,2021,\nb,,,,,\nabsent,No page,,,,\n"
)


def test_table_of_labels(tmp_path: Path) -> None:
    folder = make_html_and_txt(tmp_path)
    write_file(folder / "html" / "b.html", PAGE)  # has a row, and no gold text
    write_file(folder / "html" / "c.html", PAGE)  # has neither
    write_file(folder / "labels.csv", "\ufeff" + TABLE)
    first, second = read_corpus(folder)
    assert (first.title, first.authors, first.date, first.year) == (
        "Harbour opens",
        ("Ann Lee", "Bo Ek"),
        "2021-03-14",
        2021,
    )
    assert first.text == TEXT
    assert (second.id, second.text, second.title, second.authors) == ("set/b", None, None, None)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("title\nHarbour\n", "labels.csv has no column 'name'"),
        ("", "labels.csv has no column 'name'"),
        ("name,headline\na,Harbour\n", "labels.csv has an unknown column 'headline'; known: name, authors"),
        ("name,year\na,last\n", "labels.csv:2: year is 'last', expected a number"),
        ("name,title,date\na,Harbour, opens,2021-03-14\n", "labels.csv:2: more cells than columns; put a cell"),
        ("name,title\na,x\na.html,y\n", "labels.csv:3: a second row for 'a'; keep one row"),
        ("name,title\n,x\n", "labels.csv:2: a row without a name"),
        ("name,date\na,14.03.2021\n", "labels.csv: a: 'date' must be a day as YYYY-MM-DD"),
        ("name,text\na," + "x" * 200_000, "labels.csv:2: cannot be read"),
    ],
)
def test_bad_table_of_labels(table: str, message: str, tmp_path: Path) -> None:
    folder = make_html_and_txt(tmp_path)
    write_file(folder / "labels.csv", table)
    limit = csv.field_size_limit(131_072)  # the default; reading pages from CSV files raises it for the whole process
    try:
        with pytest.raises(UsageError, match=message):
            list(read_corpus(folder))
    finally:
        csv.field_size_limit(limit)


@pytest.mark.parametrize(
    ("table", "encoding"),
    [
        ('name;title;captions\na;Harbour opens;"One; two"\n', "utf-8"),  # where the comma is the decimal mark
        ("Name\tTitle\tCaptions\r\na.html\tHarbour opens\tOne; two\r\n", "utf-16"),  # "Unicode text"
        ("name,title,captions\na,Harbour opens,One; two,,\n,,\n", "cp1252"),  # with empty cells and rows
    ],
)
def test_tables_of_spreadsheet_programs(table: str, encoding: str, tmp_path: Path) -> None:
    folder = make_html_and_txt(tmp_path)
    write_file(folder / "labels.csv", table.encode(encoding))
    record = read_one(folder)
    assert (record.title, record.captions) == ("Harbour opens", ("One", "two"))


def test_gold_text_in_utf_16(tmp_path: Path) -> None:
    """Some editors write it. It was read as Windows-1252, and every score was near zero."""
    folder = make_html_and_txt(tmp_path)
    write_file(folder / "txt" / "a.txt", TEXT.encode("utf-16"))
    assert read_one(folder).text == TEXT


def test_two_pages_of_the_same_name_are_an_error(tmp_path: Path) -> None:
    folder = make_html_and_txt(tmp_path)
    write_file(folder / "html" / "a.htm", PAGE)
    with pytest.raises(UsageError, match=r"two pages named 'a': a\.htm and a\.html; rename or remove one"):
        list(read_corpus(folder))


@pytest.mark.parametrize("make", [make_cleaneval, make_article_benchmark, make_wcxb, make_dragnet, make_html_and_txt])
def test_skipped_pages_and_labels_are_described(make: Callable[[Path], Path], tmp_path: Path) -> None:
    path = make(tmp_path)
    for page in [page for page in path.rglob("*.html*") if page.suffix != ".txt"]:
        page.rename(page.with_name(f"other-{page.name}"))
    pages, labels = describe_skipped(path)
    assert pages.startswith(f"{path}: skipped pages without labels (")
    assert "): other-" in pages
    assert labels.startswith(f"{path}: skipped labels without a page (")


def test_a_long_list_of_skipped_pages_is_cut(tmp_path: Path) -> None:
    folder = make_html_and_txt(tmp_path)
    for name in "bcd":
        write_file(folder / "html" / f"{name}.html", PAGE)
    assert describe_skipped(folder) == [f"{folder}: skipped pages without labels (4): b, c, d, ..."]
    assert describe_skipped(make_json_lines(tmp_path)) == []


def test_dates_of_published_datasets_in_another_form_are_no_labels(tmp_path: Path) -> None:
    path = make_wcxb(tmp_path)
    gold = next(path.glob("ground-truth/*"))
    gold.write_text(json.dumps({"main_content": TEXT, "publish_date": "May 3, 2024"}))
    assert read_one(path).date is None


def test_wcxb_labels(tmp_path: Path) -> None:
    record = read_one(make_wcxb(tmp_path))
    assert (record.page_type, record.authors, record.with_, record.without) == (
        "article",
        ("Ann Lee",),
        ("Ships",),
        ("Imprint",),
    )


def test_dragnet_comments_are_separate(tmp_path: Path) -> None:
    assert read_one(make_dragnet(tmp_path)).comments == "First!"


@pytest.mark.parametrize("make", [make_cleaneval, make_article_benchmark, make_wcxb])
def test_urls(make: Callable[[Path], Path], tmp_path: Path) -> None:
    assert read_one(make(tmp_path)).url == "http://example.org/7"


@pytest.mark.parametrize(
    ("gold", "text", "url"),
    [
        ("URL: http://example.org/7\n<p>Text.", "Text.", "http://example.org/7"),
        ("\n URL:https://example.org/a b.html\n<p>Text.", "Text.", "https://example.org/a"),
        ("URL: www.example.org\n<p>Text.", "Text.", "www.example.org"),
        (
            "URL shortening services came up.\n\nThen they went.",
            "URL shortening services came up.\nThen they went.",
            None,
        ),
        ("URL: the address of a page\n\nText.", "URL: the address of a page\nText.", None),
        ("URLs: http://example.org/7\n\nText.", "URLs: http://example.org/7\nText.", None),
        ("URL http://example.org/7\n\nText.", "URL http://example.org/7\nText.", None),
        ("<p>URL: http://example.org/7\n<p>Text.", "URL: http://example.org/7\nText.", None),
    ],
)
def test_only_a_url_line_is_removed_from_cleaneval_text(gold: str, text: str, url: str | None) -> None:
    assert parse_cleaned(gold) == {"text": text, "url": url}


@pytest.mark.parametrize("path", [".", "", "..", "inner/.."])
@pytest.mark.parametrize("make", [make_html_and_txt, make_cleaneval, make_article_benchmark, make_wcxb, make_dragnet])
def test_dataset_name_does_not_depend_on_the_working_directory(
    make: Callable[[Path], Path], path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make(tmp_path)
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner" if path == ".." else folder)
    record = read_one(Path(path))
    assert record.dataset == "set"
    assert record.id.startswith("set/")


def test_dataset_is_named_after_a_link_not_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(make_html_and_txt(tmp_path))
    assert read_one(tmp_path / "link").dataset == "link"


def test_json_lines_schema(tmp_path: Path) -> None:
    values = {
        "id": "d/1", "dataset": "d", "split": "dev", "url": "u", "site": "s", "lang": "en", "year": 2020, "page_type": "article",
        "html": PAGE, "text": TEXT, "title": "t", "authors": ["Ann"], "date": "2020-01-02", "date_modified": "2020-01-03",
        "comments": "c", "with": ["x"], "without": ["y"], "label_quality": "gold", "gold_recall": 0.9, "unknown": 1,
    }  # fmt: skip
    write_file(tmp_path / "a.jsonl", json.dumps(values))
    record = read_one(tmp_path / "a.jsonl")
    for name, value in values.items():
        if name not in {"with", "unknown"}:
            assert getattr(record, name) == (tuple(value) if isinstance(value, list) else value), name
    assert record.with_ == ("x",)


def test_reading_is_lazy(tmp_path: Path) -> None:
    write_file(tmp_path / "a.jsonl", json.dumps({"html": PAGE}) + "\nnot JSON\n")
    records = read_corpus(tmp_path / "a.jsonl")
    assert next(records).html == PAGE
    with pytest.raises(UsageError, match=r"a\.jsonl:2: not JSON"):
        next(records)


def test_deeply_nested_json_is_an_error(tmp_path: Path) -> None:
    write_file(tmp_path / "a.jsonl", "[" * 100_000)
    with pytest.raises(UsageError, match=r"a\.jsonl:1: not JSON"):
        list(read_corpus(tmp_path / "a.jsonl"))


def test_record_without_html_is_an_error(tmp_path: Path) -> None:
    write_file(tmp_path / "a.jsonl", '{"text": "x"}')
    with pytest.raises(UsageError, match="needs 'html'"):
        list(read_corpus(tmp_path / "a.jsonl"))


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("title", 5, "'title' must be a string, not 5"),
        ("text", ["a"], "'text' must be a string, not ['a']"),
        ("url", 7, "'url' must be a string, not 7"),
        ("date", {"day": 1}, "'date' must be a string, not {'day': 1}"),
        ("authors", [1], "'authors' must be a list of strings, not [1]"),
        ("with", 3, "'with' must be a list of strings, not 3"),
        ("comments", 3, "'comments' must be a list of strings, not 3"),
        ("year", float("inf"), "'year' must be a number, not inf"),
        ("gold_recall", "x", "'gold_recall' must be a number, not 'x'"),
        ("site", [], "'site' must be a string, not []"),
        ("date", "16/03/2024", "'date' must be a day as YYYY-MM-DD, optionally with a time, not '16/03/2024'"),
        ("date", "2024-3-6", "'date' must be a day as YYYY-MM-DD, optionally with a time, not '2024-3-6'"),
        ("date", "2024-02-30", "'date' must be a day as YYYY-MM-DD, optionally with a time, not '2024-02-30'"),
    ],
)
def test_a_label_of_a_wrong_type_is_an_error(tmp_path: Path, name: str, value: object, line: str) -> None:
    """Such a page was left out of the scores and of training without a reason."""
    write_file(tmp_path / "a.jsonl", "\n" + json.dumps({"html": PAGE, "id": "x", name: value}))
    with pytest.raises(UsageError) as caught:
        list(read_corpus(tmp_path / "a.jsonl"))
    assert str(caught.value) == f"{tmp_path / 'a.jsonl'}:2: {line}"


def test_an_empty_date_is_not_known(tmp_path: Path) -> None:
    write_file(tmp_path / "a.jsonl", json.dumps({"html": PAGE, "date": ""}))
    assert not read_one(tmp_path / "a.jsonl").date


def test_numbers_may_be_names(tmp_path: Path) -> None:
    write_file(tmp_path / "a.jsonl", "\ufeff" + json.dumps({"html": PAGE, "id": 7, "site": 3, "year": "2012"}))
    record = read_one(tmp_path / "a.jsonl")
    assert (record.id, record.site, record.year) == ("7", "3", 2012)


@pytest.mark.parametrize(
    ("file", "content", "line"),
    [
        ("a.jsonl", b"\xff\xfe{", "not UTF-8 (byte 0: invalid start byte)"),
        ("a.jsonl.xz", b"no archive", "cannot be read ("),
        ("set/ground-truth.json", b"{broken", "not JSON ("),
        ("set/ground-truth.json", b"[1]", "expected a JSON object with labels, not [1]"),
        ("set/ground-truth.json", b'{"a": 5}', " a: expected a JSON object with labels, not 5"),
        ("set/ground-truth.json", b'{"a": {"articleBody": 5}}', " a: 'text' must be a string, not 5"),
        ("set/ground-truth/a.json", b"{broken", "not JSON ("),
        ("set/ground-truth/a.json", b"\xff", "not UTF-8 ("),
        ("set/ground-truth/a.json", b'{"ground_truth": []}', "expected a JSON object with labels, not []"),
        ("set/ground-truth/a.json", b'{"main_content": ["x"]}', "'text' must be a string, not ['x']"),
    ],
)
def test_a_broken_file_is_an_error_with_its_name(tmp_path: Path, file: str, content: bytes, line: str) -> None:
    write_file(tmp_path / "set" / "html" / "a.html", PAGE)
    write_file(tmp_path / file, content)
    with pytest.raises(UsageError) as caught:
        list(read_corpus(tmp_path / file.partition("/")[0]))
    assert str(caught.value).startswith(f"{tmp_path / file}:{line if line.startswith(' ') else f' {line}'}")


def test_a_broken_archive_of_a_page_is_an_error_with_its_name(tmp_path: Path) -> None:
    path = make_wcxb(tmp_path)
    for page in path.glob("html/*"):
        page.write_bytes(page.read_bytes()[:20])
    with pytest.raises(UsageError, match=r"\.html\.gz: cannot be read"):
        list(read_corpus(path))


def test_unsupported_layout_is_an_error_that_lists_layouts(tmp_path: Path) -> None:
    write_file(tmp_path / "notes.txt", "x")
    with pytest.raises(UsageError, match="dragnet: HTML"):
        read_corpus(tmp_path)
    make_html_and_txt(tmp_path)
    with pytest.raises(UsageError, match="contains folders of labelled pages; name them"):
        read_corpus(tmp_path)
    with pytest.raises(UsageError, match="no such file"):
        read_corpus(tmp_path / "nowhere")


@pytest.mark.parametrize("make", MAKERS)
def test_count_records_is_an_upper_bound(make: Callable[[Path], Path], tmp_path: Path) -> None:
    path = make(tmp_path)
    assert count_records(path) >= len(list(read_corpus(path)))
