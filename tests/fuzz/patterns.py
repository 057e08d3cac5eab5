"""Find regular expressions that take more than linear time: python -m tests.fuzz.patterns

Collects every expression that the package compiles. For each repetition in it, texts are made that repeat what it
matches and then fail, at two lengths. If four times the text takes much more than four times the time, the expression is
named. Quantifiers that give nothing back (`++`, `*+`) and bounds are the usual repair.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import re._constants as codes  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

CHARS = 1_000
FACTOR = 4
MIN_SECONDS = 0.002  # of the longer text: less is noise
MAX_RATIO = 9.0  # linear: 4, quadratic: 16
_ENDS = ("\0", "")
_MAX_PUMPS = 3
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT)


class Slow(NamedTuple):
    """An expression, the text that is repeated, and the seconds for both lengths."""

    file: str
    pattern: str
    pump: str
    seconds: tuple[float, float]


def collect() -> dict[tuple[str | bytes, int], str]:
    """Import the package; return its expressions with their flags, and the file of each. Packages may be missing."""
    found: dict[tuple[str | bytes, int], str] = {}
    root = str(Path(__file__).parents[2] / "src" / "broadsheet")
    compile_now = re.compile

    def note(pattern: Any, flags: Any = 0) -> Any:
        for depth in (1, 2, 3):
            frame = sys._getframe(depth)
            if frame.f_code.co_filename.startswith(root) and not frame.f_code.co_filename.endswith("/text.py"):
                break
        if isinstance(pattern, str | bytes) and frame.f_code.co_filename.startswith(root):
            found[pattern, int(flags)] = frame.f_code.co_filename.removeprefix(root + "/")
        return compile_now(pattern, flags)

    re.compile = note
    try:
        import broadsheet.text as text

        text.compile_later = note
        for module in pkgutil.walk_packages([root], "broadsheet."):
            if not module.name.endswith("__main__"):
                try:
                    importlib.import_module(module.name)
                except (ImportError, SystemExit, Exception):  # an extra is missing
                    continue
    finally:
        re.compile = compile_now
    return found


def list_pumps(tree: Any) -> Iterator[tuple[str, str]]:
    """Yield for each repetition without a bound: a text that leads to it, and texts that it matches."""
    prefix = ""
    for code, value in tree:
        for inner in _list_inner(code, value):
            for lead, pump in list_pumps(inner):
                yield prefix + lead, pump
        if code in _REPEATS and value[1] is codes.MAXREPEAT:
            for pump in _sample_all(value[2])[:_MAX_PUMPS]:
                yield prefix, pump
        prefix += _sample_all([(code, value)])[0]


def _list_inner(code: Any, value: Any) -> list[Any]:
    if code in _REPEATS or code is codes.POSSESSIVE_REPEAT:
        return [value[2]]
    if code is codes.SUBPATTERN:
        return [value[3]]
    if code is codes.BRANCH:
        return list(value[1])
    return [value[1]] if code in (codes.ASSERT, codes.ASSERT_NOT) else [value] if code is codes.ATOMIC_GROUP else []


def _sample_all(tree: Any) -> list[str]:
    """Return some texts that a part of an expression matches."""
    texts = [""]
    for code, value in tree:
        texts = [text + more for text in texts for more in _sample(code, value)[:3]][:8]
    return texts or [""]


def _sample(code: Any, value: Any) -> list[str]:
    if code in (codes.LITERAL, codes.NOT_LITERAL):
        return [chr(value) if code is codes.LITERAL else "b" if value != ord("b") else "c"]
    if code is codes.IN:
        return _sample_set(value)
    if code in _REPEATS or code is codes.POSSESSIVE_REPEAT:
        return [text * max(value[0], 1) for text in _sample_all(value[2])]
    if code is codes.BRANCH:
        return [text for branch in value[1] for text in _sample_all(branch)[:1]]
    if code in (codes.SUBPATTERN, codes.ATOMIC_GROUP):
        return _sample_all(value[3] if code is codes.SUBPATTERN else value)
    return ["a", " "] if code is codes.ANY else [""]


_CLASSES = {
    codes.CATEGORY_DIGIT: "1",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_SPACE: "a",
}


def _sample_set(items: Any) -> list[str]:
    is_negated = items[0][0] is codes.NEGATE
    chars = []
    for code, value in items:
        if code is codes.LITERAL:
            chars.append(chr(value))
        elif code is codes.RANGE:
            chars.append(chr(value[0]))
        elif code is codes.CATEGORY:
            chars.append(_CLASSES.get(value, "-"))
    if is_negated:
        return [char for char in "a1 .-<\u4e00" if char not in chars][:3]
    return chars[:4] or ["a"]


def find_slow(pattern: str | bytes, flags: int, file: str = "") -> Slow | None:
    """Return the slowest text of an expression that takes more than linear time; None if there is none."""
    compiled = re.compile(pattern, flags)
    is_bytes = isinstance(pattern, bytes)
    for lead, pump in dict.fromkeys(list_pumps(parser.parse(pattern, flags))):
        for start in {lead, ""}:
            for end in _ENDS:
                if not pump:
                    continue
                texts = [start + pump * (length // len(pump)) + end for length in (CHARS, FACTOR * CHARS)]
                data: list[Any] = [text.encode("latin-1", "replace") for text in texts] if is_bytes else texts
                times = _measure(compiled, data)
                if times[1] > MIN_SECONDS and times[1] > MAX_RATIO * times[0]:
                    times = tuple(map(min, times, _measure(compiled, data)))  # type: ignore[assignment]
                    if times[1] > MIN_SECONDS and times[1] > MAX_RATIO * times[0]:
                        return Slow(file, str(pattern), start + pump, times)
    return None


def _measure(compiled: re.Pattern[Any], texts: list[Any]) -> tuple[float, float]:
    times = []
    for text in texts:
        started = time.process_time()
        compiled.search(text)
        times.append(time.process_time() - started)
    return times[0], times[1]


def main() -> int:
    """Print the slow ones; return 1 if there are some."""
    expressions = collect()
    count = 0
    for (pattern, flags), file in expressions.items():
        if found := find_slow(pattern, flags, file):
            count += 1
            print(f"{file}: {found.pattern[:150]!r}\n  repeated {found.pump!r}: {found.seconds}", flush=True)
    print(f"{len(expressions)} expressions, {count} slow")
    return int(bool(count))


if __name__ == "__main__":
    sys.exit(main())
