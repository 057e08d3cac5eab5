"""Blocks to labels: the methods. No method imports another."""

from broadsheet.methods.method import Method
from broadsheet.methods.registry import (
    DEFAULT_METHOD,
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
