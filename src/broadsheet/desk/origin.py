"""Refuse requests that other web pages send to the desk with the user's browser."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request

from broadsheet.server.refusal import Refusal


def check_origin(request: Request) -> None:
    """Raise Refusal (403) if a browser sends the request for a page of another origin.

    Any web page can make the browser send a POST request to 127.0.0.1. Browsers state the origin of the page in it.
    Programs that are not browsers send neither header.
    """
    origin = request.headers.get("Origin")
    is_other = origin is not None and urlsplit(origin).netloc.lower() != request.headers.get("Host", "").lower()
    if is_other or request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise Refusal(403, "the desk answers only its own page")
