"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import re

import pytest

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
    with pytest.raises(re.error):
        pattern.search("")
