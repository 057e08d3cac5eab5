"""Runs made ready for writing: white space folded and moved out of looks, neighbours of one look joined."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import attrgetter

from broadsheet.article.parts import Run
from broadsheet.output.characters import UNFIT, clean_text
from broadsheet.output.links import check_href

_LOOK = attrgetter("is_bold", "is_italic", "is_code", "href")
_UNFOLDED = re.compile(rf"[^\S\n ]| [ \n]|\n |[{UNFIT}]")
_SPACES = re.compile(r"[^\S\n]+")
_BREAK = re.compile(r" ?\n ?")


def tidy_runs(runs: Iterable[Run]) -> list[Run]:
    """Fold and join runs, check their links, and move white space at the edge of a look out of it."""
    tidy: list[Run] = []
    gap = ""  # white space since the last word
    for run in runs:
        text = fold_spaces(run.text)
        core = text.strip()
        if not core:
            gap += text
            continue
        lead, _, tail = text.partition(core)
        word = Run(core, run.is_bold, run.is_italic, run.is_code, check_href(run.href))
        if tidy and (gap := gap + lead):
            tidy.append(_write_gap(gap, tidy[-1], word))
        tidy.append(word)
        gap = tail
    return join_runs(tidy)


def join_runs(runs: Iterable[Run]) -> list[Run]:
    """Join neighbours of one look."""
    return [_join(list(group)) for _, group in groupby(runs, key=_LOOK)]


def nest_runs(runs: Sequence[Run], write_run: Callable[[Run], str], write_look: Callable[[str, str, str], str]) -> str:
    """Write runs with their looks nested: links around bold around italic.

    `write_run` writes the text of a run (and its being code); `write_look(look, value, inner)` puts a look around it.
    """
    return _nest(runs, ("href", "is_bold", "is_italic"), write_run, write_look)


def fold_spaces(text: str) -> str:
    """Make white space what a run promises: single spaces and line breaks; drop unfit characters."""
    if text.isprintable() and "  " not in text:  # nearly all runs: much faster than the pattern
        return text
    if _UNFOLDED.search(text) is None:
        return text
    return _BREAK.sub("\n", _SPACES.sub(" ", clean_text(text)))


def keep_common_look(run: Run, other: Run) -> Run:
    """Take from a run the looks that do not go on in its neighbour; italic ends where bold or a link begins or ends."""
    is_linked_alike = run.href == other.href
    return Run(
        run.text,
        is_bold=is_linked_alike and run.is_bold and other.is_bold,
        is_italic=is_linked_alike and run.is_italic and other.is_italic and run.is_bold == other.is_bold,
        href=run.href if is_linked_alike else None,
    )


def _write_gap(gap: str, before: Run, after: Run) -> Run:
    """White space between two words has the looks that both have; it is never code."""
    text = "\n" * gap.count("\n") or " "
    return keep_common_look(Run(text, before.is_bold, before.is_italic, href=before.href), after)


def _join(group: list[Run]) -> Run:
    first = group[0]
    if len(group) == 1:
        return first
    return Run("".join([run.text for run in group]), first.is_bold, first.is_italic, first.is_code, first.href)


def _nest(
    runs: Sequence[Run],
    looks: tuple[str, ...],
    write_run: Callable[[Run], str],
    write_look: Callable[[str, str, str], str],
) -> str:
    if not looks:
        return "".join(map(write_run, runs))
    written: list[str] = []
    for value, group in groupby(runs, key=attrgetter(looks[0])):
        inner = _nest(list(group), looks[1:], write_run, write_look)
        written.append(write_look(looks[0], str(value), inner) if value else inner)
    return "".join(written)
