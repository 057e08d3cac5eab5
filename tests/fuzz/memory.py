"""The memory of this process: limit and size. Linux only; elsewhere nothing is limited and the size is 0."""

from __future__ import annotations

import sys
from pathlib import Path

_STATM = Path("/proc/self/statm")


def limit_memory(extra_bytes: int) -> None:
    """Let the process allocate at most so many bytes beyond its present size."""
    if sys.platform != "win32" and _STATM.exists():
        import resource

        limit = _read_pages(0) * resource.getpagesize() + extra_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def measure_memory() -> int:
    """Return the resident bytes of the process."""
    if sys.platform == "win32" or not _STATM.exists():
        return 0
    import resource

    return _read_pages(1) * resource.getpagesize()


def _read_pages(column: int) -> int:
    return int(_STATM.read_text().split()[column])
