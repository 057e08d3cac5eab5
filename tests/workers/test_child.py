"""The program of a worker process."""

from __future__ import annotations

import pytest

from broadsheet.errors import UsageError
from broadsheet.workers.child import describe_error


class Silent(Exception):
    """Cannot make its message."""

    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("broken"), "ValueError: broken"),
        (ValueError(), "ValueError"),
        (Silent(), "Silent"),
        (UsageError("name a file"), "name a file"),
        (UsageError(), "UsageError"),
    ],
)
def test_errors_are_described(error: Exception, text: str) -> None:
    assert describe_error(error) == text
