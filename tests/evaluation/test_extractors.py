from __future__ import annotations

from pathlib import Path

import pytest

from broadsheet.errors import BroadsheetError, UnknownMethod
from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.extractors import open_extractor


def make_peer(folder: Path, answer: str) -> Contender:
    """A peer whose interpreter is a shell script that gives one answer to everything."""
    python = folder / "python"
    python.write_text(f"#!/bin/sh\nwhile read line; do echo '{answer}'; done\n")
    python.chmod(0o755)
    return Contender("turbohtml", "1", frozenset(("text",)), is_peer=True, python=python)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ('{"text": "", "error": "ModuleNotFoundError: no lxml"}', "no lxml"),
        ('{"text": "", "error": "ImportError: no lxml.html.clean"}', "no lxml"),
        ('{"te', "died or took too long"),
        ("", "died or took too long"),
    ],
)
def test_a_peer_that_can_read_no_page_does_not_open(answer: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(BroadsheetError, match=message):
        open_extractor(make_peer(tmp_path, answer))


def test_a_method_that_does_not_load_does_not_open() -> None:
    with pytest.raises(UnknownMethod):
        open_extractor(Contender("no such method", "1", frozenset(("text",))))
