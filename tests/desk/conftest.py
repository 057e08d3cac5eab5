"""A running desk that several tests share. It needs the extra `server`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.server.running import Running


@pytest.fixture(scope="session")
def desk() -> Iterator[Running]:
    """The desk with the default settings, one worker, and without access to the network."""
    from tests.server.running import run_service  # needs the extra

    from broadsheet.desk.app import add_desk

    with run_service(add_routes=add_desk, max_body_bytes=2_000_000) as running:
        yield running
