"""The texts of runs: `runs.pyx` reads the bytes as `runs.py` reads the strings."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.html.table import NodeTable
from broadsheet.kernel import is_compiled, runs
from broadsheet.kernel.runs import RunTexts, count_chars

needs_compiled = pytest.mark.skipif(not is_compiled(), reason="nothing is compiled")
SPACES = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()]
INVISIBLE = ["\u00ad", "\u200b", "\u2060", "\ufeff"]
# Some share their first bytes with white space or with an invisible character.
OTHERS = [*"ab.é中文글😀𝔸\0\x7f\x80", "\u0301", "\u200c", "\u200d", "\u2061", "\u3001", "\ufefe", "\ud800"]
BUFFER_BYTES = 4096  # of `runs.pyx`: longer runs are folded in memory of their own
LINK, NO_LINK = True, False


def load_plain() -> ModuleType:
    """Load the source of the module, beside the compiled one."""
    spec = spec_from_file_location("plain_runs", Path(runs.__file__).with_name("runs.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


plain = load_plain()


def make_table(*items: tuple[str, bool]) -> NodeTable:
    """Make a table of one run, given the text of each item, "" for a break, and whether it is in a link."""
    table = NodeTable()
    arena = bytearray(b"before")
    for row, (text, in_link) in enumerate(items):
        table.text_start.append(len(arena))
        arena += text.encode("utf-8", "surrogatepass")
        table.text_end.append(len(arena))
        table.run_rows.append(row)
        table.run_in_link.append(in_link)
    table.arena = bytes(arena + b"after")
    table.run_end.append(len(items))
    return table


def describe_items(texts: RunTexts, items: Iterable[int]) -> list[tuple[str, bool, bool]]:
    return [(texts.read(item), texts.is_break(item), texts.is_space(item)) for item in items]


def describe_runs(texts: RunTexts, ends: Sequence[int]) -> list[tuple[str, int]]:
    spans = zip([0, *ends], ends, strict=False)
    return [(texts.fold(start, end), texts.count_link_chars(start, end)) for start, end in spans]


def compare(table: NodeTable) -> None:
    texts, plain_texts = RunTexts(table), plain.RunTexts(table)
    items = range(len(table.run_rows))
    assert describe_items(texts, items) == describe_items(plain_texts, items)
    assert describe_runs(texts, table.run_end) == describe_runs(plain_texts, table.run_end)
    for row in table.run_rows:
        span = table.text_start[row], table.text_end[row]
        assert count_chars(table.arena, *span) == plain.count_chars(table.arena, *span)


@pytest.mark.parametrize(
    ("texts", "folded"),
    [
        ([], ""),
        ([""], ""),
        (["one ", " two", "three\n"], "one twothree"),
        ([" \n", "\u00a0", "\u200b"], ""),
        (["so\u00ad", "ft\ufeff", " \u2060 hyphen "], "soft hyphen"),
        (["中\u3000文", "😀\u2003😀"], "中 文😀 😀"),
        (["\ud83d", "\ude00"], "\ud83d\ude00"),
        (["a ", "", "b"], "a b"),
        ([" é" * BUFFER_BYTES], "é " * (BUFFER_BYTES - 1) + "é"),
    ],
)
def test_folded_texts(texts: list[str], folded: str) -> None:
    table = make_table(*((text, NO_LINK) for text in texts))
    assert RunTexts(table).fold(0, len(texts)) == folded


@pytest.mark.parametrize(
    ("text", "chars", "link_chars", "is_break", "is_space"),
    [
        ("", 0, 0, True, False),
        (" \n\u3000", 3, 0, False, True),
        (" \u200b ", 3, 1, False, False),  # an invisible character is not white space
        ("\u00a0é 中😀\t", 6, 4, False, False),
        ("\ud800", 1, 1, False, False),
    ],
)
def test_items(text: str, chars: int, link_chars: int, is_break: bool, is_space: bool) -> None:
    table = make_table(("other", NO_LINK), (text, LINK))
    texts = RunTexts(table)
    assert (texts.read(1), texts.is_break(1), texts.is_space(1)) == (text, is_break, is_space)
    assert texts.count_link_chars(0, 2) == link_chars
    assert count_chars(table.arena, table.text_start[1], table.text_end[1]) == chars


@needs_compiled
@given(
    st.lists(st.tuples(st.text(st.sampled_from([*SPACES, *INVISIBLE, *OTHERS]), max_size=8), st.booleans()), max_size=8)
)
def test_parity_on_generated_texts(items: list[tuple[str, bool]]) -> None:
    compare(make_table(*items))


@needs_compiled
@given(st.text(st.characters(), min_size=1, max_size=20), st.integers(-3, 3), st.integers(1, 3))
def test_parity_on_long_texts(text: str, bytes_over: int, parts: int) -> None:
    padding = "x " * BUFFER_BYTES
    size = BUFFER_BYTES + bytes_over - len(text.encode("utf-8", "surrogatepass"))
    compare(make_table((padding[:size], NO_LINK), (text, LINK)))
    compare(make_table(*[(text + padding, LINK)] * parts))


@needs_compiled
def test_parity_on_all_characters() -> None:
    texts = [f"a{chr(code)}b{chr(code)} {chr(code)}" for code in range(sys.maxunicode + 1)]
    compare(make_table(("".join(texts), NO_LINK)))
    compare(make_table(*((chr(code), LINK) for code in range(ord(SPACES[-1]) + 2))))


@needs_compiled
def test_texts_outside_the_arena() -> None:
    table = make_table(("text", LINK), ("", NO_LINK))
    table.text_end[0] = len(table.arena) + 1
    table.text_start[1] = -1
    texts = RunTexts(table)
    for item in (0, 1, 2):  # there is no item 2
        for read in (texts.read, texts.is_break, texts.is_space):
            with pytest.raises(IndexError):
                read(item)
        with pytest.raises(IndexError):
            texts.fold(item, item + 1)
    with pytest.raises(IndexError):
        count_chars(b"text", 0, 5)
