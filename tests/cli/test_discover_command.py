"""`broadsheet discover` and `broadsheet watch` as users call them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.local_site import LocalSite, serve_site

from broadsheet.cli.app import run

for package in ("fastfeedparser", "lxml"):
    pytest.importorskip(package, reason=f"{package} is not installed (extra discover)")

FAST = ("--allow-private", "--delay", "0", "--timeout", "60")


@pytest.fixture(scope="module")
def site() -> Iterator[LocalSite]:
    site = LocalSite(30, slow_seconds=0.0, is_live_endless=False)
    with serve_site(site):
        yield site


def test_json_lines(site: LocalSite, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["discover", site.base, "--limit", "3", *FAST]) == 0
    output = capsys.readouterr()
    finds = [json.loads(line) for line in output.out.splitlines()]
    assert len(finds) == 3
    assert list(finds[0]) == ["url", "title", "date", "origins", "score"]
    assert output.err.startswith("3 articles, ")


def test_files(site: LocalSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    addresses, table = tmp_path / "addresses.txt", tmp_path / "finds.csv"
    warc = tmp_path / "crawl.warc.gz"
    assert run(["discover", site.base, "-o", str(addresses), "--warc", str(warc), *FAST]) == 0
    assert sorted(addresses.read_text("utf-8").splitlines()) == sorted(site.list_allowed())
    assert warc.stat().st_size > 1000
    assert run(["discover", site.base, "-o", str(table), "-q", *FAST]) == 0
    with table.open(encoding="utf-8", newline="") as file:
        assert {row["url"] for row in csv.DictReader(file)} == set(site.list_allowed())
    output = capsys.readouterr()
    assert output.out == ""
    assert "addresses not read (--verbose lists them)" in output.err


def test_verbose(site: LocalSite, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["discover", site.base, "--since", "2024-02-28", "--verbose", *FAST]) == 0
    assert f"{site.base}/weather/: the server answered 500" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["http://127.0.0.1:9/"], 1, "is a private or reserved address; pass --allow-private"),
        (["http://127.0.0.1:9/", "--allow-private"], 1, "robots.txt cannot be read"),
        (["nonsense"], 2, "'nonsense' cannot be fetched: only http and https"),
        (["https://a.example", "--since", "yesterday"], 2, "--since must be a date such as 2024-03-16"),
        (["https://a.example", "-o", "finds.xlsx"], 2, "name it .jsonl, .csv or .txt"),
        (
            ["https://a.example", "-f", "json"],
            2,
            "unknown format 'json'; known: jsonl, csv, txt; did you mean 'jsonl'?",
        ),
        (["https://a.example", "-o", "no/such/finds.txt"], 2, "there is no folder no/such"),
        (["https://a.example", "--limit", "0"], 2, "--limit"),
    ],
)
def test_errors(arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["discover", *arguments]) == code
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_no_articles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = LocalSite(30, slow_seconds=0.0, is_live_endless=False)
    site.list_articles = lambda day=None: []  # type: ignore[method-assign]
    with serve_site(site):
        assert run(["discover", site.base, "-q", *FAST]) == 1
    assert "no articles found at" in capsys.readouterr().err


CONFIG = """\
output = "events.jsonl"
[sites.valley]
url = "{base}"
allow_private = true
days = 4000
delay = 0
timeout = 60.0
"""


def test_watch(site: LocalSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "sites.toml"
    config.write_text(CONFIG.format(base=site.base), "utf-8")
    assert run(["watch", str(config), "--once"]) == 0
    lines = (tmp_path / "events.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == len(site.list_allowed()) - 1  # one page always fails
    event = json.loads(lines[0])
    assert (event["id"], event["event"], event["site"]) == (1, "new", "valley")
    assert event["article"]["title"]
    assert f"valley: {len(lines)} new, 0 changed, 0 vanished" in capsys.readouterr().err
    assert run(["watch", str(config), "--once", "--verbose"]) == 0
    assert "valley: 0 new, 0 changed, 0 vanished" in capsys.readouterr().err


def test_watch_alarm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "sites.toml"
    config.write_text(CONFIG.format(base="http://127.0.0.1:9/"), "utf-8")
    assert run(["watch", str(config), "--once", "-o", "-"]) == 3
    output = capsys.readouterr()
    assert json.loads(output.out)["alarm"] == "unreachable"
    assert "valley: 0 new, 0 changed, 0 vanished, 1 not read; alarms: unreachable" in output.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--every", "soon"], "--every 'soon': must be a duration"),
        (["--every", "0s"], "--every '0s': must be longer than 0"),
        (["--once", "--relearn", "valey"], "unknown site 'valey'; known: valley; did you mean 'valley'?"),
        (["--once", "-o", "no/such/events.jsonl"], "there is no folder no/such"),
    ],
)
def test_watch_errors(arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "sites.toml"
    config.write_text(CONFIG.format(base="http://127.0.0.1:9/"), "utf-8")
    assert run(["watch", str(config), *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
