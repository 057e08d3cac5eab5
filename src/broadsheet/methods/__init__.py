"""Blocks to labels: the methods. No method imports another.

`broadsheet.methods` is this package and, as part of the public interface, a function: `broadsheet.methods()`.
"""

import sys
from types import ModuleType

from broadsheet.methods.registry import (
    DEFAULT_METHOD,
    Method,
    check_method,
    describe_method,
    find_model,
    has_method,
    load_method,
    methods,
    published_methods,
)

__all__ = [
    "DEFAULT_METHOD",
    "Method",
    "check_method",
    "describe_method",
    "find_model",
    "has_method",
    "load_method",
    "methods",
    "published_methods",
]


class _CallablePackage(ModuleType):
    def __call__(self) -> tuple[str, ...]:
        """Return the names of all methods."""
        return methods()


sys.modules[__name__].__class__ = _CallablePackage
