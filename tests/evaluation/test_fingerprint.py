"""What makes an answer or a score go out of date, tried on a copy of the package."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points, version
from pathlib import Path

import pytest

from broadsheet.evaluation import fingerprint
from broadsheet.evaluation.fingerprint import (
    ROOT,
    find_scoring_files,
    fingerprint_adapters,
    fingerprint_extraction,
    fingerprint_method,
    fingerprint_plugin,
    fingerprint_scoring,
)
from broadsheet.evaluation.peers import adapters


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Code does not change while a program runs, except here."""
    _forget()
    yield
    _forget()


def _forget() -> None:
    for cached in (fingerprint_extraction, fingerprint_scoring, fingerprint_adapters):
        cached.cache_clear()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return shutil.copytree(ROOT, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))


def test_a_copy_is_as_good_as_the_original(tree: Path) -> None:
    assert fingerprint_extraction(tree) == fingerprint_extraction()
    assert fingerprint_scoring(tree) == fingerprint_scoring()


@pytest.mark.parametrize(
    ("file", "extraction", "scoring"),
    [
        ("api.py", True, False),
        ("methods/new/weights/1/model.safetensors", True, False),
        ("fields/dates.py", True, False),
        ("text/words.py", True, True),
        ("page/decode.py", True, True),
        ("blocks/new.py", True, True),
        ("corpora/align.py", False, True),
        ("evaluation/measures/word.py", False, True),
        ("evaluation/mistakes.py", False, True),
        ("evaluation/report/as_html.py", False, False),
        ("cli/app.py", False, False),
        ("page/__pycache__/decode.cpython-311.pyc", False, False),
    ],
)
def test_what_a_changed_file_changes(file: str, extraction: bool, scoring: bool, tree: Path) -> None:
    path = tree / file
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as out:
        out.write(b"# changed")
    assert (fingerprint_extraction(tree) != fingerprint_extraction()) == extraction
    assert (fingerprint_scoring(tree) != fingerprint_scoring()) == scoring


def test_scores_depend_on_every_module_that_scoring_imports() -> None:
    program = (
        "import sys, broadsheet; before = {*sys.modules};"  # what the package itself imports is not for scoring
        "import broadsheet.evaluation.gold, broadsheet.evaluation.scores; names = {*sys.modules} - before;"
        "print(*(sys.modules[name].__file__ for name in names if name.startswith('broadsheet.')), sep='\\n')"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    imported = {Path(line) for line in said.splitlines()}
    assert ROOT / "text" / "words.py" in imported
    assert imported - {*find_scoring_files()} <= {ROOT / "evaluation" / "__init__.py"}


@pytest.mark.parametrize("package", ["turbohtml", "rapidfuzz"])
def test_another_version_below(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint_extraction(), fingerprint_scoring()
    _forget()
    monkeypatch.setattr(fingerprint, "version", lambda name: "99" if name == package else version(name))
    assert fingerprint_extraction() != before[0]
    assert fingerprint_scoring() != before[1]


def test_another_python(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint_extraction()
    _forget()
    monkeypatch.setattr(platform, "python_version", lambda: "9.9.9")
    assert fingerprint_extraction() != before


def test_adapters_have_a_fingerprint_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint_adapters()
    _forget()
    copy = tmp_path / "adapters.py"
    copy.write_text(Path(adapters.__file__).read_text("utf-8") + "\n# changed\n", "utf-8")
    monkeypatch.setattr(adapters, "__file__", str(copy))
    assert fingerprint_adapters() != before


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path with an installed package that brings a method."""
    folder = tmp_path / "site"
    (folder / "others_package").mkdir(parents=True)
    (folder / "others_package" / "__init__.py").write_text("")
    (folder / "others_package" / "method.py").write_text("raise RuntimeError('not imported for a fingerprint')\n")
    (folder / "others_module.py").write_text("# a method\n")
    (folder / "others-1.0.dist-info").mkdir()
    write_release(folder, "1.0")
    points = "[broadsheet.methods]\npackaged = others_package.method:A\nplain = others_module:A\n"
    (folder / "others-1.0.dist-info" / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(folder)
    return folder


def write_release(folder: Path, version: str) -> None:
    text = f"Metadata-Version: 2.1\nName: others\nVersion: {version}\n"
    (folder / "others-1.0.dist-info" / "METADATA").write_text(text)


def find_point(name: str) -> EntryPoint:
    (point,) = entry_points(group="broadsheet.methods", name=name)
    return point


@pytest.mark.parametrize(
    ("name", "file"),
    [("packaged", "others_package/method.py"), ("packaged", "others_package/new.bin"), ("plain", "others_module.py")],
)
def test_a_method_of_others_goes_out_of_date_with_its_files(name: str, file: str, site: Path) -> None:
    before = fingerprint_plugin(find_point(name))
    assert fingerprint_plugin(find_point(name)) == before
    (site / file).write_text("# changed\n")
    assert fingerprint_plugin(find_point(name)) != before


def test_a_method_of_others_goes_out_of_date_with_its_release(site: Path) -> None:
    before = fingerprint_plugin(find_point("plain"))
    write_release(site, "1.1")
    assert fingerprint_plugin(find_point("plain")) != before


def test_a_method_of_others_depends_on_broadsheet_too(site: Path) -> None:
    found = fingerprint_method("plain")
    assert found == f"{fingerprint_extraction()}+{fingerprint_plugin(find_point('plain'))}"
    assert fingerprint_method("twcem") == fingerprint_extraction()
