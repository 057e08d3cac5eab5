"""Where evaluation keeps what it need not compute or install again."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def find_cache_folder() -> Path:
    """The user's cache folder for Broadsheet; the variable BROADSHEET_CACHE names another."""
    if named := os.environ.get("BROADSHEET_CACHE"):
        return Path(named)
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "broadsheet"
