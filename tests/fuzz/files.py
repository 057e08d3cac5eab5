"""Mutated files for every reader: archives and tables of pages, files that Broadsheet reads back, feeds and sitemaps.

python -m tests.fuzz.files --seconds 120              all targets in turn
python -m tests.fuzz.files --count 100000 --start 0   cases by number: a later start goes on where a run ended
python -m tests.fuzz.files --case 1234                one case again; its file is written to --folder

A reader may refuse a file with one line (BroadsheetError), and must not raise anything else, nor take long.
"""

from __future__ import annotations

import argparse
import base64
import csv
import faulthandler
import gzip
import io
import json
import lzma
import sys
import tarfile
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.fuzz.mutate import mutate_bytes, mutate_json, mutate_sqlite
from tests.inputs.warcs import make_page, make_response

from broadsheet.errors import BroadsheetError
from broadsheet.inputs import Kind, read_captures
from broadsheet.inputs.read import READERS

MAX_SECONDS = 3.0  # processor time of one case; the seeds take a few milliseconds
_HANG_SECONDS = 300.0
_MAX_FILE_BYTES = 300_000
_STRUCTURED_SHARE = 0.7  # of the cases of readers whose values can be changed one by one
_PAGES = 6
_NOT_FILES = (Kind.ADDRESS, Kind.INDEX)  # fetched; read by `broadsheet batch` only


class Target(NamedTuple):
    """A reader, and a valid file of its kind."""

    name: str
    file_name: str
    make: Callable[[], bytes]
    read: Callable[[Path], object]
    mutate: Callable[[bytes, Random], bytes] = mutate_bytes  # every second case; else bytes


def _read_kind(kind: Kind) -> Callable[[Path], object]:
    return lambda path: sum(1 for _ in read_captures(path, kind=kind))


def _make_warc() -> bytes:
    return b"".join(make_response(f"https://x.example/{number}", make_page(number)) for number in range(_PAGES))


def _make_zip(name: str = "page{}.html", method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for number in range(_PAGES):
            archive.writestr(name.format(number), make_page(number))
    return buffer.getvalue()


def _make_wacz() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("archive/data.warc.gz", gzip.compress(_make_warc(), mtime=0))
        archive.writestr("datapackage.json", json.dumps({"profile": "data-package", "resources": []}))
    return buffer.getvalue()


def _make_tar(mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for number in range(_PAGES):
            info = tarfile.TarInfo(f"page{number}.html")
            info.size = len(make_page(number))
            archive.addfile(info, io.BytesIO(make_page(number)))
    return buffer.getvalue()


def _make_mhtml() -> bytes:
    page = base64.encodebytes(make_page(1))
    return (
        b'MIME-Version: 1.0\r\nSubject: a page\r\nDate: Sat, 16 Mar 2024 08:30:00 +0000\r\nContent-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n'
        b"--b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\nContent-Location: https://x.example/\r\n\r\n"
        + page
        + b"\r\n--b\r\nContent-Type: text/css\r\n\r\np {}\r\n--b--\r\n"
    )


def _make_lines() -> bytes:
    rows = [{"html": make_page(number).decode(), "url": f"https://x.example/{number}"} for number in range(_PAGES)]
    return "\n".join(map(json.dumps, rows)).encode()


def _make_csv() -> bytes:
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(("url", "html"))
    rows.writerows((f"https://x.example/{number}", make_page(number).decode()) for number in range(_PAGES))
    return text.getvalue().encode()


def _make_parquet() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pages = [make_page(number).decode() for number in range(_PAGES)]
    pq.write_table(
        pa.table({"html": pages, "url": [f"https://x.example/{number}" for number in range(_PAGES)]}), buffer
    )
    return buffer.getvalue()


def _make_addresses() -> bytes:
    return b"\n".join(b"page%d.html" % number for number in range(_PAGES))


def _make_arc() -> bytes:
    answers = [b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + make_page(number) for number in range(_PAGES)]
    return b"".join(
        b"http://x.example/%d 192.0.2.1 20120101000000 text/html %d\n%s\n" % (number, len(answer), answer)
        for number, answer in enumerate(answers)
    )


READER_SEEDS: dict[Kind, tuple[tuple[str, Callable[[], bytes]], ...]] = {
    Kind.PAGE: (("page.html", lambda: make_page(1)), ("page.html.gz", lambda: gzip.compress(make_page(1), mtime=0))),
    Kind.ADDRESSES: (("addresses.txt", _make_addresses),),
    Kind.WARC: (("a.warc", _make_warc), ("a.warc.gz", lambda: gzip.compress(_make_warc(), mtime=0))),
    Kind.ARC: (("a.arc", _make_arc), ("a.arc.gz", lambda: gzip.compress(_make_arc(), mtime=0))),
    Kind.WACZ: (("a.wacz", _make_wacz),),
    Kind.MHTML: (("a.mhtml", _make_mhtml),),
    Kind.JSON_LINES: (("a.jsonl", _make_lines), ("a.jsonl.gz", lambda: gzip.compress(_make_lines(), mtime=0))),
    Kind.CSV: (("a.csv", _make_csv),),
    Kind.PARQUET: (("a.parquet", _make_parquet),),
    Kind.ZIP: (("a.zip", _make_zip), ("b.zip", lambda: _make_zip(method=zipfile.ZIP_LZMA))),
    Kind.TAR: (("a.tar", _make_tar), ("a.tar.gz", lambda: _make_tar("w:gz")), ("a.tar.xz", lambda: lzma.compress(_make_tar()))),
}  # fmt: skip


# Files that Broadsheet reads back


def _save(save: Callable[[Path], object], name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        save(path)
        return path.read_bytes()


def _make_site(name: str) -> bytes:
    from broadsheet.site import Site

    return _save(Site.learn([make_page(number).decode() for number in range(4)]).save, name)


def _make_site_database() -> bytes:
    from broadsheet.site import Site
    from broadsheet.site.storage import save_site

    site = Site.learn([make_page(number).decode() for number in range(4)])
    return _save(lambda path: save_site(site, path, max_json=0), "site.sqlite")


def _read_site(path: Path) -> object:
    from broadsheet.site import Site

    return Site.load(path)


def _make_project() -> bytes:
    from broadsheet.project.project import NewPage, Project
    from broadsheet.project.store import FILE_NAME

    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder) / "p", creates=True)
        try:
            for number in range(2):
                project.add_page(NewPage(make_page(number), f"{number}.html", f"https://x.example/{number}"))
            project.accept(project.list_pages()[0], "somebody")
            with project.store.write() as database:
                row = (1, "done", 2, "shipped", "2024-03-16T00:00:00+00:00", '{"measures": [], "model": "fusion"}')
                database.execute(
                    "INSERT INTO runs (id, status, pages, start, started_at, comparison) VALUES (?, ?, ?, ?, ?, ?)", row
                )
                database.execute("INSERT INTO facts VALUES ('default_run', '1')")
        finally:
            project.close()
        return (Path(folder) / "p" / FILE_NAME).read_bytes()


def _read_project(path: Path) -> object:
    from broadsheet.project.project import Project
    from broadsheet.project.runs import Trainer

    project = Project(path.parent, creates=False)
    try:
        for page in project.list_pages():
            assert isinstance(project.read_html(page), bytes)
            project.view_site(page)
        return [project.default_run, Trainer(project).list_runs()]
    finally:
        project.close()


def _make_state() -> bytes:
    from broadsheet.site.health import PageMeasure
    from broadsheet.watch.state import Event, EventKind, KnownArticle, State

    def save(path: Path) -> None:
        moment = datetime(2024, 3, 16, tzinfo=UTC)
        with State(path) as state, state.change():
            state.save_article(
                "courier", KnownArticle("k", "https://x.example/", "active", "t", "text", "h", 0), moment
            )
            state.add_measure("courier", PageMeasure(0.9, ("date",), 0.1))
            state.add_event(Event(EventKind.ALARM, "courier", moment, {"kind": "drift"}))
            state.save_alarm("courier", "drift", moment)
            state.save_output_size("events.jsonl", 10)

    return _save(save, "watch.sqlite")


def _read_state(path: Path) -> object:
    from broadsheet.watch.state import State

    with State(path) as state:
        earliest = datetime(2000, 1, 1, tzinfo=UTC)
        recent, measures = state.list_recent("courier", earliest), state.list_measures("courier")
        assert all(isinstance(article.text, str) for article in recent)
        assert all(isinstance(name, str) for measure in measures for name in measure.missing)
        return [state.list_alarms("courier"), state.list_unsent(), state.find_output_size("events.jsonl")]


WATCH = b"""state = "watch.sqlite"
output = "events.jsonl"
every = "15m"
[sites.courier]
url = "https://x.example/"
"""


def _read_config(path: Path) -> object:
    from broadsheet.watch.config import load_config

    return load_config(path)


def _make_records() -> bytes:
    import broadsheet

    return b"\n".join(broadsheet.extract(make_page(number)).to_json().encode() for number in range(3))


def _read_records(path: Path) -> object:
    """Read the file as `report` and `publish` do, and write what was read."""
    from broadsheet.output import FORMATS
    from broadsheet.report.records import read_articles, read_records

    assert all(isinstance(record.name, str) for record in read_records(path))
    return [layout.write(article) for article in read_articles(path) for layout in FORMATS.values()]


def _make_table(name: str) -> bytes:
    import broadsheet
    from broadsheet.output.tables import write_articles

    articles = [broadsheet.extract(make_page(number)) for number in range(3)]
    return _save(lambda path: write_articles(articles, path), name)


def _make_config() -> bytes:
    from broadsheet.models.weights import CONFIG, find_newest

    return (find_newest("fusion") / CONFIG).read_bytes()


def _read_config_of_weights(path: Path) -> object:
    """Put the file beside the arrays of the shipped weights."""
    import broadsheet
    from broadsheet.models.weights import ARRAYS, find_newest

    (path.parent / ARRAYS).symlink_to(find_newest("fusion") / ARRAYS)
    return broadsheet.extract(make_page(1), weights=path.parent).to_json()


def _make_arrays() -> bytes:
    from broadsheet.models.weights import ARRAYS, find_newest

    return (find_newest("title") / ARRAYS).read_bytes()


def _read_arrays(path: Path) -> object:
    from broadsheet.models.weights import CONFIG, find_newest, load_weights

    (path.parent / CONFIG).symlink_to(find_newest("title") / CONFIG)
    return load_weights("title", path.parent)


def _read_batch_options(path: Path) -> object:
    from broadsheet.batch.manifest import OPTIONS
    from broadsheet.batch.run import _list_changes, _read_options
    from broadsheet.batch.store import open_output

    (path.parent / OPTIONS).parent.mkdir()
    path.rename(path.parent / OPTIONS)
    return _list_changes(_read_options(open_output(str(path.parent))) or {}, {"method": "gcn", "fields": "[]"})


def _make_partial() -> bytes:
    from broadsheet.site import Site
    from broadsheet.site.storage import write_record

    site = Site.learn([make_page(number).decode() for number in range(4)])
    return json.dumps({"host": "x.example", "site": write_record(site)}).encode()


def _read_partial(path: Path) -> object:
    from broadsheet.batch.by_site import _read_partial as read

    return list(read(path))


def _make_entry() -> bytes:
    part = {"key": "0" * 64, "file": "part.parquet", "inputs": ["a.warc"], "pages": 1, "statuses": {"ok": 1}}
    return json.dumps(part).encode()


def _read_entry(path: Path) -> object:
    from broadsheet.batch.manifest import read_entry

    return read_entry(path.read_text("utf-8", "replace"))


FEED = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>x</title>
<item><title>One &amp; two</title><link>https://x.example/1</link><pubDate>Sat, 16 Mar 2024 08:30:00 GMT</pubDate></item>
<item><title>Two</title><link>https://x.example/2</link></item></channel></rss>"""
SITEMAP = b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://x.example/1</loc><lastmod>2024-03-16</lastmod></url><url><loc>https://x.example/2</loc></url></urlset>"""


def _read_feed(path: Path) -> object:
    from broadsheet.discovery.feeds import parse_feed

    return parse_feed(path.read_bytes(), "https://x.example/feed")


def _read_sitemap(path: Path) -> object:
    from broadsheet.discovery.sitemaps import parse_sitemap

    return parse_sitemap(path.read_bytes(), "https://x.example/sitemap.xml")


# Bodies of requests


def _read_request(path: Path) -> object:
    from broadsheet.server.refusal import Refusal
    from broadsheet.server.requests import SentPage, read_page_task
    from broadsheet.server.settings import ServerSettings

    try:
        return read_page_task(SentPage(path.read_bytes(), "application/json"), ServerSettings(workers=1).rules)
    except Refusal:
        return None


def _read_packed(path: Path) -> object:
    from broadsheet.server.body import unpack_body
    from broadsheet.server.refusal import Refusal

    try:
        return unpack_body(path.read_bytes(), "gzip", 1_000_000)
    except Refusal:
        return None


TARGETS: tuple[Target, ...] = (
    *(
        Target(f"{kind.name.lower()} {name}", name, make, _read_kind(kind))
        for kind, seeds in READER_SEEDS.items()
        for name, make in seeds
    ),
    Target("site as JSON", "site.json", lambda: _make_site("site.json"), _read_site, mutate_json),
    Target("site as SQLite", "site.sqlite", _make_site_database, _read_site, mutate_sqlite),
    Target("project", "project.sqlite", _make_project, _read_project, mutate_sqlite),
    Target("watch state", "watch.sqlite", _make_state, _read_state, mutate_sqlite),
    Target("watch settings", "watch.toml", lambda: WATCH, _read_config),
    Target("records", "records.jsonl", _make_records, _read_records, mutate_json),
    *(
        Target(f"records as {ending}", f"records.{ending}", partial(_make_table, f"records.{ending}"), _read_records)
        for ending in ("csv", "parquet")
    ),
    Target("batch entry", "entry.json", _make_entry, _read_entry, mutate_json),
    Target("batch options", "options.json", lambda: b'{"method": "\\"fusion\\"", "fields": "[]"}', _read_batch_options, mutate_json),
    Target("learned sites", "sites.jsonl", _make_partial, _read_partial, mutate_json),
    Target("configuration of weights", "config.json", _make_config, _read_config_of_weights, mutate_json),
    Target("arrays of weights", "weights.safetensors", _make_arrays, _read_arrays),
    Target("feed", "feed.xml", lambda: FEED, _read_feed),
    Target("sitemap", "sitemap.xml", lambda: SITEMAP, _read_sitemap),
    Target("packed sitemap", "sitemap.xml.gz", lambda: gzip.compress(SITEMAP, mtime=0), _read_sitemap),
    Target("request", "request.json", lambda: json.dumps({"html": "<p>x</p>", "options": {"fields": ["text"]}}).encode(), _read_request, mutate_json),
    Target("packed request", "request.gz", lambda: gzip.compress(b"<p>x</p>" * 100, mtime=0), _read_packed),
)  # fmt: skip


@cache
def make_seed(number: int) -> bytes:
    """Return the valid file of a target."""
    return TARGETS[number].make()


def make_file(case: int) -> tuple[Target, bytes]:
    """Return the target and the file of a case."""
    number = case % len(TARGETS)
    random = Random(case)
    data = make_seed(number)
    mutate = TARGETS[number].mutate if random.random() < _STRUCTURED_SHARE else mutate_bytes
    for _ in range(random.choice((1, 1, 2, 5))):
        data = mutate(data, random)[:_MAX_FILE_BYTES]
    return TARGETS[number], data


def run_case(case: int, folder: Path) -> str:
    """Read the file of a case in a folder of its own. Return "" or why it fails."""
    target, data = make_file(case)
    with tempfile.TemporaryDirectory(dir=folder) as case_folder:
        return _run_target(target, case, data, Path(case_folder))


def _run_target(target: Target, case: int, data: bytes, folder: Path) -> str:
    path = folder / target.file_name
    path.write_bytes(data)
    started = time.process_time()
    try:
        target.read(path)
    except BroadsheetError as error:
        if "\n" in str(error):
            return f"{target.name}, case {case}: the message has more than one line"
    except Exception as error:  # the border: any other error is a failure
        return f"{target.name}, case {case}: {type(error).__name__}: {error}"
    seconds = time.process_time() - started
    return f"{target.name}, case {case}: {seconds:.1f} s" if seconds > MAX_SECONDS else ""


def main() -> int:
    """Run cases; return 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--count", type=int, default=sys.maxsize)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--case", type=int, help="run one case, and keep its file")
    parser.add_argument("--folder", type=Path, help="for the file of --case")
    options = parser.parse_args()
    if options.case is not None:
        failure = run_case(options.case, options.folder or Path.cwd())
        print(failure or "no failure")
        return int(bool(failure))
    return _run_cases(options.start, options.count, time.monotonic() + options.seconds)


def _run_cases(start: int, count: int, end: float) -> int:
    totals: Counter[str] = Counter()
    failures = 0
    case = start
    with tempfile.TemporaryDirectory() as folder:
        while case < start + count and time.monotonic() < end:
            faulthandler.dump_traceback_later(_HANG_SECONDS, exit=True)  # a case that hangs ends the run
            if failure := run_case(case, Path(folder)):
                failures += 1
                print(failure, flush=True)
            totals[TARGETS[case % len(TARGETS)].name] += 1
            case += 1
            if (case - start) % 5_000 == 0:
                print(f"{case - start:,} files, {failures} failures; go on with --start {case}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    print(f"{case - start:,} files of {len(totals)} readers, {failures} failures; go on with --start {case}")
    return int(bool(failures))


def list_missing_readers() -> set[Kind]:
    """Return the readers without a target. A new one must get a seed."""
    return set(READERS) - set(READER_SEEDS) - set(_NOT_FILES)


if __name__ == "__main__":
    sys.exit(main())
