"""Servers that several tests share. All need the extra `server`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.server.running import Running


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    """A service with the default settings, but one worker and small bodies."""
    from tests.server.running import run_service  # needs the extra

    with run_service(max_body_bytes=1_000_000) as running:
        yield running


@pytest.fixture(scope="session")
def impatient() -> Iterator[Running]:
    """A service that waits a second for a body."""
    from tests.server.running import run_service

    with run_service(body_seconds=1.0) as running:
        yield running


@pytest.fixture(scope="session")
def scripted() -> Iterator[Running]:
    """A service that does what pages say: one worker, one place to wait. No page is late, except on purpose."""
    from tests.server.running import run_service, script_options

    with run_service(max_waiting=1, answer_seconds=600.0, options=script_options(max_seconds=600.0)) as running:
        yield running
