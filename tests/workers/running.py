"""Whether a process that is not a child of the tests still runs."""

from __future__ import annotations

import os
import time
from pathlib import Path


def is_running(pid: int) -> bool:
    """Zombies do not run: in a container nobody may collect them."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        os.kill(pid, 0)
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for_end(pid: int, seconds: float = 300.0) -> None:
    """Wait until a process has ended."""
    until = time.monotonic() + seconds
    while is_running(pid):
        assert time.monotonic() < until, f"process {pid} still runs"
        time.sleep(0.05)
