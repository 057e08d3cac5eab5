"""Error messages: one line on stderr, "broadsheet: what failed; what to do"."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from broadsheet.errors import describe_unknown

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
