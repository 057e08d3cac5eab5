"""The border: every error one line and an exit code; help that teaches."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

import broadsheet
from broadsheet.cli import describe_version, main
from broadsheet.cli.app import COMMANDS, build_app, choose_commands, run
from broadsheet.cli.messages import complain


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_shows_commands_and_examples(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 0
    shown = capsys.readouterr().out
    assert "extract" in shown
    assert "methods" in shown
    assert "broadsheet extract pages/ -o articles.csv" in shown


def test_help_of_a_command_has_examples_and_exit_codes() -> None:
    result = CliRunner().invoke(build_app(), ["extract", "--help"])
    assert result.exit_code == 0
    assert "broadsheet extract page.html --explain" in result.output
    assert "Exit codes" in result.output


def test_reader_of_the_help_may_leave() -> None:
    command = [sys.executable, "-c", "import sys; from broadsheet.cli import main; sys.argv = ['', '-h']; main()"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(300) == 141


def test_version() -> None:
    result = CliRunner().invoke(build_app(), ["--version"])
    assert (result.exit_code, result.output) == (0, f"{describe_version()}\n")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["extrct"], "unknown command 'extrct'; known: extract, discover"),
        (["site", "lern"], "unknown command 'lern'; known: learn, show; did you mean 'learn'?"),
        (["extrct"], "did you mean 'extract'?"),
        (["pages/ferry.html"], "no command was given; write: broadsheet extract pages/ferry.html"),
        (["https://a.example/x"], "no command was given; write: broadsheet extract https://a.example/x"),
        (["extract", "--formt", "md"], "no such option: --formt; did you mean --format?"),
        (["--nonsense"], "no such option: --nonsense"),
        (["extract", "pages", "--method"], "requires an argument; see broadsheet extract --help"),
        (["extract", "pages", "-f", "markdown"], "did you mean 'md'?"),
        (["extract", "pages", "-f", "TXT"], "did you mean 'text'?"),
        (["extract", "pages", "-f", "plain"], "did you mean 'text'?"),
        (["extract", "pages", "-f", "xml"], "did you mean 'tei'?"),
        (["extract", "pages", "-j", "0"], "invalid value for '--workers'"),
        (["extract", "pages", "-j", "many"], "invalid value for '--workers'"),
        (
            ["extract", "pages", "-f", "jsn"],
            "known: text, md, html, json, jsonl, chunks, schema, tei, csv, xlsx, parquet; did you mean 'json'?",
        ),
        (["extract", "pages", "-f", "explain2"], "unknown format 'explain2'; known: text, md"),
        (["extract", "pages", "-m", "twcm"], "unknown method 'twcm'; known: "),
        (["extract", "pages", "-m", "twcm"], "did you mean 'twcem'?"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    arguments: list[str], reason: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("broadsheet: ")
    assert shown.err.count("\n") == 1
    assert reason in shown.err


def test_error_of_the_system_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "file").write_text("in the way")
    assert run(["extract", "pages/ferry.html", "-o", "file/deeper/"]) == 1
    shown = capsys.readouterr().err
    assert shown == "broadsheet: cannot write to the folder file/deeper: not a directory; write elsewhere\n"


def test_every_command_can_be_loaded_and_has_its_summary() -> None:
    loaded: Any = typer.main.get_command(build_app())
    listed: Any = typer.main.get_command(build_app(()))
    assert set(loaded.commands) == set(listed.commands) == set(COMMANDS)
    for name, (_, summary) in COMMANDS.items():
        assert loaded.commands[name].help.partition("\n")[0] == summary == listed.commands[name].help


def test_interrupt_is_one_line_and_exit_code_130(
    monkeypatch: pytest.MonkeyPatch, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("broadsheet.cli.extraction.read_source", interrupt)
    assert run(["extract", "pages/ferry.html"]) == 130
    assert capsys.readouterr().err == "broadsheet: interrupted\n"


def test_interrupt_of_the_imports_is_silent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(ModuleType):
        def __getattr__(self, name: str) -> None:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "broadsheet.cli.app", Interrupted("broadsheet.cli.app"))
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 130
    assert capsys.readouterr().err == ""


def test_package_can_be_run() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "broadsheet", "--version"], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout == f"{describe_version()}\n"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("page.html", "page.html"),
        ("nö.html", "nö.html"),
        ("n\udcc3\udcb6.html", "nö.html"),  # UTF-8, in a locale that knows ASCII only
        ("n\udcf6.html", r"n\xf6.html"),
        ("\ud800\udcff", "\N{REPLACEMENT CHARACTER}\\xff"),
    ],
)
def test_names_in_bytes_of_another_locale(name: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    complain(name)
    assert capsys.readouterr().err == f"broadsheet: {shown}\n"


@pytest.mark.parametrize(("command", "module"), [("", "numpy"), ("extract", "rich.progress"), ("serve", "fastapi")])
def test_command_modules_bring_no_heavy_imports(command: str, module: str) -> None:
    script = f"import sys, broadsheet.cli.app as app; app.build_app([{command!r}]); print({module!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout == "False\n"


def test_flags_have_no_value_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--help"], ["extract", "--help"], ["site", "show", "--help"], ["eval", "--help"]):
        assert run(arguments) == 0
        assert "<bool>" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "expected"), [("extract --format par", "parquet"), ("extract -m fus", "fusion"), ("ext", "extract")]
)
def test_shell_completion(words: str, expected: str) -> None:
    variables = {
        "_BROADSHEET_COMPLETE": "complete_bash",
        "COMP_WORDS": f"broadsheet {words}",
        "COMP_CWORD": str(words.count(" ") + 1),
    }
    code = "from broadsheet.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, **variables}, capture_output=True, text=True)
    assert done.stdout.split() == [expected]


def test_version_is_fast() -> None:
    code = "import sys; sys.argv[1:] = ['--version']; from broadsheet.cli import main; main(); print('typer' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{describe_version()}\nFalse\n"


def test_version_names_plain_python() -> None:
    command = [sys.executable, "-m", "broadsheet", "--version"]
    environment = {**os.environ, "BROADSHEET_PURE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"broadsheet {broadsheet.__version__} (pure Python)\n"


@pytest.mark.parametrize(
    ("arguments", "variables", "count"),
    [
        (["extract", "a.html"], {}, 1),
        (["extract", "--help"], {}, 1),
        (["--help"], {}, 0),
        (["extrct"], {}, 0),
        ([], {}, 0),
        ([], {"_BROADSHEET_COMPLETE": "complete_bash", "COMP_WORDS": "broadsheet site learn --"}, 1),
        ([], {"_BROADSHEET_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "broadsheet ex"}, 0),
    ],
)
def test_only_the_module_of_the_command_is_imported(
    arguments: list[str], variables: dict[str, str], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert len(choose_commands(arguments)) == count
