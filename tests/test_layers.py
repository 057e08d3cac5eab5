"""Imports only go down: the layers of the package, lowest first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import broadsheet

ROOT = Path(broadsheet.__file__).parent
LAYERS = [
    {"atomic", "errors", "cores", "gc_pause"},
    {"extras"},
    {"text"},
    {"page"},
    {"style", "blocks"},
    {"models"},
    {"embeddings"},
    {"methods", "fields"},
    {"article"},
    {"output"},
    {"site"},
    {"api"},
    {"worker"},
    {"many"},
    {"broadsheet"},
    {"fetch"},
    {"corpora"},
    {"training", "evaluation", "batch", "server"},
    {"cli"},
    {"__main__"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# Article's properties call the renderers above them, inside functions: "article.text" is worth it; so is "site.extract".
ALLOWED = {("article/article.py", "output"), ("site/site.py", "api")}
FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))


def parts_imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "broadsheet":
            names = node.module.split(".")[1:2] or [alias.name for alias in node.names]
            yield from (name if name in LEVEL else "broadsheet" for name in names)
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("broadsheet."))


@pytest.mark.parametrize("file", FILES)
def test_imports_go_down(file: str) -> None:
    own = "broadsheet" if file == "__init__.py" else file.split("/")[0].removesuffix(".py")
    for name in parts_imported(ROOT / file):
        is_fine = name == own or LEVEL[name] < LEVEL[own] or (file, name) in ALLOWED
        assert is_fine, f"{file} imports {name}, which stands above it or beside it"


def test_the_parser_is_known_in_one_place() -> None:
    # Evaluation measures the extractor that the same package has, as a peer.
    files = [file for file in FILES if not file.startswith("evaluation/peers/")]
    found = [file for file in files if "turbohtml" in imported_packages(ROOT / file)]
    assert found == ["page/parser.py"]


def imported_packages(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
    return found


def test_methods_do_not_import_each_other() -> None:
    folders = {path.name for path in (ROOT / "methods").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert "twcem" in folders
    for folder in folders:
        for path in (ROOT / "methods" / folder).rglob("*.py"):
            for other in folders - {folder}:
                assert f"broadsheet.methods.{other}" not in path.read_text("utf-8"), f"{path} imports {other}"
