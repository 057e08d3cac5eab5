r"""The layouts of labelled pages: how pages and labels are stored on disk. `LAYOUTS` is the table.

JSON Lines: one record per line, plain or compressed, in one file or in several files of a folder. `html` is required.
The other names are those of `Record`, with `with` for `with_`. Without an id, a record is named after its file and
line; without a dataset, after the file name up to the first dot.

    news.jsonl            or  news.jsonl.gz, news.jsonl.xz
    {"html": "<html>...", "text": "First paragraph.\nSecond paragraph.", "title": "..."}

CleanEval (Baroni, Chantree, Kilgarriff, Sharoff 2008). A gold file may begin with a line `URL: ...`. `<p>`, `<h>` and
`<l>` mark the start of a paragraph, a heading or a list item. The pages were distributed inside an element `<text
id=... title=... encoding=...>`, which is removed.

    en_original/12.html
    en_cleaned/12-cleaned.txt     the folder may be called GoldStandard

scrapinghub/article-extraction-benchmark: one gold file for all pages.

    html/ab12.html.gz
    ground-truth.json     {"ab12": {"articleBody": "...", "url": "..."}, ...}

Web Content Extraction Benchmark (WCXB, schema 2.0):

    html/0001.html.gz
    ground-truth/0001.json
        {"url": "...", "ground_truth": {"title": "...", "author": "...", "publish_date": "...", "main_content": "...",
         "with": ["..."], "without": ["..."]}, "_internal": {"page_type": {"primary": "article"}}}

dragnet (Peters and Lecocq 2013). In a gold file, the reader comments follow the text after a line
`!@#$%^&*()  COMMENTS`.

    HTML/R102.html
    Corrected/R102.html.corrected.txt

A folder of pages, a folder of gold texts, and optionally a table of other labels. The columns of the table are the
names of `Record`; `name` is the page's file name with or without its suffix, and the parts of a list, such as authors,
are separated by semicolons. Columns are separated by commas, semicolons or tabs. An empty cell is a label that is not
known.

    html/ferry.html       or .htm, .html.gz, .htm.gz
    txt/ferry.txt         the gold text, one paragraph per line; the folder may be called text or gold
    labels.csv            optional: name, title, authors, date, page_type, lang, site, ...

In the layouts that are folders, a page without labels is skipped.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, Protocol, cast

from broadsheet.corpora.record import (
    FIELDS,
    LIST_FIELDS,
    NUMBER_FIELDS,
    Record,
    check_object,
    describe_unpaired,
    drop_other_date,
    explain_failure,
    find_folder,
    list_pages,
    make_record,
    name_dataset,
    read_json_object,
    read_text,
    remove_page_suffix,
)
from broadsheet.errors import UsageError


class Layout(Protocol):
    """How pages and labels are stored on disk."""

    @property
    def name(self) -> str:
        """The layout in messages."""
        ...

    def matches(self, path: Path) -> bool:
        """Return whether the path has this layout."""
        ...

    def read(self, path: Path) -> Iterator[Record]:
        """Yield its records."""
        ...

    def count(self, path: Path) -> int:
        """Return the number of pages, for a progress bar; of a folder an upper bound: unlabelled pages count."""
        ...

    def describe_skipped(self, path: Path) -> list[str]:
        """Return a line for each kind of page or label that `read` skips."""
        ...


# JSON Lines

_OPENERS: dict[str, Any] = {".jsonl": open, ".gz": gzip.open, ".xz": lzma.open}
_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz")


class JsonLines:
    """A file of records, or a folder that contains such files."""

    name = "JSON Lines (.jsonl, .jsonl.gz, .jsonl.xz)"

    def matches(self, path: Path) -> bool:
        """Return whether the path has this layout."""
        return bool(_list_files(path)) if path.is_dir() else path.name.endswith(_SUFFIXES)

    def read(self, path: Path) -> Iterator[Record]:
        """Yield its records."""
        for file in _list_files(path):
            for number, line in enumerate(_read_lines(file), 1):
                if line.strip():
                    yield _read_line(line, f"{file}:{number}", dataset=file.name.partition(".")[0])

    def count(self, path: Path) -> int:
        """Return the number of pages."""
        total = 0
        for file in _list_files(path):
            with explain_failure(file), _OPENERS[file.suffix](file, "rb") as lines:
                total += sum(not line.isspace() for line in lines)
        return total

    def describe_skipped(self, path: Path) -> list[str]:  # noqa: ARG002 - the signature of layouts
        """Return nothing: a page and its labels are the same record."""
        return []


def _list_files(path: Path) -> list[Path]:
    return sorted(child for child in path.iterdir() if child.name.endswith(_SUFFIXES)) if path.is_dir() else [path]


def _read_lines(path: Path) -> Iterator[str]:
    with explain_failure(path), cast("IO[str]", _OPENERS[path.suffix](path, "rt", encoding="utf-8-sig")) as lines:
        yield from lines


def _read_line(line: str, location: str, *, dataset: str) -> Record:
    try:
        values = json.loads(line)
    except (RecursionError, ValueError) as error:
        raise UsageError(f"{location}: not JSON ({error}); a record is one line") from error
    if not isinstance(values, dict) or not isinstance(values.get("html"), str):
        raise UsageError(f"{location}: a record is an object that needs 'html', the page as a string")
    labels = {name: value for name, value in values.items() if value is not None}
    return make_record({"id": location, "dataset": dataset, **labels}, location)


# Folders


@dataclass(frozen=True, slots=True)
class PageLabels:
    """The labels of a page, which are read with it."""

    location: str  # in messages
    read: Callable[[], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class FolderLayout:
    """A folder with a subfolder of pages."""

    name: str
    page_folders: tuple[str, ...]  # names of the subfolder, which ignore case
    has_gold: Callable[[Path], bool]
    list_labels: Callable[[Path], Mapping[str, PageLabels]]  # by the names of pages
    prepare: Callable[[bytes], bytes] = bytes  # changes a page before it is used

    def matches(self, path: Path) -> bool:
        """Return whether the path has this layout."""
        return find_folder(path, *self.page_folders) is not None and self.has_gold(path)

    def read(self, path: Path) -> Iterator[Record]:
        """Yield its records."""
        labels, dataset = self.list_labels(path), name_dataset(path)
        for page in list_pages(self._find_pages(path)):
            if found := labels.get(page.name):
                values = {"id": f"{dataset}/{page.name}", "dataset": dataset, "html": self.prepare(page.read())}
                yield make_record({**found.read(), **values}, found.location)

    def count(self, path: Path) -> int:
        """Return the number of pages."""
        return sum(len(list_pages(folder)) for folder in path.iterdir() if folder.is_dir())

    def describe_skipped(self, path: Path) -> list[str]:
        """Return a line for each kind of page or label that `read` skips."""
        return describe_unpaired(self._find_pages(path), self.list_labels(path).keys(), path)

    def _find_pages(self, path: Path) -> Path:
        pages = find_folder(path, *self.page_folders)
        assert pages is not None  # the layout matches
        return pages


def _list_gold(
    path: Path, folders: tuple[str, ...], suffix: str, read: Callable[[Path], Mapping[str, Any]]
) -> dict[str, PageLabels]:
    """Return the labels of gold files: that of NAME.html is NAME and the suffix."""
    folder = find_folder(path, *folders)
    files = [] if folder is None else [file for file in folder.iterdir() if file.name.endswith(suffix)]
    return {file.name.removesuffix(suffix): PageLabels(str(file), partial(read, file)) for file in files}


def _has_folder(*names: str) -> Callable[[Path], bool]:
    return lambda path: find_folder(path, *names) is not None


# CleanEval

_CLEANED_FOLDERS = ("en_cleaned", "cleaned", "GoldStandard", "gold", "txt")
_CLEANED_SUFFIX = "-cleaned.txt"  # no other layout has it
_URL_LINE = re.compile(r"\s*URL:[ \t]*((?:https?://|www\.)\S+)[^\n]*\n?", re.IGNORECASE)
_SEGMENT_MARK = re.compile(r"<[phl]>", re.IGNORECASE)
_EMPTY_LINE = re.compile(r"\n[ \t\r]*\n")
_WRAPPER = re.compile(rb"\A\s*<text\b[^<>]{0,2000}>", re.IGNORECASE)
_WRAPPER_END = re.compile(rb"</text>\s*\Z", re.IGNORECASE)


def _list_cleaned(path: Path) -> dict[str, PageLabels]:
    return _list_gold(path, _CLEANED_FOLDERS, _CLEANED_SUFFIX, lambda file: parse_cleaned(read_text(file)))


def parse_cleaned(raw: str) -> dict[str, str | None]:
    """Return the text of a gold file of CleanEval, one segment per line, and its URL, if any."""
    url = None
    if match := _URL_LINE.match(raw):
        url = match[1]
        raw = raw[match.end() :]
    # Annotators broke long lines by hand: inside a segment only an empty line separates paragraphs.
    paragraphs = (part for segment in _SEGMENT_MARK.split(raw) for part in _EMPTY_LINE.split(segment))
    return {"text": _join_lines(paragraphs), "url": url}


def _join_lines(lines: Iterator[str] | list[str]) -> str:
    """Join lines that are not empty, with single spaces in each."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


def _unwrap(page: bytes) -> bytes:
    if match := _WRAPPER.match(page):
        page = _WRAPPER_END.sub(b"", page[match.end() :])
    return page


# article-extraction-benchmark

_BENCHMARK_FILE = "ground-truth.json"


def _list_benchmark(path: Path) -> dict[str, PageLabels]:
    """Return all labels. The gold file is held in memory; the pages are not."""
    file = path / _BENCHMARK_FILE
    gold = read_json_object(file).items()
    return {name: PageLabels(place := f"{file}: {name}", partial(_read_benchmark, row, place)) for name, row in gold}


def _read_benchmark(row: Any, location: str) -> dict[str, Any]:
    labels = check_object(row, location)
    return {
        "text": labels.get("articleBody"),
        "url": labels.get("url"),
        "title": labels.get("title") or labels.get("headline"),
        "authors": labels.get("author") or None,
        "date": drop_other_date(labels.get("publish_date") or labels.get("datePublished")),
        "with": labels.get("with"),
        "without": labels.get("without"),
    }


# WCXB


def _list_wcxb(path: Path) -> dict[str, PageLabels]:
    return _list_gold(path, ("ground-truth",), ".json", _read_wcxb)


def _read_wcxb(file: Path) -> dict[str, Any]:
    gold = read_json_object(file)
    labels = check_object(gold.get("ground_truth", gold), str(file))
    text = labels.get("main_content")
    if isinstance(text, str):
        text = "\n".join(filter(None, map(str.strip, text.split("\n"))))
    return {
        "url": gold.get("url"),
        "page_type": _read_page_type(gold),
        "text": text or None,
        "title": labels.get("title"),
        "authors": labels.get("author") or None,
        "date": drop_other_date(labels.get("publish_date")),
        "with": labels.get("with"),
        "without": labels.get("without"),
    }


def _read_page_type(gold: dict[str, Any]) -> str | None:
    match gold:
        case {"_internal": {"page_type": {"primary": str(page_type)}}}:
            return page_type
    return None


# dragnet

_COMMENTS_MARKER = re.compile(r"!@#\$%\^&\*\(\)\s{0,9}COMMENTS")


def _list_corrected(path: Path) -> dict[str, PageLabels]:
    return _list_gold(path, ("Corrected",), ".html.corrected.txt", _read_corrected)


def _read_corrected(file: Path) -> dict[str, str | None]:
    text, *comments = (_join_lines(part.splitlines()) for part in _COMMENTS_MARKER.split(read_text(file), maxsplit=1))
    return {"text": text, "comments": comments[0] if comments else None}


# Pages, gold texts and a table

_TABLE = "labels.csv"
_TEXT_FOLDERS = ("txt", "text", "gold")
_DELIMITERS = ",;\t"  # spreadsheet programs write semicolons where the comma is the decimal mark


def _list_texts_and_rows(path: Path) -> dict[str, PageLabels]:
    rows = _read_table(path / _TABLE)
    texts = _list_gold(path, _TEXT_FOLDERS, ".txt", lambda file: {"text": read_text(file)})
    return {
        name: PageLabels(f"{path / _TABLE}: {name}", partial(_join_labels, texts.get(name), rows.get(name, {})))
        for name in texts.keys() | rows.keys()
    }


def _join_labels(text: PageLabels | None, row: Mapping[str, Any]) -> dict[str, Any]:
    return {**(text.read() if text else {}), **row}


def _read_table(path: Path) -> dict[str, Mapping[str, Any]]:
    """Return the labels of each page by its name; nothing if there is no table."""
    if not path.is_file():
        return {}
    rows = _read_rows(path)
    columns = [column.strip().lower() for column in next(rows, _Row("", [])).cells]
    if "name" not in columns:
        raise UsageError(f"{path} has no column 'name'; it names the page: its file name without .html")
    unknown = [column for column in columns if column not in {*FIELDS, "name"}]
    if unknown:
        raise UsageError(f"{path} has an unknown column {unknown[0]!r}; known: {', '.join(('name', *sorted(FIELDS)))}")
    labels: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        values = row.name_cells(columns)
        name = remove_page_suffix(values.pop("name", ""))
        if not name and values:
            raise UsageError(f"{row.location}: a row without a name; it names the page: its file name without .html")
        if name in labels:
            raise UsageError(f"{row.location}: a second row for {name!r}; keep one row for each page")
        if name:
            labels[name] = _read_cells(values, row.location)
    return labels


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the table."""

    location: str
    cells: list[str]

    def name_cells(self, columns: list[str]) -> dict[str, str]:
        """Return the cells that are not empty, by column. Raises UsageError if there are too many."""
        if any(map(str.strip, self.cells[len(columns) :])):
            raise UsageError(
                f"{self.location}: more cells than columns; put a cell that contains the separator into quotes"
            )
        return {column: cell.strip() for column, cell in zip(columns, self.cells, strict=False) if cell.strip()}


def _read_rows(path: Path) -> Iterator[_Row]:
    """Yield the rows of a table, the header first."""
    text = read_text(path)
    delimiter = max(_DELIMITERS, key=text.partition("\n")[0].count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for cells in rows:
            yield _Row(f"{path}:{rows.line_num}", cells)
    except csv.Error as error:
        raise UsageError(f"{path}:{rows.line_num}: cannot be read ({error})") from error


def _read_cells(values: Mapping[str, str], location: str) -> dict[str, Any]:
    labels: dict[str, Any] = dict(values)
    for name in labels.keys() & LIST_FIELDS:
        labels[name] = [part.strip() for part in labels[name].split(";") if part.strip()]
    for name in labels.keys() & NUMBER_FIELDS.keys():
        try:
            labels[name] = NUMBER_FIELDS[name](labels[name])
        except ValueError:
            raise UsageError(f"{location}: {name} is {labels[name]!r:.40}, expected a number") from None
    return labels


# The first match is used, so the specific layouts come first.
LAYOUTS: tuple[Layout, ...] = (
    JsonLines(),
    FolderLayout(
        name="CleanEval: en_original/N.html and en_cleaned/N-cleaned.txt (or GoldStandard/)",
        page_folders=("en_original", "original", "input", "html"),
        has_gold=lambda path: bool(_list_cleaned(path)),
        list_labels=_list_cleaned,
        prepare=_unwrap,
    ),
    FolderLayout(
        name="article-extraction-benchmark: html/ID.html.gz and ground-truth.json",
        page_folders=("html",),
        has_gold=lambda path: (path / _BENCHMARK_FILE).is_file(),
        list_labels=_list_benchmark,
    ),
    FolderLayout(
        name="WCXB: html/ID.html.gz and ground-truth/ID.json",
        page_folders=("html",),
        has_gold=_has_folder("ground-truth"),
        list_labels=_list_wcxb,
    ),
    FolderLayout(
        name="dragnet: HTML/ID.html and Corrected/ID.html.corrected.txt",
        page_folders=("HTML",),
        has_gold=_has_folder("Corrected"),
        list_labels=_list_corrected,
    ),
    FolderLayout(
        name="a folder with html/NAME.html and txt/NAME.txt",
        page_folders=("html",),
        has_gold=_has_folder(*_TEXT_FOLDERS),
        list_labels=_list_texts_and_rows,
    ),
)
