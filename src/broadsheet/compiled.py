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


def explain_import_error(error: Exception) -> Exception:
    """Return the error that tells what to do, if a compiled module does not fit the sources or the other modules."""
    name, path = getattr(error, "name", None), Path(getattr(error, "path", None) or "")
    if isinstance(error, ValueError) and "binary incompatibility" in str(error):  # raised by Cython, without a name
        name = str(error).partition(" ")[0].rpartition(".")[0]
    elif path.suffix not in (".so", ".pyd") or not path.is_relative_to(Path(__file__).parent):
        return error
    return ImportError(
        f"{name} was compiled from an older version of Broadsheet; "
        "run `make` or `python hatch_build.py` in the clone, or install the package again",
        name=name,
        path=str(path),
    )


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
