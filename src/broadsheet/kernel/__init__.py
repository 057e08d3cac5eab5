"""The hot loops of the program: plain Python files that are also compiled to C.

Each module is one `.py` file, which runs as it is, and one `.pxd` file, which gives Cython the C types of its functions
and local variables. Where the install found a C compiler, the compiled module is beside the source, and Python prefers
it. Otherwise Python runs the source: same file, same result, slower. Exceptions are `measures` and
`texts.measure_texts`, for which plain Python uses the modules `array_measures` and `array_texts`; and `network`, which
exists only compiled.

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

_FOLDER = Path(__file__).parent
# Those with a .pxd file.
MODULES = (
    "containers",
    "measures",
    "names",
    "scores",
    "segments",
    "selection",
    "spaces",
    "texts",
    "title_features",
    "trees",
)


@cache
def is_compiled() -> bool:
    """Return whether the loops run as compiled code. Imports nothing."""
    specs = [find_spec(f"{__name__}.{name}") for name in MODULES]
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
