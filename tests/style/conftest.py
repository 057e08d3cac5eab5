"""Methods that label by style alone, in an importable module, as workers need it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from broadsheet.methods import Method

MODULE = """
from broadsheet.blocks import Labels, Role
from broadsheet.style import compute_styles

class KeepRed:
    name = "keep-red"

    def label(self, page, blocks):
        styles = compute_styles(page)
        is_red = [styles.color(row) == 0xff0000 for row in blocks.first]
        roles = [Role.BODY if red else Role.BOILERPLATE for red in is_red]
        return Labels(roles, [float(red) for red in is_red])

class KeepRendered(KeepRed):
    name = "keep-rendered"

    def label(self, page, blocks):
        assert page.rendering is not None
        return super().label(page, blocks)
"""


@pytest.fixture
def keep_red(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Method:
    """Return a method that keeps red text."""
    return _load("KeepRed", tmp_path, monkeypatch)


@pytest.fixture
def keep_rendered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Method:
    """Return a method that keeps red text and fails on a page without a rendering."""
    return _load("KeepRendered", tmp_path, monkeypatch)


def _load(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Method:
    (folder / "style_methods.py").write_text(MODULE)
    monkeypatch.syspath_prepend(folder)
    method: Method = getattr(import_module("style_methods"), name)()
    return method
