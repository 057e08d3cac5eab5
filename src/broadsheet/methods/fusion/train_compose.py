"""Composed pages: training pages into which boxes and articles of other pages are inserted.

Pages with several articles, and with teasers and notices between the paragraphs, are rare in the labelled data and
frequent on the web. A composed page keeps its gold text: everything that is inserted is not part of it, so that the
labels follow from the alignment, as for any other page. What is inserted:

- boxes: containers of another page that are between its paragraphs, or directly after them, and not article text;
- articles in the same template: the container of the article again, with headline and paragraphs of another page;
- articles in another template: headline and paragraphs of another page.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks
from broadsheet.corpora import Record
from broadsheet.corpora.record import SILVER
from broadsheet.methods.fusion.train_labels import has_all_roles, label_blocks
from broadsheet.page import Nodes
from broadsheet.page.tree import PageEditor
from broadsheet.training.datasets import is_held_out
from broadsheet.training.pages import LabelledPage, label_page

COMPOSED_SUFFIX = "+"  # of the id of a composed page
MIN_GOLD_RECALL = 0.9
MIN_GOLD_BLOCKS = 6
MAX_PAGE_CHARS = 600_000  # of HTML; longer pages take long to edit
MAX_BOX_BLOCKS = 12
MIN_BOX_CHARS, MAX_BOX_CHARS = 15, 1_200  # of text
MAX_BOX_HTML_CHARS = 20_000
MAX_BLOCKS_AFTER_TEXT = 14  # blocks after the last gold block that may be boxes
BOX_COUNTS = (0, 1, 1, 2)  # boxes per page, drawn at random
ARTICLE_COUNTS = (1, 1, 2, 3)  # articles per page, if there are any
ARTICLE_PARAGRAPHS = (2, 4, 8, 30)
SAME_TEMPLATE_SHARE, OTHER_TEMPLATE_SHARE = 0.4, 0.2  # of pages
AFTER_SHARE = 0.85  # of inserted articles; the others precede the article
LATE_BOX_SHARE = 0.5  # of boxes after the text that are used
_NO_BOX_TAGS = frozenset("li td tr tbody html body dd dt".split())  # not valid between paragraphs
_HOST_TAGS = frozenset("p div blockquote h2 h3 section".split())  # elements after which a box is inserted


@dataclass(slots=True)
class Composer:
    """Collects boxes and articles from labelled pages, and makes composed pages of them."""

    number: int  # of composed pages
    seed: int
    _boxes: list[tuple[str, str]] = field(default_factory=list)  # site and HTML
    _records: list[Record] = field(default_factory=list)
    _complete_records: list[Record] = field(default_factory=list)  # those with labels of all roles

    def collect(self, labelled: LabelledPage) -> None:
        """Take the boxes of a page, and the page itself if it is suitable.

        Pages that turbohtml parses differently are skipped. Nothing is taken from the sites that `--hold-out` leaves
        out: their parts would be in pages of other sites.
        """
        record = labelled.record
        labels = label_blocks(labelled)
        gold = np.flatnonzero(labels[:, 0] == 1)
        if not _is_reliable(record) or len(gold) < MIN_GOLD_BLOCKS or is_held_out(record.site):
            return
        if not labelled.page.nodes.tree.is_whole:
            return
        chooser = random.Random(f"{self.seed} {record.id}")
        for box in _find_boxes(labelled, labels, gold):
            if box.is_inside or (has_all_roles(record) and chooser.random() < LATE_BOX_SHARE):
                self._boxes.append((record.site or record.id, box.html))
        if isinstance(record.html, str) and len(record.html) <= MAX_PAGE_CHARS:
            (self._complete_records if has_all_roles(record) else self._records).append(record)

    def compose(self) -> Iterator[LabelledPage]:
        """Yield composed pages: half of them of pages with labels of all roles, as far as there are enough."""
        if not self._boxes:
            return
        chooser = random.Random(self.seed)
        chosen = chooser.sample(self._complete_records, min(len(self._complete_records), self.number // 2))
        chosen += chooser.sample(self._records, min(len(self._records), self.number - len(chosen)))
        for record in chosen:
            yield label_page(self._compose_page(record, chosen, chooser))

    def _compose_page(self, record: Record, others: Sequence[Record], chooser: random.Random) -> Record:
        labelled = label_page(record)
        gold = np.flatnonzero(label_blocks(labelled)[:, 0] == 1)
        nodes, blocks, editor = labelled.page.nodes, labelled.blocks, PageEditor(labelled.page.nodes.tree)
        hosts = _find_hosts(nodes, blocks, gold[:-1].tolist())
        for row in chooser.sample(hosts, min(chooser.choice(BOX_COUNTS), len(hosts))):
            site, html = chooser.choice(self._boxes)
            if site != record.site:
                editor.insert(row, html)
        draw = chooser.random()
        rows = [blocks.container[block] for block in gold.tolist()]
        if blocks.headline >= 0:
            rows.append(blocks.container[blocks.headline])
        outer = _find_common_container(nodes, rows)
        if draw < SAME_TEMPLATE_SHARE + OTHER_TEMPLATE_SHARE and nodes.tag[outer] not in ("html", "body"):
            template = rows if draw < SAME_TEMPLATE_SHARE else None
            for _ in range(chooser.choice(ARTICLE_COUNTS)):
                other = chooser.choice(others)
                if other.site != record.site and other.text:
                    html = _write_article(editor, outer, template, other, chooser)
                    editor.insert(outer, html, is_after=chooser.random() < AFTER_SHARE)
        return replace(record, id=f"{record.id}{COMPOSED_SUFFIX}", html=editor.write())


def _is_reliable(record: Record) -> bool:
    return (
        bool(record.text)
        and record.page_type in (None, "article")
        and record.label_quality != SILVER
        and (record.gold_recall is None or record.gold_recall >= MIN_GOLD_RECALL)
    )


@dataclass(frozen=True, slots=True)
class _Box:
    html: str
    is_inside: bool  # between paragraphs of the article


def _find_boxes(labelled: LabelledPage, labels: NDArray[np.int8], gold: NDArray[np.intp]) -> Iterator[_Box]:
    """Find the largest containers without a labelled role between the first gold block and a few after the last."""
    nodes, blocks = labelled.page.nodes, labelled.blocks
    editor = PageEditor(nodes.tree)
    is_other = (labels[:, 0] == 0) & (labels[:, 1:] != 1).all(axis=1)
    first, last = int(gold[0]), int(gold[-1])
    seen: set[int] = set()
    for block in range(first + 1, min(last + MAX_BLOCKS_AFTER_TEXT, len(blocks))):
        row = _find_largest_container(nodes, blocks, is_other, block) if is_other[block] else -1
        if row < 0 or row in seen:
            continue
        seen.add(row)
        inside = _list_blocks(nodes, blocks, row)
        chars = sum(len(blocks.text[number]) for number in inside)
        if MIN_BOX_CHARS <= chars <= MAX_BOX_CHARS and nodes.tag[row] not in _NO_BOX_TAGS:
            html = editor.read(row)
            if len(html) <= MAX_BOX_HTML_CHARS:
                yield _Box(html, block < last)


def _find_largest_container(nodes: Nodes, blocks: Blocks, is_other: NDArray[np.bool_], block: int) -> int:
    """Return the row of the largest container around a block that contains only such blocks; -1 for none."""
    largest, row = -1, blocks.container[block]
    while row > 0:
        inside = _list_blocks(nodes, blocks, row)
        if len(inside) > MAX_BOX_BLOCKS or not is_other[inside.start : inside.stop].all():
            break
        largest, row = row, nodes.outer[row]
    return largest


def _list_blocks(nodes: Nodes, blocks: Blocks, row: int) -> range:
    return range(bisect_left(blocks.first, row), bisect_left(blocks.first, nodes.end[row]))


def _find_hosts(nodes: Nodes, blocks: Blocks, gold: Sequence[int]) -> list[int]:
    """Return the rows of elements that contain one gold block each, after which a box can be inserted."""
    rows = [blocks.container[block] for block in gold]
    return [row for row in rows if nodes.tag[row] in _HOST_TAGS and len(_list_blocks(nodes, blocks, row)) == 1]


def _find_common_container(nodes: Nodes, rows: Sequence[int]) -> int:
    """Return the row of the smallest container that holds all rows; 0, the root, if there is none."""
    outer = rows[0]
    while outer > 0 and not all(outer <= row < nodes.end[outer] for row in rows):
        outer = nodes.outer[outer]
    return max(outer, 0)


def _write_article(
    editor: PageEditor, outer: int, template: Sequence[int] | None, other: Record, chooser: random.Random
) -> str:
    """Write the HTML of an article: in a copy of the container `outer`, whose rows `template` get other texts."""
    lines = [line for line in (other.text or "").split("\n") if line.strip()]
    title = other.title or lines[0]
    if template is None:
        paragraphs = "".join(f"<p>{escape(line)}</p>" for line in lines[: chooser.choice(ARTICLE_PARAGRAPHS)])
        return f"<div><h2>{escape(title)}</h2>{paragraphs}</div>"
    return editor.copy(outer, template, [title, *lines])
