"""A method as a program that answers JSON lines, as the peers' adapters do: for measuring its memory."""

from __future__ import annotations

import sys
from typing import Any

from broadsheet.api import extract
from broadsheet.evaluation.peers import adapters


def serve_method(name: str) -> None:
    """Answer requests on standard input until it ends."""

    def run(html: str, url: str | None, lang: str | None) -> dict[str, Any]:  # noqa: ARG001
        return {"text": extract(html, url=url, method=name).text}

    adapters.serve(run)


if __name__ == "__main__":
    serve_method(sys.argv[1])
