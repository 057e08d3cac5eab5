"""Which way the loops run: compiled, or as plain Python.

The environment variable `BROADSHEET_PURE=1` makes Python run the sources although compiled modules are there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

# Those with a .pxd file.
MODULES = (
    "html.readers",
    "kernel.containers",
    "kernel.measures",
    "kernel.runs",
    "kernel.scores",
    "kernel.segments",
    "kernel.selection",
    "kernel.spaces",
    "kernel.texts",
    "kernel.title_features",
)


@cache
def is_compiled() -> bool:
    """Return whether the loops run as compiled code. Imports no loops."""
    specs = [find_spec(f"broadsheet.{name}") for name in MODULES]
    return all(spec is not None and not str(spec.origin).endswith(".py") for spec in specs)


class _SourceFinder:
    """Finds the sources of compiled modules before Python finds the compiled modules."""

    @staticmethod
    def find_spec(
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,  # noqa: ARG004 - the signature of finders
    ) -> ModuleSpec | None:
        if not name.startswith("broadsheet.") or not path:
            return None
        source = Path(path[0], f"{name.rpartition('.')[2]}.py")
        return spec_from_file_location(name, source) if source.with_suffix(".pxd").is_file() else None


if os.environ.get("BROADSHEET_PURE", "0") not in ("", "0"):
    sys.meta_path.insert(0, _SourceFinder)
