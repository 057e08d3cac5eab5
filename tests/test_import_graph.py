"""The files that cache keys depend on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from broadsheet.import_graph import ROOT, find_sources
from broadsheet.training.cache import hash_code

LABELLED = Path(__file__).parents[1] / "examples" / "labelled"
PACKAGE = {
    "__init__.py": "",
    "room/__init__.py": "from broadsheet.room.other import VALUE",
    "room/features.py": "import broadsheet.inside.deep\nfrom broadsheet.plain import helper\n",
    "room/stop_words.txt": "the",
    "room/weights/1/config.json": "{}",
    "room/other.py": "VALUE = 1",
    "room/train.py": "from broadsheet.room import features",
    "inside/__init__.py": "",
    "inside/deep.py": "def run():\n    from broadsheet import in_function\n    return 'broadsheet.by_name:Class'\n",
    "in_function.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from broadsheet.for_types import Type\n",
    "for_types.py": "class Type: pass",
    "by_name.py": "from broadsheet.loops.first import run",
    "plain.py": "helper = 'broadsheet is a word here, and broadsheet.missing is not a module'",
    "loops/__init__.py": "",
    "loops/first.py": "",
    "loops/first.pxd": "from broadsheet.loops.second cimport Second",
    "loops/second.pyx": "from broadsheet.html_table import TABLE\ninclude 'part.pxi'",
    "loops/part.pxi": "",
    "loops/first.so": "",
    "html_table.py": "TABLE = ()",
    "desk.py": "from broadsheet.room.features import run",
    "desk.css": "",
}
UNRELATED = {"room/other.py", "room/train.py", "room/weights/1/config.json", "loops/first.so", "desk.py"}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in PACKAGE.items():
        path = tmp_path / "package" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "package"


def test_sources_of_a_module(package: Path) -> None:
    sources = {path.relative_to(package).as_posix() for path in find_sources("broadsheet.room.features", root=package)}
    assert sources == PACKAGE.keys() - UNRELATED  # desk.css is beside the modules of the root


def test_missing_module(package: Path) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"no module broadsheet\.room\.missing"):
        find_sources("broadsheet.room.missing", root=package)


@pytest.mark.parametrize("file", sorted(PACKAGE))
def test_the_key_changes_with_every_source(file: str, package: Path) -> None:
    def hash_features() -> str:
        hash_code.cache_clear()
        return hash_code("broadsheet.room.features", package)

    before = hash_features()
    assert hash_features() == before
    with (package / file).open("a", encoding="utf-8") as out:
        out.write("\n# changed\n")
    assert (hash_features() != before) == (file not in UNRELATED)


# The functions that compute cached columns of pages, by the module whose key they have.
COLUMNS = {
    "broadsheet.methods.fusion.train_data": "load_pages(options, 'train', composed=4)",
    "broadsheet.methods.gcn.train_data": "load_graphs(options, 'train', ('body', 'title', 'date'))",
    "broadsheet.methods.semtext.train_data": "load_examples(options, 'train', SemtextConfig(), None)",
    "broadsheet.methods.visual.train_data": "load_samples(options, 'train')",
}
TRACE = """
import sys
from pathlib import Path
import {module} as module
from broadsheet.training.options import TrainingOptions
globals().update(vars(module))
files = set()
def note_call(frame, event, value):
    files.add(frame.f_code.co_filename)
options = TrainingOptions(Path({data!r}), Path("out"), Path({work!r}), report=lambda line: None)
sys.setprofile(note_call)
{call}
sys.setprofile(None)
print(*sorted(files), sep="\\n")
"""


@pytest.mark.thorough
@pytest.mark.parametrize("module", COLUMNS)
def test_the_key_includes_all_code_that_computes_features(module: str, tmp_path: Path) -> None:
    """An edit of a module that the features depend on must change the key: no file that runs may be missing."""
    program = TRACE.format(module=module, call=COLUMNS[module], data=str(LABELLED), work=str(tmp_path / "work"))
    environment = {**os.environ, "BROADSHEET_PURE": "1"}  # sources, not compiled modules
    command = [sys.executable, "-c", program]
    output = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    executed = {Path(line) for line in output.splitlines() if line.startswith(str(ROOT))}
    assert {"html", "page", "blocks", "kernel"} <= {path.relative_to(ROOT).parts[0] for path in executed}
    assert executed <= {*find_sources(module)}
