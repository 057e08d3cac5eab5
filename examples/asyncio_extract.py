"""Extract pages inside an asyncio program: the event loop is not blocked.

python examples/asyncio_extract.py examples/pages/*.html
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import broadsheet

MAX_IN_PROGRESS = 16  # pages


async def extract_files(paths: list[Path]) -> AsyncIterator[broadsheet.Article]:
    """Yield the articles of files as they are done."""
    loop = asyncio.get_running_loop()
    gate = asyncio.Semaphore(MAX_IN_PROGRESS)
    with ProcessPoolExecutor() as processes:

        async def extract(path: Path) -> broadsheet.Article:
            async with gate:
                html = await asyncio.to_thread(path.read_bytes)
                return await loop.run_in_executor(processes, broadsheet.extract, html)

        for done in asyncio.as_completed([extract(path) for path in paths]):
            yield await done


async def main(names: list[str]) -> None:
    """Print a line for each file."""
    async for article in extract_files([Path(name) for name in names]):
        print(article)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
