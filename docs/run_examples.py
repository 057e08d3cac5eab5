"""Run the examples of a page and compare their output with the page.

    python docs/run_examples.py README.md docs/tutorial.md            # list the differences
    python docs/run_examples.py --update docs/tutorial.md             # write the new output into the page

Two kinds of fenced blocks are run, in order, in a new folder that holds a copy of `examples/`: `console` (lines that
begin with `$ ` are commands of the shell, `> ` continues one) and `pycon` (Python prompts; names last for the whole
page). `...` in the expected output stands for any text. A block after a line `<!-- not run: reason -->` is left alone.
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(
    r"^(?P<skip><!-- not run: .*?-->\n)?(?P<open>```(?P<kind>console|pycon)[^\n]*\n)(?P<body>.*?)^```$", re.M | re.S
)
COMMAND = re.compile(r"^\$ (?P<source>.*\n(?:^> ?.*\n)*)(?P<output>(?:(?!\$ ).*\n)*)", re.M)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SECONDS = 300


@dataclass(frozen=True, slots=True)
class Difference:
    """An example whose output is not that of the page."""

    source: str
    expected: str
    output: str

    def __str__(self) -> str:
        return f"{self.source.rstrip()}\n--- expected\n{self.expected.rstrip()}\n--- output\n{self.output.rstrip()}\n"


@dataclass(slots=True)
class Runner:
    """Runs the examples of one page in a folder of their own."""

    folder: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    differences: list[Difference] = field(default_factory=list)
    count: int = 0

    def run_page(self, text: str) -> str:
        """Run all examples of a page, and return the page with their real output."""
        return BLOCK.sub(self._run_block, text)

    def _run_block(self, block: re.Match[str]) -> str:
        if block["skip"]:
            return block[0]
        parts = _split_console(block["body"]) if block["kind"] == "console" else _split_pycon(block["body"])
        run = self._run_command if block["kind"] == "console" else self._run_python
        return f"{block['open']}{''.join(self._run_part(run, *part) for part in parts)}```"

    def _run_part(self, run: Callable[[str], str], shown: str, source: str, expected: str) -> str:
        """Run one example; return it as it belongs into the page."""
        self.count += 1
        output = run(source)
        expected_or_none = expected if expected.strip() else ""
        if doctest.OutputChecker().check_output(expected_or_none, output, FLAGS):
            return shown + expected
        self.differences.append(Difference(source, expected, output))
        return shown + "".join(f"{line.rstrip()}\n" for line in output.splitlines())

    def _run_command(self, source: str) -> str:
        done = subprocess.run(
            ["bash", "-c", source],
            cwd=self.folder,
            env=_make_environment(self.folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
        return done.stdout.decode("utf-8", "replace")

    def _run_python(self, source: str) -> str:
        output = io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(output):
            try:
                exec(compile(source, "<page>", "single"), self.names)  # our own documentation
            except Exception:  # a page may show an error
                lines = traceback.format_exc().splitlines()
                print(lines[0], "    ...", *lines[-1:], sep="\n")
        return output.getvalue()


def run_page(path: Path, *, is_updated: bool = False) -> Runner:
    """Run the examples of a page, and write their output into it if asked."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
        _write_programs(folder / "bin")
        runner = Runner(folder)
        text = path.read_text("utf-8")
        new = runner.run_page(text)
        if is_updated and new != text:
            path.write_text(new, "utf-8")
        return runner


def _split_console(body: str) -> Iterator[tuple[str, str, str]]:
    for command in COMMAND.finditer(body):
        yield f"$ {command['source']}", re.sub(r"^> ?", "", command["source"], flags=re.M), command["output"]


def _split_pycon(body: str) -> Iterator[tuple[str, str, str]]:
    for example in doctest.DocTestParser().get_examples(body):
        first, *more = example.source.splitlines()
        shown = "".join(f"{line}\n" for line in (f">>> {first}", *(f"... {line}".rstrip() for line in more)))
        yield shown, example.source, example.want


def _write_programs(folder: Path) -> None:
    """Write `broadsheet` and `python` for this interpreter and this tree."""
    folder.mkdir()
    for name, command in (("broadsheet", f'"{sys.executable}" -m broadsheet'), ("python", f'"{sys.executable}"')):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {command} "$@"\n', "utf-8")
        program.chmod(0o755)


def _make_environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "BROADSHEET_CACHE": str(folder / "bin" / "cache"),
        "COLUMNS": "120",
        "NO_COLOR": "1",
        "LC_ALL": "C.UTF-8",
    }


def main() -> int:
    """Run the pages named on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pages", nargs="+", type=Path, metavar="PAGE")
    parser.add_argument("--update", action="store_true", help="write the new output into the pages")
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT / "src"))
    code = 0
    for page in arguments.pages:
        runner = run_page(page, is_updated=arguments.update)
        print(f"{page}: {runner.count} examples, {len(runner.differences)} different")
        for difference in runner.differences:
            print(difference)
            code = 0 if arguments.update else 1
    return code


if __name__ == "__main__":
    raise SystemExit(main())
