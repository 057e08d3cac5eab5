"""The command line: `broadsheet extract | methods | ...`. One file per command; `app.py` has the table."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

_TERMINATED = 128 + signal.SIGTERM  # the exit code of shells


def main() -> None:
    """Run the command line (the console script `broadsheet`)."""
    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, _exit)
    if sys.argv[1:] == ["--version"]:  # without the imports of the command line, which take most of the time
        print(describe_version())
        return
    if sys.argv[1:2] == ["extract"]:  # its matrices are small: the threads of NumPy would only take time to start
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from broadsheet.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # during the imports, or a second interrupt
        code = 130
    except (ImportError, ValueError) as error:
        from broadsheet.compiled import explain_import_error

        if (explained := explain_import_error(error)) is error:
            raise
        sys.exit(f"error: {explained}")
    sys.exit(code)


def describe_version() -> str:
    """Return the version, and whether the hot loops are compiled. Imports little, so that `--version` is fast."""
    from broadsheet.kernel import is_compiled
    from broadsheet.version import __version__

    return f"broadsheet {__version__} ({'compiled' if is_compiled() else 'pure Python'})"


def _exit(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 - the signature of signal handlers
    """Exit as after an interrupt: partly written outputs are removed, and workers are stopped."""
    sys.exit(_TERMINATED)
