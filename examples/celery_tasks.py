"""Extract pages in Celery workers.

celery -A celery_tasks worker
"""

from __future__ import annotations

import os
from typing import Any

from celery import Celery

import broadsheet

app = Celery("news", broker=os.environ.get("BROKER", "redis://localhost"))
LIMITS = broadsheet.Limits(max_seconds=10)  # bad pages end here, not at Celery's limit


@app.task(acks_late=True, time_limit=60)
def extract_page(html: str, url: str | None = None) -> dict[str, Any]:
    """Return the record of a page, ready for JSON. Bad HTML raises no exception."""
    return broadsheet.extract(html, url=url, limits=LIMITS).to_dict(include=["body"])
