"""Serve the local site until interrupted: python -m tests.local_site [PORT]. Enter starts the next day."""

from __future__ import annotations

import contextlib
import sys

from tests.local_site import LocalSite, serve_site

site = LocalSite(layout_day=4)
with serve_site(site, int(sys.argv[1]) if len(sys.argv) > 1 else 8100) as base, contextlib.suppress(KeyboardInterrupt):
    print(f"{base}, day 0", flush=True)
    for _ in sys.stdin:
        site.day += 1
        print(f"{base}, day {site.day}: {site.events_of(site.day)}", flush=True)
