"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from types import ModuleType

import pytest

import broadsheet.fields
import broadsheet.output
import broadsheet.text
from broadsheet.text.patterns import compile_later


def test_methods_of_the_pattern() -> None:
    pattern = compile_later("b+", re.IGNORECASE)
    assert pattern.sub("-", "aBba") == "a-a"
    match = pattern.search("abb")
    assert match is not None
    assert match[0] == "bb"
    assert pattern.search("a") is None


def test_compiled_on_first_use() -> None:
    pattern = compile_later("(")
    assert pattern.pattern == "("
    with pytest.raises(re.error):
        pattern.search("")


@pytest.mark.parametrize("package", [broadsheet.fields, broadsheet.output, broadsheet.text])
def test_patterns_of_the_package_are_valid(package: ModuleType) -> None:
    """A wrong pattern would otherwise raise on the first page that needs it."""
    late_pattern = type(compile_later(""))
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        for value in vars(import_module(info.name)).values():
            for pattern in value.values() if isinstance(value, dict) else [value]:
                if isinstance(pattern, late_pattern):
                    re.compile(pattern.pattern, pattern.flags)
