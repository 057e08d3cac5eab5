"""Each installed peer on one page; the others are skipped."""

from __future__ import annotations

import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

from broadsheet.evaluation import peer_adapters
from broadsheet.evaluation.contenders import Contender, PeerProcess
from broadsheet.evaluation.peers import PEERS

SENTENCE = "The harbour of Westport opened again on Monday"


@pytest.mark.parametrize("name", sorted(PEERS))
def test_adapter(name: str, harbour_page: str) -> None:
    peer = PEERS[name]
    if find_spec(peer.module) is None:
        pytest.skip(f"{peer.package} is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the peer
        values = peer_adapters.call(
            peer_adapters.ADAPTERS[name], harbour_page, "https://example.org/2020/01/02/harbour", "en"
        )
    assert "error" not in values
    assert values["seconds"] > 0
    assert set(values) - {"seconds"} <= peer.fields | {"date"}
    # Some peers do not extract short pages. Their output must at least be text of the page.
    assert not values.get("text") or SENTENCE in values["text"] or "Imprint" in values["text"]


def test_a_failure_is_an_empty_answer() -> None:
    def raise_error(html: str, url: str | None, lang: str | None) -> peer_adapters.Values:
        raise ValueError("too much")

    values = peer_adapters.call(raise_error, "", None, None)
    assert (values["text"], values["error"]) == ("", "ValueError: too much")


def test_a_peer_process_answers_several_pages(harbour_page: str) -> None:
    contender = Contender("turbohtml", "1", frozenset(("text",)), is_peer=True, python=Path(sys.executable))
    peer = PeerProcess(contender)
    try:
        answers = [peer.extract(harbour_page, None, "en") for _ in range(2)]
        assert all(SENTENCE in (answer.text or "") for answer in answers)
        assert SENTENCE not in (peer.extract("<p>\ud800 Nothing</p>", None, None).text or "")
    finally:
        peer.close()


def test_adapters_import_nothing_of_broadsheet() -> None:
    program = f"import runpy, sys; runpy.run_path({peer_adapters.__file__!r}); sys.exit('broadsheet' in sys.modules)"
    assert subprocess.run([sys.executable, "-S", "-c", program], check=False).returncode == 0
