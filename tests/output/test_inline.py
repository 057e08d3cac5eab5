from __future__ import annotations

import pytest

from broadsheet.article import Run
from broadsheet.output.inline import fold_spaces, nest_runs, tidy_runs

HOME = "https://example.org/"


@pytest.mark.parametrize(
    ("raw", "folded"),
    [
        ("a b\nc", "a b\nc"),
        (" a ", " a "),
        ("a  b\t\u00a0c", "a b c"),
        ("a \n  b", "a\nb"),
        ("a\r\nb\x00", "a\nb"),
    ],
)
def test_fold_spaces(raw: str, folded: str) -> None:
    assert fold_spaces(raw) == folded


def bold(text: str) -> Run:
    return Run(text, is_bold=True)


@pytest.mark.parametrize(
    ("runs", "tidy"),
    [
        ([Run("")], []),
        ([Run(" \n"), bold(" ")], []),
        ([Run("a"), Run("b")], [Run("ab")]),
        ([Run(" a "), Run(" b\n")], [Run("a b")]),
        ([Run("a"), bold(" b "), Run("c")], [Run("a "), bold("b"), Run(" c")]),
        ([bold("a"), Run(" "), bold("b")], [bold("a b")]),
        ([bold("a\n"), Run("\n"), Run("b")], [bold("a"), Run("\n\nb")]),
        ([bold("a "), Run("b", is_bold=True, is_italic=True)], [bold("a "), Run("b", is_bold=True, is_italic=True)]),
        (
            [Run("a ", is_bold=True, is_italic=True), Run("b", is_italic=True)],
            [Run("a", is_bold=True, is_italic=True), Run(" "), Run("b", is_italic=True)],
        ),
        ([Run("a ", href=HOME), Run("b", href=HOME)], [Run("a b", href=HOME)]),
        ([Run("a", href=HOME), Run(" ", href=HOME), Run("b")], [Run("a", href=HOME), Run(" b")]),
        ([Run("a ", is_code=True), Run("b", is_code=True)], [Run("a", is_code=True), Run(" "), Run("b", is_code=True)]),
        ([Run("a", href="javascript:x"), Run("b")], [Run("ab")]),
    ],
)
def test_tidy_runs(runs: list[Run], tidy: list[Run]) -> None:
    assert tidy_runs(runs) == tidy


def test_nest_runs_writes_each_formatting_once() -> None:
    runs = [
        Run("a ", is_bold=True, href=HOME),
        Run("b", is_bold=True, is_italic=True, href=HOME),
        Run(" c", href=HOME),
        Run(" d", is_italic=True),
    ]
    nested = nest_runs(runs, lambda run: run.text, lambda kind, _value, inner: f"{kind}({inner})")
    assert nested == "href(is_bold(a is_italic(b)) c)is_italic( d)"
