"""The folder in which evaluation caches answers and keeps the environments of peers."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def find_cache_folder() -> Path:
    """Return the user's cache folder for Broadsheet, or the folder that the variable BROADSHEET_CACHE names."""
    if folder := os.environ.get("BROADSHEET_CACHE"):
        return Path(folder)
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "broadsheet"
