"""A method that does what the page says. Loaded by worker processes, which get the search path of the test."""

from __future__ import annotations

import os
import time

from broadsheet.blocks import Blocks, Labels, Role
from broadsheet.page import Page


class Scripted:
    """Sleeps after a block "sleep SECONDS", and ends the process after "die"."""

    name = "scripted"

    def label(self, page: Page, blocks: Blocks) -> Labels:
        for text in blocks.text:
            if text.startswith("sleep "):
                time.sleep(float(text.split()[1]))
            if text == "die":
                os._exit(1)
        return Labels([Role.BODY] * len(blocks), [0.9] * len(blocks))
