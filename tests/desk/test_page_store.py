"""The store of open pages."""

from __future__ import annotations

from dataclasses import replace

from broadsheet.desk.page_store import MAX_COLLECTIONS, PageStore, make_page


def test_the_pages_used_longest_ago_are_dropped() -> None:
    store = PageStore(max_bytes=35_000)
    pages = [store.add(make_page(bytes([65 + number]) * 10_000)) for number in range(3)]
    store.get(pages[0].id)
    store.add(make_page(b"x" * 10_000))
    assert [store.get(page.id) is not None for page in pages] == [True, False, True]


def test_one_page_above_the_limit_is_kept() -> None:
    store = PageStore(max_bytes=10)
    page = store.add(make_page(b"x" * 100))
    assert store.get(page.id) == page


def test_the_id_depends_on_page_and_address() -> None:
    ids = {make_page(html, url=url).id for html in (b"a", b"b") for url in (None, "https://a.example/")}
    assert len(ids) == 4
    assert make_page(b"a").id == make_page(b"a", name="other name").id


def test_gold_text_is_kept_when_a_page_is_opened_again() -> None:
    store = PageStore()
    page = make_page(b"page")
    store.add(replace(page, gold="expected"))
    assert store.add(page).gold == "expected"
    assert store.add(replace(page, gold="")).gold == ""


def test_collections_are_bounded() -> None:
    store = PageStore()
    first = store.add_collection("first", ("a",))
    for number in range(MAX_COLLECTIONS):
        assert store.add_collection("later", (str(number),)).pages == (str(number),)
    assert store.get_collection(first.id) is None
