"""Describe pages by all that the compiled loops compute, in the mode of this process.

    python -m tests.kernel.describe SOURCE FILE      writes the descriptions to a file (pickle)

SOURCE is a key of SOURCES. The test of parity runs it with BROADSHEET_PURE=1.
"""

from __future__ import annotations

import json
import lzma
import os
import pickle
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tests.fuzz.cases import make_case

import broadsheet
from broadsheet.blocks import segment
from broadsheet.kernel import is_compiled
from broadsheet.kernel.runs import RunTexts
from broadsheet.kernel.segments import count_shown
from broadsheet.methods import load_method
from broadsheet.methods.fusion.containers import Containers, find_containers
from broadsheet.methods.fusion.network import read_input
from broadsheet.page import Limits, Page, read_page, read_text
from broadsheet.page.limits import DEFAULT_LIMITS
from broadsheet.page.tree import limit_growth

EXAMPLES = Path(__file__).parents[2] / "examples" / "pages"
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
# Folder with the tree-construction cases of html5lib: html5lib/tests/testdata/tree-construction in its source package.
CASES = os.environ.get("HTML5LIB_CASES", "")
RANDOM_PAGES = 60
DATA_STEP = 10  # every n-th labelled page
_CASE = re.compile(rb"^#data\n(.*?)\n#errors", re.MULTILINE | re.DOTALL)
# Each limit is reached by the first example.
LIMITS = (
    *(Limits(max_nodes=40), Limits(max_depth=4), Limits(max_depth=6), Limits(max_blocks=5), Limits(max_chars=100)),
    Limits(max_bytes=900),
)


@dataclass(frozen=True)
class Description:
    """What the loops compute for one page."""

    name: str
    nodes: str  # the columns of the node table
    runs: str  # texts of the runs, and of their items
    blocks: str  # the columns of the blocks
    containers: str  # around the blocks, their positions, and the names of these
    words: str  # hashes of the first words
    features: NDArray[np.float32]
    scores: NDArray[np.float64]
    article: str


NamedPage = tuple[str, str | bytes, Limits]  # its name, its source, and the limits that apply


def list_examples() -> Iterator[NamedPage]:
    """Yield example pages, some of them with each limit, and random pages."""
    examples = sorted(EXAMPLES.rglob("*.html"))
    for path in examples:
        yield path.name, path.read_bytes(), DEFAULT_LIMITS
    for number, limits in enumerate(LIMITS):
        yield f"limits {number}", examples[0].read_bytes(), limits
    for seed in range(RANDOM_PAGES):
        html = make_case(seed).html
        if not grows(html):
            yield f"case {seed}", html, DEFAULT_LIMITS


def grows(html: str | bytes) -> bool:
    """Tell whether the guard of the plain way would rename tags of a page; the compiled parser has its own limits."""
    text = read_text(html)[0]
    return limit_growth(text, DEFAULT_LIMITS.max_nodes).text != text


def list_cases() -> Iterator[NamedPage]:
    """Yield the tree-construction cases of html5lib."""
    for path in sorted(Path(CASES).rglob("*.dat")):
        for number, case in enumerate(_CASE.findall(path.read_bytes())):
            yield f"{path.stem} {number}", case, DEFAULT_LIMITS


def list_labelled() -> Iterator[NamedPage]:
    """Yield pages of the dev sets."""
    for path in sorted(DATA.glob("*.dev.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                if number % DATA_STEP == 0:
                    yield f"{path.name} {number}", json.loads(line)["html"], DEFAULT_LIMITS


SOURCES: dict[str, Callable[[], Iterator[NamedPage]]] = {
    "examples": list_examples,
    "html5lib": list_cases,
    "labelled": list_labelled,
}


def describe_page(name: str, html: str | bytes, limits: Limits) -> Description:
    """Run the steps of an extraction one by one, then the whole extraction."""
    page = read_page(html, limits=limits)
    blocks = segment(page)
    article = broadsheet.extract(html, limits=limits)
    columns = (blocks.text, blocks.rows, blocks.first, blocks.last, blocks.container, blocks.link_chars, blocks.context)
    words, features, scores = "", np.zeros(0, np.float32), np.zeros(0)
    if len(blocks):
        block_input = read_input(page, blocks)
        words, features = repr(block_input.words.tolist()), block_input.features
        scores = np.array(load_method("fusion").label(page, blocks).scores)
    return Description(
        name=name,
        nodes=_describe_nodes(page),
        runs=_describe_runs(page),
        blocks=repr(([list(column) for column in columns], blocks.headline)),
        containers=_describe_containers(find_containers(page, blocks)),
        words=words,
        features=features,
        scores=scores,
        article=repr((article.to_dict(), [str(label.role) for label in article.blocks])),
    )


def _describe_nodes(page: Page) -> str:
    nodes = page.nodes
    columns = (nodes.tag, nodes.parent, nodes.end, nodes.text, nodes.runs, nodes.classes)
    return repr(
        (
            [list(column) for column in columns],
            nodes.outer,
            sorted(nodes.hidden),
            sorted(nodes.rows.items()),
            nodes.is_cut,
        )
    )


def _describe_runs(page: Page) -> str:
    table = page.nodes.table
    texts, items = RunTexts(table), range(len(table.run_rows))
    spans = zip([0, *table.run_end], table.run_end, strict=False)
    return repr(
        (
            [(texts.read(item), texts.is_break(item), texts.is_space(item)) for item in items],
            [(texts.fold(start, end), texts.count_link_chars(start, end)) for start, end in spans],
            count_shown(table, 20),
        )
    )


def _describe_containers(containers: Containers) -> str:
    return repr([getattr(containers, field.name).tolist() for field in fields(containers)])


def describe_pages(source: str) -> list[Description]:
    """Describe all pages of a source."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [describe_page(*page) for page in SOURCES[source]()]


if __name__ == "__main__":
    assert not is_compiled()
    descriptions = [vars(description) for description in describe_pages(sys.argv[1])]
    Path(sys.argv[2]).write_bytes(pickle.dumps(descriptions))
