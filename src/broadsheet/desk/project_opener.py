"""ProjectOpener: opens a project for a desk that was started without one."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from broadsheet.desk.project_desk import ProjectDesk
from broadsheet.errors import UsageError
from broadsheet.options import ExtractOptions

_TRIAL_NAME = "trial-project"


class ProjectOpener:
    """Opens one project, at the request of the person who started the desk. On exit it is closed."""

    def __init__(self, options: ExtractOptions) -> None:
        self._options = options
        self._stack = ExitStack()
        self._lock = threading.Lock()
        self._has_opened = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def open(self, folder: str | None) -> ProjectDesk:
        """Open or create a project; without a folder a trial project, which is deleted on exit. Raises UsageError."""
        with self._lock:
            if self._has_opened:
                raise UsageError("a project is open; start another desk for another project")
            path = self._make_trial_folder() if folder is None else _check_folder(folder)
            desk = self._stack.enter_context(ProjectDesk(path, self._options))
            self._has_opened = True
            return desk

    def _make_trial_folder(self) -> Path:
        return Path(self._stack.enter_context(TemporaryDirectory(prefix="broadsheet-"))) / _TRIAL_NAME


def _check_folder(folder: str) -> Path:
    """Return the folder of a project. Raises UsageError for what cannot be one."""
    try:
        path = Path(folder.strip()).expanduser()
        if not folder.strip() or path.is_file():
            raise UsageError("name a folder for the project, such as my-project")
    except (OSError, RuntimeError) as error:  # RuntimeError: an unknown user after ~
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot open {folder.strip()[:200]!r}: {reason}; name another folder") from error
    return path
