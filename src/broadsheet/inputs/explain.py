"""Errors of files, in words."""

from __future__ import annotations

import os
import zlib


def explain_error(error: Exception, name: str) -> str:
    """Return the reason why a file could not be read, with advice where there is some."""
    import tarfile  # imported here: most pages are not in archives
    import zipfile

    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return f"no such file; {suggest_address(name) or 'check the name'}"
    if isinstance(error, zipfile.BadZipFile | NotImplementedError):
        return f"the file is not valid ZIP ({_first_line(error)})"
    if isinstance(error, tarfile.TarError):
        return f"the file is not valid tar ({_first_line(error)})"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[:1].lower() + error.strerror[1:]
    if isinstance(error, EOFError | zlib.error) or type(error).__name__ == "BadGzipFile":
        return "the file is truncated" if isinstance(error, EOFError) else "the file is not valid gzip"
    return _first_line(error) or type(error).__name__


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(" :")


def suggest_address(name: str) -> str:
    """Return advice for a name that looks like an address but cannot be fetched as written."""
    scheme, mark, rest = name.partition("://")
    if mark and scheme.lower() == "file":
        return f"for a file write its path: {rest}"
    if mark:
        return f"only http and https addresses can be fetched: write https://{rest}"
    host, _, path = name.partition("/")
    is_host = host.lower().startswith("www.") or (path and "." in host.lstrip(".") and not os.path.exists(host))  # noqa: PTH110
    return f"for a page on the web write https://{name}" if is_host else ""
