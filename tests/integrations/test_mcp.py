"""A real client talks to `broadsheet mcp` over stdin and stdout."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.local_site import LocalSite, serve_site

pytest.importorskip("mcp")
pytestmark = [pytest.mark.integrations, pytest.mark.filterwarnings("ignore")]

SAMPLE = (Path(__file__).parents[2] / "examples" / "pages" / "harbour.html").read_text("utf-8")


def talk(calls: list[tuple[str, dict[str, Any]]], *options: str) -> tuple[list[Any], list[Any]]:
    """Start the server, list its tools, and call some. Return the tools and the results."""
    from mcp import ClientSession, StdioServerParameters, stdio_client

    parameters = StdioServerParameters(command=sys.executable, args=["-m", "broadsheet", "mcp", *options])

    async def run() -> tuple[list[Any], list[Any]]:
        async with stdio_client(parameters) as (reading, writing), ClientSession(reading, writing) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            return list(tools), [await session.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(asyncio.wait_for(run(), 600))


def test_tools() -> None:
    tools, (extracted, compared, private, nothing, unknown) = talk(
        [
            ("extract", {"html": SAMPLE, "format": "chunks", "max_tokens": 100}),
            ("compare", {"html": SAMPLE, "methods": ["fusion", "twcem"]}),
            ("extract", {"url": "http://127.0.0.1/"}),
            ("extract", {}),
            ("extract", {"html": SAMPLE, "method": "twecm"}),
        ]
    )
    assert [tool.name for tool in tools] == ["extract", "discover", "compare"]
    assert all(tool.description and tool.annotations.read_only_hint for tool in tools)
    assert extracted.structured_content["title"] == "Harbour ferry returns after eleven years"
    assert len(extracted.structured_content["chunks"]) == 6
    assert [row["method"] for row in compared.structured_content["methods"]] == ["fusion", "twcem"]
    for result, reason in ((private, "127.0.0.1"), (nothing, "pass html or url"), (unknown, "unknown method 'twecm'")):
        assert result.is_error
        assert reason in result.content[0].text


def test_fetching() -> None:
    site = LocalSite(20)
    with serve_site(site) as base:
        _, (found, extracted) = talk(
            [("discover", {"url": base, "limit": 3}), ("extract", {"url": base + site.list_articles()[0].path})],
            "--allow-private",
        )
    assert len(found.structured_content["articles"]) == 3
    assert extracted.structured_content["status"] == "ok"
    assert extracted.structured_content["title"] == site.list_articles()[0].title
