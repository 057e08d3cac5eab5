"""Compiled and plain Python give the same results."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.kernel.describe import CASES, DATA, Description, describe_pages

from broadsheet.kernel import is_compiled

pytestmark = pytest.mark.skipif(not is_compiled(), reason="nothing is compiled")


needs_cases = pytest.mark.skipif(not CASES, reason="needs html5lib's tree-construction cases in HTML5LIB_CASES")
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="needs the labelled pages in ../shared/data")


@pytest.fixture(
    scope="module",
    params=[
        "examples",
        pytest.param("html5lib", marks=needs_cases),
        pytest.param("labelled", marks=[pytest.mark.data, needs_data]),
    ],
)
def descriptions(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[tuple[Description, Description]]:
    """The description of each page in this process, and in one that runs plain Python."""
    path = tmp_path_factory.mktemp("parity") / "pure.pickle"
    command = [sys.executable, "-m", "tests.kernel.describe", request.param, str(path)]
    root = Path(__file__).parents[2]
    process = subprocess.Popen(command, cwd=root, env={**os.environ, "BROADSHEET_PURE": "1"})
    compiled = describe_pages(request.param)
    assert compiled
    assert process.wait() == 0
    pure = [Description(**values) for values in pickle.loads(path.read_bytes())]
    return list(zip(compiled, pure, strict=True))


@pytest.mark.parametrize("part", ["nodes", "runs", "blocks", "containers", "words", "article"])
def test_equal_columns_and_articles(part: str, descriptions: list[tuple[Description, Description]]) -> None:
    names = [ours.name for ours, pure in descriptions if getattr(ours, part) != getattr(pure, part)]
    assert names == []


@pytest.mark.parametrize(("part", "tolerance"), [("features", 1e-5), ("scores", 1e-4)])
def test_close_numbers(part: str, tolerance: float, descriptions: list[tuple[Description, Description]]) -> None:
    for ours, pure in descriptions:
        distance = np.abs(getattr(ours, part) - getattr(pure, part)).max(initial=0)
        assert distance <= tolerance, ours.name
