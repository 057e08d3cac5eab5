"""`broadsheet batch` and `broadsheet duplicates` as commands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.batch.archives import list_addresses, name_address, read_rows, write_warc

from broadsheet.cli.app import run


def test_batch_and_duplicates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_warc(tmp_path / "a.warc.gz", range(3))
    (tmp_path / "b.warc.gz").write_bytes(b"no archive")
    out = str(tmp_path / "out")
    command = ["batch", f"{tmp_path}/*.warc.gz", "-o", out, "-m", "twcem", "-j", "1"]
    assert run(command) == 1  # one input is damaged
    printed = capsys.readouterr().err
    assert "b.warc.gz is not a WARC file" in printed
    assert "4 rows in 2 parts (2 new): 3 ok, 1 failed; see " in printed
    assert list_addresses(tmp_path / "out") == sorted(map(name_address, range(3)))
    assert json.loads((tmp_path / "out" / "_reports" / "report.json").read_text())["faults"][0]["source"].endswith(
        "b.warc.gz"
    )
    assert run(["duplicates", out]) == 0
    assert "3 texts; 0 in 0 clusters" in capsys.readouterr().out
    assert run([*command, "--min-chars", "5"]) == 2
    assert "was made with other options (filters.min_chars: 0 -> 5)" in capsys.readouterr().err


def test_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_warc(tmp_path / "a.warc.gz", range(3))
    assert run(["batch", str(tmp_path / "a.warc.gz"), "-o", str(tmp_path / "out"), "-m", "twcem", "--plan"]) == 0
    assert "pages    3 (3 to 3)" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("flags", [(), ("--no-images",)])
def test_no_images(tmp_path: Path, flags: tuple[str, ...]) -> None:
    page = Path(__file__).parents[2] / "examples" / "pages" / "harbour.html"
    out = tmp_path / "out"
    assert run(["batch", str(page), "-o", str(out), "--with", "markdown", "-j", "1", "-q", *flags]) == 0
    (row,) = read_rows(out)
    assert ("![" in str(row["markdown"])) is not bool(flags)


def test_fields(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_warc(tmp_path / "a.warc.gz", range(3))
    out = tmp_path / "out"
    command = ["batch", str(tmp_path / "a.warc.gz"), "-o", str(out), "-m", "twcem", "-j", "1", "-q"]
    assert run([*command, "--fields", "url,title", "--with", "markdown", "--min-chars", "5"]) == 0
    rows = read_rows(out)
    names = ["id", "status", "host", "language", "date", "confidence", "url", "title", "markdown"]
    assert [list(row) for row in rows] == [names] * 3
    assert sorted(str(row["url"]) for row in rows) == list_addresses(out)
    assert run([*command, "--fields", "titel"]) == 2
    assert "unknown field 'titel'" in capsys.readouterr().err


def test_filters_in_capitals_and_with_www(tmp_path: Path) -> None:
    write_warc(tmp_path / "a.warc.gz", range(3))
    filters = ["--host", "WWW.north.example", "--language", "EN", "--status", "OK", "--content-type", "Text/HTML"]
    command = ["batch", str(tmp_path / "a.warc.gz"), "-o", str(tmp_path / "out"), "-m", "twcem", "-j", "1", "-q"]
    assert run([*command, *filters]) == 0
    assert [row["url"] for row in read_rows(tmp_path / "out")] == [name_address(0)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.warc.gz", "-o", "out"], "no input matches none.warc.gz; check the name"),
        (["x.warc.gz", "-o", "out", "--engine", "spark"], "unknown engine 'spark'; known: local, ray"),
        (["x.warc.gz", "-o", "out", "--address", "auto"], "--address is for --engine ray"),
        (["x.warc.gz", "-o", "out", "--from", "2024"], "--from must be a date such as 2024-03-16, not '2024'"),
        (["x.warc.gz", "-o", "out", "--sample", "2"], "the sample must be a share"),
        (["x.warc.gz", "-o", "out", "-m", "twecm"], "unknown method 'twecm'"),
        (["x.warc.gz", "-o", "out", "--http-status", "ok"], "--http-status takes numbers such as 200,404, not 'ok'"),
    ],
)
def test_wrong_usage(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_warc(tmp_path / "x.warc.gz", [1])
    assert run(["batch", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not list((tmp_path / "out").glob("*.parquet"))


def test_empty_folder_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert run(["batch", str(tmp_path / "empty"), "-o", str(tmp_path / "out")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "empty; looked for HTML pages" in line


def test_one_live_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, one line is rewritten: pages, rate, share, time and money left, faults."""
    for number in range(3):
        write_warc(tmp_path / f"{number}.warc.gz", range(3 * number, 3 * number + 3))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    command = ["batch", f"{tmp_path}/*.warc.gz", "-o", str(tmp_path / "out"), "-m", "twcem", "-j", "1"]
    assert run([*command, "--core-price", "0.04"]) == 0
    lines = capsys.readouterr().err.split("\r\033[K")
    assert re.fullmatch(
        r"3/3 inputs, 9 pages, \d+ per second, 100%, 0.0 hours left, 0.00 left to pay, 0 faults\n.*",
        lines[-1],
        re.DOTALL,
    )
    metrics = (tmp_path / "out" / "_reports" / "metrics.prom").read_text()
    assert 'broadsheet_batch_rows{status="ok"} 9\n' in metrics
    assert "broadsheet_batch_inputs_left 0\n" in metrics
