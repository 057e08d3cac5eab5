"""A method that does what the page says. Loaded by worker processes, which get the search path of the test."""

from __future__ import annotations

import os
import time
from pathlib import Path

from broadsheet.blocks import Blocks, Labels, Role
from broadsheet.page import Page


class Scripted:
    """Sleeps after a block "sleep SECONDS", waits after "hold FOLDER", and ends the process after "die"."""

    name = "scripted"

    def label(self, page: Page, blocks: Blocks) -> Labels:
        for text in blocks.text:
            if text.startswith("sleep "):
                time.sleep(float(text.split()[1]))
            if text.startswith("hold "):
                wait_for_release(Path(text.removeprefix("hold ")))
            if text == "die":
                os._exit(1)
        return Labels([Role.BODY] * len(blocks), [0.9] * len(blocks))


def wait_for_release(folder: Path) -> None:
    """Say that the page is in progress, and wait until the test lets it go on."""
    (folder / "held").touch()
    while not (folder / "released").exists():
        time.sleep(0.01)
