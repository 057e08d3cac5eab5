"""Error messages: one line on stderr, "broadsheet: what failed; what to do"."""

from __future__ import annotations

import contextlib
import errno
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from broadsheet.errors import BroadsheetError, describe_unknown

# File names and addresses may contain control characters, which must not reach the terminal.
_CONTROL_CHARS = dict.fromkeys((*range(32), *range(127, 160)), " ")
_OTHER_SURROGATES = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # those that do not encode a byte


def complain(message: str, code: int = 1) -> int:
    """Print an error message and return its exit code."""
    print(f"broadsheet: {flatten(message)}", file=sys.stderr)
    return code


def flatten(text: str) -> str:
    """Return a text on one line, without control characters and without the passwords of addresses."""
    if "@" in text:
        from broadsheet.web import hide_passwords  # imported here: most messages name no address

        text = hide_passwords(text)
    return " ".join(show_name(text).translate(_CONTROL_CHARS).split())


def show_name(name: str) -> str:
    r"""Return a file name that can be encoded: Python keeps undecodable bytes as lone surrogates.

    Such a byte is written as `\xff`, so that the names of two files, and the ids of their records, stay different.
    """
    if name.isascii():
        return name
    data = _OTHER_SURROGATES.sub("\N{REPLACEMENT CHARACTER}", name).encode("utf-8", "surrogateescape")
    return data.decode("utf-8", "backslashreplace")  # most such bytes are UTF-8


def suggest(kind: str, name: str, known: Iterable[str], aliases: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the message for an unknown name: the known ones, and the closest to it or to its alias."""
    return describe_unknown(kind, name, known, aliases.get(name.lower(), ""))


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
