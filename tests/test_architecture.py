"""The architecture page is true: the files and folders that it names exist, and its table of layers is complete."""

from __future__ import annotations

import re
from pathlib import Path

from tests.test_layers import LEVEL

import broadsheet

ROOT = Path(__file__).parents[1]
PACKAGE = Path(broadsheet.__file__).parent
PAGE = (ROOT / "docs" / "explanation" / "architecture.md").read_text("utf-8")
ADDED_PATH = re.compile(r"<\w+>")  # `fields/<name>.py` is a file that a change adds
NOT_IN_THE_TABLE = {"broadsheet", "__main__"}


def list_named_paths() -> list[str]:
    """List the paths of the page: code with the ending of a file, or with a slash at its end."""
    code = re.findall(r"`([^`\s]+)`", re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL))
    paths = [text for text in code if re.search(r"\w\.(?:pyx?|pxd|pxi|c|h|js|css|json|toml)$|\w/$", text)]
    return [path for path in paths if not ADDED_PATH.search(path)]


def exists(path: str) -> bool:
    """Tell whether a path is below the package or the repository; a bare name may be in any folder of the package."""
    if (PACKAGE / path).exists() or (ROOT / path).exists():
        return True
    return "/" not in path.rstrip("/") and any(PACKAGE.rglob(path.rstrip("/")))


def test_named_files_exist() -> None:
    paths = list_named_paths()
    assert len(paths) > 50
    assert [path for path in paths if not exists(path)] == []


def test_table_of_layers_names_every_part() -> None:
    table = PAGE.partition("\n## Layers")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| ((?:`[\w/]+`(?:, )?)+) \|", table, re.MULTILINE)
    named = {name.rstrip("/") for cell in cells for name in re.findall(r"`([\w/]+)`", cell)}
    assert named == set(LEVEL) - NOT_IN_THE_TABLE
