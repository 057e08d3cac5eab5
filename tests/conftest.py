"""Settings for the whole suite."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every run, and no clock: machines that share their cores are slow at times.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("quick", settings.get_profile("steady"), max_examples=15)  # make test-fast
settings.load_profile("steady")

# Files and folders that `make test-fast` leaves out: they start processes, run documents, fuzz, or compare many pages.
THOROUGH = (
    "cli/test_eval_command.py",
    "cli/test_extract_command.py",
    "evaluation",
    "fuzz",
    "site/test_real_sites.py",
    "style/css/test_hostile.py",
    "test_contract.py",
    "test_docs.py",
    "test_examples.py",
    "test_many.py",
    "test_public.py",
    "test_real_pages.py",
    "training",
    "web/test_deadline.py",
    "web/test_fetch.py",
    "web/test_http2.py",
    "web/test_retry.py",
    "workers",
)
_ROOT = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of THOROUGH."""
    places = [_ROOT / name for name in THOROUGH]
    for item in items:
        if any(item.path.is_relative_to(place) for place in places):
            item.add_marker("thorough")
