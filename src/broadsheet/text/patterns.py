"""Regular expressions that are compiled when they are first used.

Compiling a pattern takes 0.1 to 3 ms. A page needs a third of the patterns of fields and outputs, and `import` none.
"""

from __future__ import annotations

import re
from typing import Any, cast


def compile_later(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return an object with the methods of a compiled pattern, which is compiled when the first of them is called."""
    return cast("re.Pattern[str]", _LatePattern(pattern, flags))


class _LatePattern:
    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._source = pattern, flags
        self._compiled: re.Pattern[str] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        """Copy and pickle the source only."""
        return compile_later, self._source

    def __getattr__(self, name: str) -> Any:
        """Return a method of the pattern, and keep it, so that this function is not called for it again."""
        if self._compiled is None:
            self._compiled = re.compile(*self._source)
        method = getattr(self._compiled, name)
        setattr(self, name, method)
        return method
