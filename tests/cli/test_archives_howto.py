"""The commands of docs/howto/archives.md, as they are written there."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.batch.test_selection import write_archives, write_index

pytest.importorskip("duckdb")
pytest.importorskip("rensa")
PAGE = Path(__file__).parents[2] / "docs" / "howto" / "archives.md"


def test_five_commands(tmp_path: Path) -> None:
    write_index(tmp_path / "index.parquet", write_archives(tmp_path / "archives"))
    block = re.search(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert block
    commands = block[1].strip().splitlines()
    assert len(commands) == 5
    programs = {"broadsheet": [sys.executable, "-m", "broadsheet"], "python": [sys.executable]}
    printed = []
    for command in commands:
        name, *words = shlex.split(command)
        result = subprocess.run(
            [*programs[name], *words], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )  # fmt: skip
        assert result.returncode == 0, result.stderr[-2000:]
        printed.append(result.stdout)
    assert "pages " in printed[0]
    assert "texts; " in printed[2]
    assert "unknown" in printed[4]
    assert 0 < pq.read_table(tmp_path / "news").num_rows <= 38
