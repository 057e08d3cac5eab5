"""The layers of the package: a module imports only from its own folder and from lower layers.

The layers follow the flow: text and page at the bottom, then blocks, methods, fields, article, output, and at the top
the programs that use `broadsheet.extract`. Folders in the same layer do not import each other. So each step can be read
and changed without knowing the later ones.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import broadsheet

ROOT = Path(broadsheet.__file__).parent
# Folders and modules of each layer, the lowest first. "broadsheet" is the package's public interface, __init__.py.
LAYERS = [
    {"atomic", "capture", "compiled", "errors", "gc_pause", "option_field", "import_graph", "version"},
    {"html"},
    {"kernel"},
    {"extras", "stored"},
    {"text"},
    {"page"},
    {"style", "blocks"},
    {"models"},
    {"methods", "fields"},
    {"article"},
    {"output"},
    {"site"},
    {"options"},
    {"api"},
    {"workers"},
    {"many"},
    {"arrow"},
    {"web"},
    {"inputs", "client", "discovery"},
    {"broadsheet"},
    {"corpora", "report"},
    {"training", "evaluation", "batch", "server", "watch", "publishing"},
    {"project"},
    {"desk", "integrations"},
    {"cli"},
    {"__main__"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# Imports inside functions or for types, for the sake of `article.text` and `site.extract`.
EXCEPTIONS = {
    ("article/article.py", "output"),
    ("article/assemble.py", "options"),
    ("article/assemble.py", "output"),
    ("article/structure.py", "output"),
    ("site/site.py", "api"),
    ("site/site.py", "options"),
}
# Trainers are beside what they train, and in the layer of `training`.
TRAINER = re.compile(r"(?:models|fields|methods/\w+)/train(?:_\w+)?\.py")
TRAINING_PACKAGES = {"floret", "gensim", "sklearn", "torch", "wordfreq"}
FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))


@cache
def list_imports(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """Return the import statements of a file, which several tests read."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


def list_imported_parts(path: Path) -> Iterator[str]:
    """Yield the folders and modules of the package that a file imports."""
    for node in list_imports(path):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "broadsheet":
            names = node.module.split(".")[1:2] or [alias.name for alias in node.names]
            yield from (name if name in LEVEL else "broadsheet" for name in names)
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("broadsheet."))


@pytest.mark.parametrize("file", FILES)
def test_imports_are_from_lower_layers(file: str) -> None:
    part = "broadsheet" if file == "__init__.py" else file.split("/")[0].removesuffix(".py")
    room = {part}
    if TRAINER.fullmatch(file):
        part, room = "training", {part, "training"}
    for name in list_imported_parts(ROOT / file):
        is_allowed = name in room or LEVEL[name] < LEVEL[part] or (file, name) in EXCEPTIONS
        assert is_allowed, f"{file} imports {name}, which is in a higher layer or in the same one"


@pytest.mark.parametrize("file", [file for file in FILES if not TRAINER.fullmatch(file)])
def test_only_trainers_import_training_packages_and_trainers(file: str) -> None:
    """The run time works without torch and scikit-learn, and an edit of a trainer cannot change an article."""
    text = (ROOT / file).read_text("utf-8")
    if not file.startswith("training/"):
        extras = re.findall(r'import_extra\("(\w+)', text)
        assert not {*list_packages(ROOT / file), *extras} & TRAINING_PACKAGES, f"{file} imports a package for training"
    assert not re.search(r"(?:import|from) broadsheet[\w.]*\.train(?:_|\b)", text), f"{file} imports a trainer"


def test_few_modules_import_the_parser() -> None:
    # Evaluation compares Broadsheet with the extractor of the parser's package.
    files = [file for file in FILES if file != "evaluation/peer_adapters.py"]
    importers = [file for file in files if "turbohtml" in list_packages(ROOT / file)]
    page_files = ("parser", "symbols", "tree")
    assert importers == ["html/walk.py", *(f"page/{name}.py" for name in page_files)]


def test_only_web_and_client_import_httpx() -> None:
    files = [file for file in FILES if list_packages(ROOT / file) & {"httpx", "httpcore"}]
    assert {file.split("/")[0] for file in files} == {"web", "client"}


def list_packages(path: Path) -> set[str]:
    """Return the top-level packages that a file imports."""
    packages: set[str] = set()
    for node in list_imports(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            packages.add(node.module.split(".")[0])
        elif isinstance(node, ast.Import):
            packages.update(alias.name.split(".")[0] for alias in node.names)
    return packages


def test_methods_do_not_import_each_other() -> None:
    folders = {path.name for path in (ROOT / "methods").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert "twcem" in folders
    for folder in folders:
        for path in (ROOT / "methods" / folder).rglob("*.py"):
            for other in folders - {folder}:
                assert f"broadsheet.methods.{other}" not in path.read_text("utf-8"), f"{path} imports {other}"
