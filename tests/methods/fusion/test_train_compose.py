"""Composed pages: the gold text stays the same, and what is inserted is not part of it."""

from __future__ import annotations

from dataclasses import replace

from broadsheet.corpora import Record
from broadsheet.methods.fusion.train_compose import COMPOSED_SUFFIX, Composer
from broadsheet.methods.fusion.train_labels import label_blocks
from broadsheet.page import read_page
from broadsheet.page.tree import PageEditor
from broadsheet.training.datasets import is_held_out
from broadsheet.training.pages import LabelledPage, label_page

NUMBERS = range(12)


def make_record(number: int) -> Record:
    """Make an article of eight paragraphs, with a newsletter box in the middle and a biography at the end."""
    paragraphs = [f"Paragraph {at} of story {number} says something new about ferry {number}." for at in range(8)]
    html = [f"<p>{text}</p>" for text in paragraphs]
    html.insert(4, f"<div class=box><h3>Newsletter {number}</h3><p>Get story {number} by mail.</p></div>")
    return Record(
        id=f"toy/{number}",
        html=f"<html><body><nav>Home</nav><div class=story><h1>Ferry {number}</h1>{''.join(html)}"
        f"<p class=bio>Ann {number} writes about ships.</p></div></body></html>",
        site=f"page{number}",
        title=f"Ferry {number}",
        text="\n".join(paragraphs),
        captions=(),
    )


def compose(seed: int = 0) -> list[LabelledPage]:
    composer = Composer(len(NUMBERS) * 2, seed)
    for number in NUMBERS:
        composer.collect(label_page(make_record(number)))
    return list(composer.compose())


def test_inserted_blocks_are_not_article_text() -> None:
    composed = compose()
    assert len(composed) == len(NUMBERS)
    inserted = 0
    for labelled in composed:
        assert labelled.record.id.endswith(COMPOSED_SUFFIX)
        labels = label_blocks(labelled)[:, 0].tolist()
        texts = [text for text, label in zip(labelled.blocks.text, labels, strict=True) if label == 1]
        assert "\n".join(texts) == labelled.record.text
        inserted += len(labelled.blocks) - 13
    assert inserted > len(NUMBERS)


def test_boxes_articles_and_templates_are_inserted() -> None:
    original = {number: make_record(number).html for number in NUMBERS}
    pages = [str(labelled.record.html) for labelled in compose()]
    assert any(page.count("class=") and page.count("Newsletter") > 1 for page in pages)  # a box of another page
    assert any(page.count('class="story"') > 1 for page in pages)  # an article in the same template
    assert any("<div><h2>Ferry" in page for page in pages)  # an article in another template
    assert len(original) == len(pages)


def test_pages_that_turbohtml_parses_differently_are_skipped() -> None:
    labelled = label_page(make_record(0))
    tree = labelled.page.nodes.tree
    assert tree.is_whole
    tree.is_whole = False
    assert labelled.page.nodes.tree is tree
    composer = Composer(2, 0)
    composer.collect(labelled)
    assert list(composer.compose()) == []


def test_nothing_is_taken_from_held_out_sites() -> None:
    sites = [f"site{number}" for number in range(100)]
    assert 2 <= sum(map(is_held_out, sites)) <= 20
    composer = Composer(2, 0)
    composer.collect(label_page(replace(make_record(0), site=next(filter(is_held_out, sites)))))
    assert list(composer.compose()) == []


def test_same_seed_same_pages() -> None:
    pages, same, others = ([labelled.record.html for labelled in compose(seed)] for seed in (1, 1, 2))
    assert pages == same
    assert pages != others


def test_pages_without_reliable_gold_text_are_not_used() -> None:
    composer = Composer(5, 0)
    for quality, recall, page_type in (("silver", None, None), ("gold", 0.5, None), ("gold", None, "forum")):
        record = make_record(1)
        values = {"label_quality": quality, "gold_recall": recall, "page_type": page_type}
        composer.collect(label_page(Record(id="a", html=record.html, text=record.text, **values)))  # type: ignore[arg-type]
    assert list(composer.compose()) == []


def test_copy_of_an_element_with_other_texts() -> None:
    nodes = read_page("<div id=a><h1>One</h1><p>Two</p><i>stays</i><p>Three</p></div>").nodes
    rows = {tag: [row for row, name in enumerate(nodes.tag) if name == tag] for tag in ("div", "h1", "p")}
    editor = PageEditor(nodes.tree)
    copy = editor.copy(rows["div"][0], [*rows["h1"], *rows["p"]], ["Title", "First", "Second"])
    assert copy == '<div id="a"><h1>Title</h1><p>First</p><i>stays</i><p>Second</p></div>'
    editor.insert(rows["p"][0], "<b>new</b>")
    assert "<p>Two</p><b>new</b>" in editor.write()
    assert "broadsheet" not in editor.write()
