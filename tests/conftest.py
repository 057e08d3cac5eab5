"""Settings for the whole suite."""

from __future__ import annotations

from hypothesis import settings

# The same examples on every run, and no clock: machines that share their cores are slow at times.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")
