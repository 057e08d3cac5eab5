"""Blocks to labels. No method imports another."""

from broadsheet.methods.apply import is_static, label_blocks
from broadsheet.methods.method import Method
from broadsheet.methods.registry import DEFAULT_METHOD, describe_method, load_method, methods

__all__ = ["DEFAULT_METHOD", "Method", "describe_method", "is_static", "label_blocks", "load_method", "methods"]
