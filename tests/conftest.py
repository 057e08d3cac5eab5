"""Settings for the whole suite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# The same examples on every run, and no clock: machines that share their cores are slow at times.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", settings.get_profile("steady"), max_examples=15)  # make test-fast
settings.load_profile("steady")

# Files and folders that `make test-fast` leaves out: they start processes, run documents, fuzz, or compare many pages.
THOROUGH = (
    "batch/test_run.py",
    "cli/test_batch_command.py",
    "cli/test_discover_command.py",
    "cli/test_eval_command.py",
    "cli/test_extract_command.py",
    "cli/test_extract_process.py",
    "discovery/test_discover.py",
    "evaluation",
    "fields/test_train_title.py",
    "fuzz",
    "kernel/test_parity.py",
    *(f"methods/{name}/test_train.py" for name in ("fusion", "gcn", "semtext", "visual")),
    "methods/fusion/test_train_compose.py",
    "site/test_real_sites.py",
    "style/css/test_hostile.py",
    "test_contract.py",
    "test_docs.py",
    "test_examples.py",
    "test_many.py",
    "test_many_items.py",
    "test_public.py",
    "test_real_pages.py",
    "training",
    "watch/test_watch.py",
    "web/test_deadline.py",
    "web/test_fetch.py",
    "web/test_http2.py",
    "web/test_polite.py",
    "web/test_retry.py",
    "workers",
)
# Files that load the schema of TEI, which takes ten seconds: one process runs them all.
TEI_SCHEMA = ("tests/fuzz/test_found.py", "tests/fuzz/test_fuzz.py", "tests/output/test_provenance.py")
_ROOT = Path(__file__).parent


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a case of bytes by its parameter: compressed bytes have the time in them, and names must not vary."""
    return argname if isinstance(val, bytes) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of THOROUGH, and run them first: a long file that starts last would keep one process busy."""
    places = {_ROOT / name for name in THOROUGH}
    paths = {item.path for item in items}
    thorough = {path for path in paths if not places.isdisjoint((path, *path.parents))}
    for item in items:
        if item.path in thorough:
            item.add_marker("thorough")
    items.sort(key=lambda item: item.path not in thorough)


@pytest.hookimpl(optionalhook=True)  # pytest-xdist is not in all environments
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a file in one process, as `--dist loadfile` does, and those of TEI_SCHEMA too."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

    class GroupScheduling(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return TEI_SCHEMA[0] if file in TEI_SCHEMA else file

    return GroupScheduling(config, log)
