from __future__ import annotations

import sys
from pathlib import Path

import pytest

from broadsheet.evaluation.peers import find_cache_folder


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, "home/.cache/broadsheet"),
        ("linux", {"XDG_CACHE_HOME": "xdg"}, "xdg/broadsheet"),
        ("linux", {"XDG_CACHE_HOME": ""}, "home/.cache/broadsheet"),
        ("linux", {"XDG_CACHE_HOME": "xdg", "BROADSHEET_CACHE": "mine"}, "mine"),
        ("darwin", {"XDG_CACHE_HOME": "xdg"}, "home/Library/Caches/broadsheet"),
        ("win32", {"LOCALAPPDATA": "local"}, "local/broadsheet"),
        ("win32", {}, "home/AppData/Local/broadsheet"),
    ],
)
def test_find_cache_folder(
    platform: str, variables: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BROADSHEET_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("home"))
    assert find_cache_folder() == Path(expected)
