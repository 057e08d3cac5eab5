"""The method with other weights."""

from __future__ import annotations

import pytest

from broadsheet.errors import UsageError
from broadsheet.methods.semtext import Semtext, SemtextConfig
from broadsheet.models import load_weights


def test_the_published_configuration_needs_its_own_weights() -> None:
    with pytest.raises(UsageError, match=r"hidden=256 \(weights: 64\)"):
        Semtext(SemtextConfig())


def test_weights_for_cleaneval_load() -> None:
    folder = load_weights("semtext").folder.parents[1] / "semtext-cleaneval" / "1"
    assert Semtext(weights=str(folder)).config.page_share == 0
