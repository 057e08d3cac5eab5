"""The text of `broadsheet --version`. Imports little, so that it is fast."""

from __future__ import annotations

from broadsheet.kernel import is_compiled
from broadsheet.version import __version__


def describe_version() -> str:
    """Return the version, and whether the hot loops are compiled."""
    return f"broadsheet {__version__} ({'compiled' if is_compiled() else 'pure Python'})"
