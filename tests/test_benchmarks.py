"""The benchmarks start as scripts and as modules. What they measure needs the labelled pages, which users do not have."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPT = Path("benchmarks", "fusion.py")


@pytest.mark.skipif(not (ROOT / SCRIPT).is_file(), reason="the benchmarks are not in the source distribution")
@pytest.mark.parametrize("program", [[str(SCRIPT)], ["-m", "benchmarks.fusion"]], ids=["script", "module"])
def test_a_benchmark_starts(program: list[str]) -> None:
    result = subprocess.run([sys.executable, *program, "--help"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "peers" in result.stdout
