"""Memory and processor time of this process: limits and size. Elsewhere than on Linux nothing is limited."""

from __future__ import annotations

import sys
import time
from pathlib import Path

_STATM = Path("/proc/self/statm")


def limit_memory(extra_bytes: int) -> None:
    """Let the process allocate at most so many bytes beyond its present size."""
    if sys.platform != "win32" and _STATM.exists():
        import resource

        limit = _read_pages(0) * resource.getpagesize() + extra_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def limit_cpu(seconds: int) -> None:
    """End the process when it has used so many more seconds of processor time."""
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + seconds, hard))


def measure_memory() -> int:
    """Return the resident bytes of the process."""
    if sys.platform == "win32" or not _STATM.exists():
        return 0
    import resource

    return _read_pages(1) * resource.getpagesize()


def _read_pages(column: int) -> int:
    return int(_STATM.read_text().split()[column])
