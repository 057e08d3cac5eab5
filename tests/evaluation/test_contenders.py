from __future__ import annotations

from pathlib import Path

import pytest

from broadsheet.errors import UnknownMethod, UsageError
from broadsheet.evaluation import contenders
from broadsheet.evaluation.contenders import find_contenders
from broadsheet.evaluation.fingerprint import fingerprint_extraction, fingerprint_scoring
from broadsheet.evaluation.peer_adapters import ADAPTERS
from broadsheet.evaluation.peers import PEERS


def test_methods_and_peers_are_listed_once_and_in_order() -> None:
    lineup = find_contenders(["twcem", "twcem"], ["turbohtml"])
    assert [contender.name for contender in lineup.contenders] == ["twcem", "turbohtml"]
    assert lineup.contenders[0].version == fingerprint_extraction()
    assert lineup.contenders[1].is_peer


@pytest.mark.parametrize(
    ("peer", "command"),
    [("trafilatura", "pip install 'broadsheet[eval]'"), ("goose3", "broadsheet eval --setup-peers")],
)
def test_a_missing_peer_is_skipped_with_a_message(peer: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contenders, "read_version", lambda *_: None)
    lineup = find_contenders(["twcem"], [peer])
    assert len(lineup.contenders) == 1
    assert lineup.missing == (f"{peer} is not installed and was skipped; to install it: {command}",)


def test_an_error_of_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownMethod, match="twcem"):
        find_contenders(["nope"], [])
    with pytest.raises(UsageError, match="trafilatura, trafilatura-fast"):
        find_contenders([], ["nope"])


def test_weights_of_an_unknown_method_are_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model": "semtext", "method": "semtext-next"}')
    with pytest.raises(UnknownMethod, match="unknown method 'semtext-next'; known: fusion"):
        find_contenders([], [], [tmp_path])


def test_answers_of_a_peer_depend_on_its_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    (before,) = find_contenders([], ["turbohtml"]).contenders
    monkeypatch.setattr(contenders, "fingerprint_adapters", lambda: "changed")
    (after,) = find_contenders([], ["turbohtml"]).contenders
    assert before.version == after.version
    assert before.key != after.key


def test_every_peer_has_an_adapter() -> None:
    assert list(PEERS) == list(ADAPTERS)


def test_extraction_and_scoring_have_different_fingerprints() -> None:
    assert fingerprint_extraction() != fingerprint_scoring()
