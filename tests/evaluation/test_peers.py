"""Each peer that is installed here, on one page; the others are skipped."""

from __future__ import annotations

import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.extractors import PeerProcess
from broadsheet.evaluation.peers import PEERS, adapters

SENTENCE = "The harbour of Westport opened again on Monday"


@pytest.mark.parametrize("name", sorted(PEERS))
def test_adapter(name: str, harbour_page: str) -> None:
    peer = PEERS[name]
    if find_spec(peer.module) is None:
        pytest.skip(f"{peer.package} is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of others
        values = adapters.call(adapters.ADAPTERS[name], harbour_page, "https://example.org/2020/01/02/harbour", "en")
    assert "error" not in values
    assert values["seconds"] > 0
    assert set(values) - {"seconds"} <= peer.fields | {"date"}
    # Short pages are too little for some; what they say must at least be text of the page.
    assert not values.get("text") or SENTENCE in values["text"] or "Imprint" in values["text"]


def test_what_breaks_is_an_empty_answer() -> None:
    def broken(html: str, url: str | None, lang: str | None) -> adapters.Values:
        raise ValueError("too much")

    values = adapters.call(broken, "", None, None)
    assert (values["text"], values["error"]) == ("", "ValueError: too much")


def test_a_server_answers_line_by_line_and_survives_prints(harbour_page: str) -> None:
    contender = Contender("turbohtml", "1", frozenset(("text",)), is_peer=True, python=Path(sys.executable))
    server = PeerProcess(contender)
    try:
        answers = [server.extract(harbour_page, None, "en") for _ in range(2)]
        assert all(SENTENCE in (answer.text or "") for answer in answers)
        assert SENTENCE not in (server.extract("<p>\ud800 Nothing</p>", None, None).text or "")
    finally:
        server.close()


def test_adapters_need_nothing_of_broadsheet() -> None:
    program = f"import runpy, sys; runpy.run_path({adapters.__file__!r}); sys.exit('broadsheet' in sys.modules)"
    assert subprocess.run([sys.executable, "-S", "-c", program], check=False).returncode == 0
