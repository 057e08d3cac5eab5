"""Which changes make an answer or a score out of date, tested on a copy of the package."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points, version
from pathlib import Path

import pytest

from broadsheet.evaluation import fingerprint, peer_adapters
from broadsheet.evaluation.fingerprint import (
    fingerprint_adapters,
    fingerprint_extraction,
    fingerprint_method,
    fingerprint_plugin,
    fingerprint_scoring,
)
from broadsheet.import_graph import ROOT


@pytest.fixture(autouse=True)
def cleared_caches() -> Iterator[None]:
    """Fingerprints are cached, because code does not change while a program runs, except in these tests."""
    _clear_caches()
    yield
    _clear_caches()


def _clear_caches() -> None:
    for function in (fingerprint_extraction, fingerprint_scoring, fingerprint_adapters):
        function.cache_clear()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return shutil.copytree(ROOT, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))


def test_a_copy_has_the_same_fingerprints(tree: Path) -> None:
    assert fingerprint_extraction(tree) == fingerprint_extraction()
    assert fingerprint_scoring(tree) == fingerprint_scoring()


@pytest.mark.parametrize(
    ("file", "extraction", "scoring"),
    [
        ("api.py", True, False),
        ("models/weights/fusion/99/weights.safetensors", True, False),
        ("fields/dates.py", True, False),
        ("text.py", True, True),
        ("page/decode.py", True, True),
        ("kernel/texts.pxd", True, True),
        ("corpora/align.py", False, True),
        ("evaluation/measures.py", False, True),
        ("evaluation/scores.py", False, True),
        ("evaluation/report/as_html.py", False, False),
        ("cli/app.py", False, False),
        ("desk/static/style.css", False, False),
        ("watch/run.py", False, False),
        ("page/__pycache__/decode.cpython-311.pyc", False, False),
    ],
)
def test_a_changed_file_changes_fingerprints(file: str, extraction: bool, scoring: bool, tree: Path) -> None:
    path = tree / file
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as out:
        out.write(b"# changed")
    assert (fingerprint_extraction(tree) != fingerprint_extraction()) == extraction
    assert (fingerprint_scoring(tree) != fingerprint_scoring()) == scoring


@pytest.mark.parametrize("package", ["turbohtml", "rapidfuzz"])
def test_another_version_of_a_package(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint_extraction(), fingerprint_scoring()
    _clear_caches()
    monkeypatch.setattr(fingerprint, "version", lambda name: "99" if name == package else version(name))
    assert fingerprint_extraction() != before[0]
    assert fingerprint_scoring() != before[1]


def test_another_python(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint_extraction()
    _clear_caches()
    monkeypatch.setattr(platform, "python_version", lambda: "9.9.9")
    assert fingerprint_extraction() != before


def test_adapters_have_a_separate_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint_adapters()
    _clear_caches()
    copy = tmp_path / "adapters.py"
    copy.write_text(Path(peer_adapters.__file__).read_text("utf-8") + "\n# changed\n", "utf-8")
    monkeypatch.setattr(peer_adapters, "__file__", str(copy))
    assert fingerprint_adapters() != before


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path with an installed package that provides methods."""
    folder = tmp_path / "site"
    (folder / "plugin_package").mkdir(parents=True)
    (folder / "plugin_package" / "__init__.py").write_text("")
    (folder / "plugin_package" / "method.py").write_text("raise RuntimeError('not imported for a fingerprint')\n")
    (folder / "plugin_module.py").write_text("# a method\n")
    (folder / "plugin-1.0.dist-info").mkdir()
    write_release(folder, "1.0")
    points = "[broadsheet.methods]\npackaged = plugin_package.method:A\nplain = plugin_module:A\n"
    (folder / "plugin-1.0.dist-info" / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(folder)
    return folder


def write_release(folder: Path, version: str) -> None:
    text = f"Metadata-Version: 2.1\nName: plugin\nVersion: {version}\n"
    (folder / "plugin-1.0.dist-info" / "METADATA").write_text(text)


def find_point(name: str) -> EntryPoint:
    (point,) = entry_points(group="broadsheet.methods", name=name)
    return point


@pytest.mark.parametrize(
    ("name", "file"),
    [("packaged", "plugin_package/method.py"), ("packaged", "plugin_package/new.bin"), ("plain", "plugin_module.py")],
)
def test_files_of_a_plugin_change_its_fingerprint(name: str, file: str, site: Path) -> None:
    before = fingerprint_plugin(find_point(name))
    assert fingerprint_plugin(find_point(name)) == before
    (site / file).write_text("# changed\n")
    assert fingerprint_plugin(find_point(name)) != before


def test_the_release_of_a_plugin_changes_its_fingerprint(site: Path) -> None:
    before = fingerprint_plugin(find_point("plain"))
    write_release(site, "1.1")
    assert fingerprint_plugin(find_point("plain")) != before


def test_the_fingerprint_of_a_plugin_method_includes_broadsheet(site: Path) -> None:
    assert fingerprint_method("plain") == f"{fingerprint_extraction()}+{fingerprint_plugin(find_point('plain'))}"
    assert fingerprint_method("twcem") == fingerprint_extraction()
