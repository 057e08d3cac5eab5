"""What pages say must not reach the terminal as commands, nor a spreadsheet as formulas."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from broadsheet.article import Article
from broadsheet.cli.destination import ToFolder, ToTable, write_stdout
from broadsheet.cli.discover_command import _FORMATS
from broadsheet.cli.messages import OutputError
from broadsheet.cli.sources import NamedSource
from broadsheet.discovery.find import Discovery, Find
from broadsheet.output.formats import TABLES
from broadsheet.output.record import RECORD
from broadsheet.output.tables.files import parse_cell, protect_cell

HOSTILE = "a\x1b]0;owned\x07b\x9b31mc\x85d\x7fe"
CONTROLS = {chr(code) for code in (*range(32), *range(127, 160))} - {"\n", "\t"}
FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1+1", "\uff0b1", "\uff0d1", "\uff20SUM(A1)"]


class FakeTerminal(io.StringIO):
    """Standard output as a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("name", _FORMATS)
def test_discover_writes_no_controls_to_a_terminal(name: str) -> None:
    with redirect_stdout(FakeTerminal()) as terminal:
        write_stdout(_FORMATS[name](Discovery((Find(f"https://x.example/{HOSTILE}", title=HOSTILE),))))
    assert not CONTROLS & set(terminal.getvalue())
    assert "x.example" in terminal.getvalue()


@pytest.mark.parametrize("table", [table for table in TABLES.values() if table.ending in (".csv", ".jsonl")], ids=str)
def test_tables_write_no_controls_to_a_terminal(table: object) -> None:
    with redirect_stdout(FakeTerminal()) as terminal, ToTable(None, table, RECORD) as output:  # type: ignore[arg-type]
        output.write(Article(title=HOSTILE + "é港"))
    assert not CONTROLS & set(terminal.getvalue())
    assert "é港" in terminal.getvalue()


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_text(text: str) -> None:
    assert protect_cell(text) == f"'{text}"
    column = next(column for column in RECORD if column.name == "title")
    assert parse_cell(f"'{text}", column) == text
    written = _FORMATS["csv"](Discovery((Find("https://x.example/", title=text),)))
    assert f"'{text}" in written


def test_a_link_in_the_output_folder_is_replaced(tmp_path: Path) -> None:
    victim, folder = tmp_path / "victim", tmp_path / "out"
    victim.write_text("old")
    folder.mkdir()
    (folder / "page.txt").symlink_to(victim)
    with ToFolder(folder, ".txt", ()) as output:
        output.write(NamedSource("page.html", "page.html"), "new")
    assert victim.read_text() == "old"
    assert (folder / "page.txt").read_text() == "new\n"


def test_a_folder_that_leads_out_is_refused(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "out"
    outside.mkdir()
    folder.mkdir()
    (folder / "sub").symlink_to(outside)
    with ToFolder(folder, ".txt", ()) as output, pytest.raises(OutputError, match="is a link to another folder"):
        output.write(NamedSource("sub/page.html", "sub/page.html"), "new")
    assert not list(outside.iterdir())
