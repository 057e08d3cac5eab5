"""Run the examples of a page and compare their output with the page.

    python docs/run_examples.py README.md docs/tutorial.md            # list the differences
    python docs/run_examples.py --update docs/tutorial.md             # write the new output into the page
    python docs/run_examples.py --installed README.md                 # run the installed package, not this tree

Two kinds of fenced blocks are run, in order, in a new folder that holds a copy of `examples/`:

- `console`: lines that begin with `$ ` are commands of the shell, `> ` continues one;
- `pycon`: Python prompts; names last for the whole page.

`...` in the expected output stands for any text. A comment before the block changes this: after
`<!-- not run: reason -->` the block is left alone, after `<!-- numbers vary -->` numbers are not compared.
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
SOURCES = str(ROOT / "src")
BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>not run|numbers vary).*?-->\n)?```(?P<kind>console|pycon)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
COMMAND = re.compile(r"^\$ (?P<source>.*\n(?:^> ?.*\n)*)(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)
NUMBER = re.compile(r"\d+(?:\.\d+)?")
RULE = re.compile("─+")
OUTPUT_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
MAX_SECONDS = 900  # for one command


@dataclass(frozen=True, slots=True)
class Example:
    """One command or prompt of a page."""

    shown: str  # as the page shows it
    source: str  # as it is run
    expected: str


@dataclass(frozen=True, slots=True)
class Difference:
    """An example whose output is not that of the page."""

    example: Example
    output: str

    def __str__(self) -> str:
        return f"{self.example.shown}--- expected\n{self.example.expected}--- output\n{self.output}"


@dataclass(slots=True)
class Runner:
    """Runs the examples of one page in a folder."""

    folder: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    differences: list[Difference] = field(default_factory=list)
    count: int = 0

    def run_page(self, text: str) -> str:
        """Run all examples of a page, and return the page with their real output."""
        return BLOCK.sub(self._run_block, text)

    def _run_block(self, block: re.Match[str]) -> str:
        if block["mark"] == "not run":
            return block[0]
        examples = split_console(block["body"]) if block["kind"] == "console" else split_pycon(block["body"])
        run = self._run_command if block["kind"] == "console" else self._run_python
        varies = block["mark"] == "numbers vary"
        new_body = "".join([self._run_example(example, run, varies=varies) for example in examples])
        before_body = block[0][: block.start("body") - block.start()]
        return f"{before_body}{new_body}```"

    def _run_example(self, example: Example, run: Callable[[str], str], *, varies: bool) -> str:
        self.count += 1
        output = "".join(f"{line.rstrip()}\n" for line in run(example.source).splitlines())
        if is_same(example.expected, output, varies=varies):
            return example.shown + example.expected
        self.differences.append(Difference(example, output))
        return example.shown + output

    def _run_command(self, source: str) -> str:
        done = subprocess.run(
            ["bash", "-c", source],
            cwd=self.folder,
            env=make_environment(self.folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=MAX_SECONDS,
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
                print(lines[0], "    ...", lines[-1], sep="\n")
        return output.getvalue()


def run_page(path: Path, *, is_updated: bool = False) -> Runner:
    """Run the examples of a page, and write their output into it if asked."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
        write_programs(folder / "bin")
        runner = Runner(folder)
        text = path.read_text("utf-8")
        with keep_imports(folder):
            new_text = runner.run_page(text)
    if is_updated and new_text != text:
        path.write_text(new_text, "utf-8")
    return runner


@contextlib.contextmanager
def keep_imports(folder: Path) -> Iterator[None]:
    """Undo what a page does to Python's search path; forget the modules that it imported from the folder."""
    search_path = list(sys.path)
    try:
        yield
    finally:
        for entry in set(sys.path).difference(search_path):
            sys.path_importer_cache.pop(entry, None)
        sys.path[:] = search_path
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None)).startswith(str(folder)):
                del sys.modules[name]


def is_same(expected: str, output: str, *, varies: bool) -> bool:
    """Compare an output with the page."""
    if varies:  # with the rules below the head of a table, which are as wide as its numbers
        expected, output = (RULE.sub("─", NUMBER.sub("0", text)) for text in (expected, output))
    return doctest.OutputChecker().check_output(expected if expected.strip() else "", output, OUTPUT_FLAGS)


def split_console(body: str) -> Iterator[Example]:
    """Split a block into commands."""
    for command in COMMAND.finditer(body):
        source = re.sub(r"^> ?", "", command["source"], flags=re.MULTILINE)
        yield Example(f"$ {command['source']}", source, command["output"])


def split_pycon(body: str) -> Iterator[Example]:
    """Split a block into Python prompts."""
    for example in doctest.DocTestParser().get_examples(body):
        first, *more = example.source.splitlines()
        lines = [f">>> {first}", *(f"... {line}".rstrip() for line in more)]
        yield Example("".join(f"{line}\n" for line in lines), example.source, example.want)


def write_programs(folder: Path) -> None:
    """Write `broadsheet` and `python` for this interpreter and this tree."""
    folder.mkdir()
    for name, command in (("broadsheet", f'"{sys.executable}" -m broadsheet'), ("python", f'"{sys.executable}"')):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {command} "$@"\n', "utf-8")
        program.chmod(0o755)


def make_environment(folder: Path) -> dict[str, str]:
    """Make the environment of a command: this tree or the installed package, no colours, no cache of the user."""
    tree = SOURCES if SOURCES in sys.path else None
    return {
        **os.environ,
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, [tree, os.environ.get("PYTHONPATH")])),
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
    parser.add_argument("--installed", action="store_true", help="use the installed package, not this tree")
    arguments = parser.parse_args()
    if not arguments.installed:
        sys.path.insert(0, SOURCES)
    has_differences = False
    for page in arguments.pages:
        runner = run_page(page, is_updated=arguments.update)
        print(f"{page}: {runner.count} examples, {len(runner.differences)} different")
        print(*runner.differences, sep="\n")
        has_differences |= bool(runner.differences)
    return 1 if has_differences and not arguments.update else 0


if __name__ == "__main__":
    raise SystemExit(main())
