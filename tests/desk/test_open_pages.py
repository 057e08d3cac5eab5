"""Open pages: files that are dropped on the desk, and the store that holds them."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from broadsheet.desk.open_pages import MAX_COLLECTIONS, PageStore, make_page, read_upload
from broadsheet.errors import InputError
from broadsheet.page import DEFAULT_LIMITS

PAGE = b"<html><head><title>T</title></head><body><p>Text of a page.</p></body></html>"


def make_zip() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.html", PAGE)
        archive.writestr("b/c.html", PAGE.replace(b"Text", b"Another text"))
        archive.writestr("logo.png", b"\x89PNG\r\n\x1a\n")
    return packed.getvalue()


LINES = b"\n".join(
    json.dumps(row).encode()
    for row in ({"html": PAGE.decode(), "text": "Text of a page.", "id": "one"}, {"html": "<p>Zwei äöü</p>", "url": "https://a.example/2"})
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "names", "gold"),
    [
        ("a.html", PAGE, ["a.html"], [None]),
        ("page without ending", PAGE, ["page without ending"], [None]),
        ("a.jsonl", LINES, ["one", "https://a.example/2"], ["Text of a page.", None]),
        ("a.zip", make_zip(), ["a.zip/a.html", "a.zip/b/c.html"], [None, None]),
        ("a.\0zip", make_zip(), ["a.zip/a.html", "a.zip/b/c.html"], [None, None]),
        ("a.jsonl", b'{"html": "<p>", "id": "one\\ud800"}', ["one\N{REPLACEMENT CHARACTER}"], [None]),
        ("a.jsonl", b'{"html": "<p>", "url": "one\\ud800"}', ["one\N{REPLACEMENT CHARACTER}"], [None]),
    ],
)
def test_pages_of_a_file(name: str, content: bytes, names: list[str], gold: list[str | None]) -> None:
    pages = read_upload(name, content, DEFAULT_LIMITS)
    assert [page.name for page in pages] == names
    assert [page.gold for page in pages] == gold


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.pdf", b"%PDF-1.7\n...", "a.pdf is a PDF"),
        ("a.jsonl", b'{"html": 3}', 'a.jsonl, line 1: not an object with "html"'),
        ("a.jsonl", b'{"html": "<p>", "url": 3}', 'a.jsonl, line 1: "url" is not a string'),
        ("a.jsonl", b'{"html": "<p>"}\n{"html', "a.jsonl, line 2: not valid JSON (Unterminated string"),
        ("a.jsonl", b'{"text": "x"}', 'not an object with "html"'),
        ("a.jsonl", b'{"html": ' + b"[" * 100_000, "a.jsonl, line 1: not valid JSON"),
        ("list.txt", b"https://a.example/1\nhttps://a.example/2\n", "list.txt is a list of addresses"),
        ("table.csv", b"url,file\nhttps://a.example/,/etc/passwd\n", "table.csv is a CSV file"),
        ("a.zip", b"PK\x03\x04 broken", "a.zip"),
    ],
)
def test_other_files_are_refused_in_one_line(name: str, content: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_upload(name, content, DEFAULT_LIMITS)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "/tmp" not in str(caught.value)


def test_the_name_of_an_upload_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("datapackage.json", "{}")
        archive.writestr("archive/a.warc", b"")
    pages = read_upload(str(path), make_zip(), DEFAULT_LIMITS)
    assert [page.name for page in pages] == [f"{path}/a.html", f"{path}/b/c.html"]


def test_an_archive_that_unpacks_to_more_than_the_memory_of_the_desk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadsheet.desk.open_pages.MAX_STORE_BYTES", 1500)
    with pytest.raises(InputError, match=r"a\.zip have more than 1,500 bytes"):
        read_upload("a.zip", make_zip(), DEFAULT_LIMITS)


# The store


def test_the_pages_used_longest_ago_are_dropped() -> None:
    store = PageStore(max_bytes=35_000)
    pages = [store.add(make_page(Random(number).randbytes(10_000))) for number in range(3)]
    store.get(pages[0].id)
    store.add(make_page(Random(3).randbytes(10_000)))
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
