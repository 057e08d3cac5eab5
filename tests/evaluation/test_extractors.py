from __future__ import annotations

from pathlib import Path

import pytest
from tests.evaluation.peer_programs import answer_always, make_peer

from broadsheet.errors import BroadsheetError, UnknownMethod
from broadsheet.evaluation.contenders import Contender, open_extractor


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (answer_always({"text": "", "error": "ModuleNotFoundError: no lxml"}), "no lxml"),
        (answer_always({"text": "", "error": "ImportError: no lxml.html.clean"}), "no lxml"),
        ("send('failed', 'ModuleNotFoundError: no lxml')", "no lxml"),
        ("send('ready', None); receive(); responses.write(b'half'); responses.flush()", "ended unexpectedly"),
        ("", "exited before it was ready"),
    ],
)
def test_a_peer_that_cannot_run_does_not_open(program: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(BroadsheetError, match=message):
        open_extractor(make_peer(tmp_path, program))


def test_a_method_that_does_not_load_does_not_open() -> None:
    with pytest.raises(UnknownMethod):
        open_extractor(Contender("no such method", "1", frozenset(("text",))))
