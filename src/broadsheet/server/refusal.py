"""Refusal: an answer other than success, with one clear line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.responses import JSONResponse


class Refusal(Exception):
    """A request that is answered with an error. The outermost layer of the application turns it into a response."""

    def __init__(
        self, code: int, line: str, *, headers: Mapping[str, str] | None = None, status: str | None = None
    ) -> None:
        super().__init__(line)
        self.code = code
        self.line = " ".join(line.split())
        self.headers = headers
        self.status = status  # of the article, if the page could not be extracted

    def make_response(self) -> JSONResponse:
        """Return the response: {"error": "one line"}, and the status of the article if there is one."""
        from starlette.responses import JSONResponse  # worker processes import this module, and make no response

        content = {"error": self.line}
        if self.status:
            content["status"] = self.status
        return JSONResponse(content, self.code, self.headers)
