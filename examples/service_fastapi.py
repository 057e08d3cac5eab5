"""The same service with FastAPI. Needs fastapi and uvicorn.

uvicorn --app-dir examples service_fastapi:app --port 8000
"""

from typing import Annotated, Any

from fastapi import Body, FastAPI

import broadsheet

app = FastAPI()
LIMITS = broadsheet.Limits(max_bytes=4_000_000, max_seconds=5)


@app.post("/extract")
def extract(
    html: Annotated[bytes, Body(media_type="text/html")], url: str | None = None
) -> dict[str, Any]:
    """Extract the page in the body. FastAPI runs a plain function in a thread."""
    return broadsheet.extract(html, url, limits=LIMITS).to_dict()
