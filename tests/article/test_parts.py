"""The parts of a body."""

from __future__ import annotations

import copy
import pickle

import pytest

from broadsheet.article import Paragraph, Run


@pytest.mark.parametrize(
    "run",
    [
        Run("plain"),
        Run("bold", is_bold=True),
        Run("link", href="https://example.org/"),
        Run("empty link", href=""),
        Run("2", script="sup"),
        Run("old", is_deleted=True, is_italic=True, is_code=True),
    ],
)
def test_pickled_and_copied_parts_are_equal(run: Run) -> None:
    part = Paragraph((Run("before "), run))
    assert pickle.loads(pickle.dumps(part)) == part
    assert copy.deepcopy(part) == part
    assert copy.copy(run) == run
