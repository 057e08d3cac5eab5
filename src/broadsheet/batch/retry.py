"""Faults of stores. Those that pass are waited for, with waits that grow to a minute; the others are raised at once."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Generator, Iterator
from datetime import timedelta
from typing import TypeVar

PATIENCE_SECONDS = 600.0  # without an answer other than a fault
FIRST_WAIT_SECONDS = 0.5
_MAX_WAIT_SECONDS = 60.0
# The client of a store gives up soon, because it waits without a sign of life. Longer waits are those of this module.
CLIENT_RETRIES = {"max_retries": 2, "retry_timeout": timedelta(seconds=20)}
_NOTED_WAIT_SECONDS = 4.0  # shorter waits are not logged
_STEP_SECONDS = 1.0  # between two signs of life

_STATUS = re.compile(r"\bstatus(?: code)?:? ([45]\d\d)\b")
_PASSING_STATUSES = frozenset((408, 425, 429))  # of the client errors
# By name: the packages of stores are optional.
_PERMANENT = frozenset(
    "AlreadyExistsError InvalidPathError NotFoundError NotModifiedError NotSupportedError PermissionDeniedError "
    "PreconditionError UnauthenticatedError UnknownConfigurationKeyError".split()
)
_PERMANENT_TYPES = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError, ArithmeticError)
_PROGRAM_TYPES = (AttributeError, ImportError, LookupError, NotImplementedError, TypeError, ValueError)
_log = logging.getLogger("broadsheet.batch")

T = TypeVar("T")


def is_passing(error: Exception) -> bool:
    """Return whether an error of a store may be gone after a while."""
    if isinstance(error, _PERMANENT_TYPES) or type(error).__name__ in _PERMANENT:
        return False
    match = _STATUS.search(str(error))
    status = getattr(error, "status", None) or (int(match[1]) if match else None)
    if isinstance(status, int) and 400 <= status < 600:
        return status >= 500 or status in _PASSING_STATUSES
    return not isinstance(error, _PROGRAM_TYPES)


class Waits:
    """The waits of one request: each one twice as long as the one before."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._wait = FIRST_WAIT_SECONDS
        self._waited = 0.0

    def wait(self, error: Exception) -> Iterator[None]:
        """Wait, and yield as a sign of life. Raises the error if it does not pass, or was waited for long enough."""
        if not is_passing(error) or self._waited >= PATIENCE_SECONDS:
            raise error
        if self._wait >= _NOTED_WAIT_SECONDS:
            _log.warning("%s: %s; trying again in %.0f seconds", self._name, describe_fault(error), self._wait)
        deadline = time.monotonic() + self._wait
        while (left := deadline - time.monotonic()) > 0:
            time.sleep(min(left, _STEP_SECONDS))
            yield None
        self._waited += self._wait
        self._wait = min(2 * self._wait, _MAX_WAIT_SECONDS)


def retry_steps(call: Callable[[], T], name: str) -> Generator[None, None, T]:
    """Call until there is an answer. Yield as a sign of life while waiting."""
    waits = Waits(name)
    while True:
        try:
            return call()
        except Exception as error:
            fault = error
        yield from waits.wait(fault)


def finish(steps: Generator[None, None, T]) -> T:
    """Run steps to their end, and return their result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


def describe_fault(error: Exception) -> str:
    """Return the first line of an error."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
