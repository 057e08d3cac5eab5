"""Errors of an output, which name it as the user does."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator

from broadsheet.errors import BroadsheetError


class OutputError(BroadsheetError):
    """An output could not be written."""


@contextlib.contextmanager
def name_output_in_errors(output: object) -> Iterator[None]:
    """Turn an OSError into an OutputError that names the output as the user wrote it."""
    try:
        yield
    except BrokenPipeError:  # the reader has closed the pipe: not an error
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"cannot write {output}: {reason}; {_advise(error)}") from error


def _advise(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "change the permissions of the file or its folder, or write to another"
    return "make room, or write elsewhere" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "write elsewhere"
