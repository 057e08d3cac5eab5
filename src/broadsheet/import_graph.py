"""Which files a module depends on: its source, and the sources of everything that it imports, found without importing.

Keys of caches are hashes of these files. All imports count, also those in functions and for types, and so do modules
that strings name, as in the tables of methods and of formats. A package that encloses an imported module counts with
its `__init__.py`, but not with what that imports. The compiled modules of a folder count as one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = "broadsheet"
ROOT = Path(__file__).parent
_CYTHON = (".pyx", ".pxd")
_BUILT = (".pyc", ".pyd", ".so")
_NAME_IN_STRING = re.compile(rf"{PACKAGE}(?:\.\w+)+(?=:|$)")
_CYTHON_IMPORT = re.compile(rf"^\s*(?:from|c?import)\s+({PACKAGE}[\w.]*)", re.MULTILINE)


def find_sources(*modules: str, root: Path = ROOT) -> list[Path]:
    """Return the files that modules depend on, sorted. `root` is the package, or a copy of it.

    Data files in the folder of a module are included, such as a list of words; folders of data are not.
    """
    sources: set[Path] = set()
    enclosing: set[Path] = set()
    waiting = [_find_source(module, root) for module in modules]
    while waiting:
        source = waiting.pop()
        if source not in sources:
            sources.add(source)
            enclosing.update(root / folder / "__init__.py" for folder in source.relative_to(root).parents)
            waiting += _list_imports(source, root)
    folders = {source.parent for source in sources}
    data = {path for folder in folders for path in folder.iterdir() if path.suffix not in (".py", *_BUILT)}
    return sorted(sources | enclosing | {path for path in data if path.is_file()})


def _find_source(module: str, root: Path) -> Path:
    """Return the source of a module or, if it is a package, its __init__.py. Raises ModuleNotFoundError."""
    path = root.joinpath(*module.split(".")[1:])
    for source in (path / "__init__.py", path.with_suffix(".py"), path.with_suffix(".pyx")):
        if source.is_file():
            return source
    raise ModuleNotFoundError(f"{root} has no module {module}")


def _list_imports(source: Path, root: Path) -> Iterator[Path]:
    """Yield the sources of the modules that a module imports or names. Compiled modules of a folder are one unit."""
    if any(source.with_suffix(suffix).is_file() for suffix in _CYTHON):
        yield from (path for path in source.parent.iterdir() if path.suffix in (".py", *_CYTHON))
    for name in _read_names(source):
        try:
            yield _find_source(name, root)
        except ModuleNotFoundError:  # a function or class of a module, or another string
            continue


def _read_names(source: Path) -> frozenset[str]:
    """Return the names of the package's modules that a source contains, and names of what it imports from them."""
    text = source.read_text("utf-8")
    return frozenset(_CYTHON_IMPORT.findall(text)) if source.suffix in _CYTHON else _parse_names(text)


@cache  # by text, so that an edit is noticed: the sources of two modules are mostly the same files
def _parse_names(text: str) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.update(_NAME_IN_STRING.findall(node.value))
    return frozenset(name for name in names if name.split(".")[0] == PACKAGE)
