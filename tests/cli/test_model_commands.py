"""`broadsheet methods`."""

from __future__ import annotations

import sys

import pytest

from broadsheet.cli.app import run
from broadsheet.errors import MissingExtra
from broadsheet.methods import DEFAULT_METHOD, describe_method, methods, published_methods


def test_every_method_has_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["methods"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [*methods(), *published_methods()]
    (default_line,) = [line for line in lines if "(default)" in line]
    assert default_line.split() == f"{DEFAULT_METHOD} (default) {describe_method(DEFAULT_METHOD)}".split()


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MissingExtra("torch", "train"), "(torch is not installed; run: pip install 'broadsheet[train]')"),
        (ZeroDivisionError("oh"), "(does not load: ZeroDivisionError: oh)"),
    ],
)
def test_method_that_does_not_load_hides_no_other(
    error: Exception, reason: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def describe(name: str) -> str:
        raise error

    # By way of sys.modules: the attribute broadsheet.methods is the function of that name.
    monkeypatch.setattr(sys.modules["broadsheet.methods"], "describe_method", describe)
    assert run(["methods"]) == 0
    assert reason in capsys.readouterr().out
