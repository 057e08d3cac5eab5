"""SECURITY.md names for each promise the tests that prove it, and they exist."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "SECURITY.md").read_text("utf-8")
PROMISES = re.findall(
    r"^- \*\*(.+?)\*\*(.*?)(?=^- \*\*|\Z)",
    TEXT.partition("## Promised")[2].partition("\n## ")[0],
    re.MULTILINE | re.DOTALL,
)
TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def test_there_are_promises() -> None:
    assert len(PROMISES) >= 14


@pytest.mark.parametrize(("title", "text"), PROMISES, ids=[title for title, _ in PROMISES])
def test_each_promise_names_tests_that_exist(title: str, text: str) -> None:
    tests = TEST.findall(text)
    assert tests, title
    for file, function in tests:
        code = (ROOT / file).read_text("utf-8")
        assert f"def {function}(" in code if function else "\ndef test_" in code, (file, function)


def test_bill_of_materials(tmp_path: Path) -> None:
    target = tmp_path / "bom.json"
    subprocess.run([sys.executable, ROOT / ".ci" / "sbom.py", target], check=True, capture_output=True)
    document = json.loads(target.read_text("utf-8"))
    names = {component["name"] for component in document["components"]}
    assert {"numpy", "rapidfuzz", "turbohtml", "preact"} <= names
    assert document["metadata"]["component"]["name"] == "broadsheet"
