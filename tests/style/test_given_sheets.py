"""Style sheets that are given together with a page."""

from __future__ import annotations

from broadsheet import extract_many
from broadsheet.many import Item
from broadsheet.methods import Method


def test_sheets_reach_the_workers(keep_red: Method) -> None:
    text = "The ferry was late, said the harbour master of the town."
    page = f"<link rel=stylesheet href=a.css><p>{text}</p>"
    items: list[Item] = [("http://a.example/", page, {"http://a.example/a.css": "p{color:red}"}), page]
    for workers in (1, 2):
        assert [article.text for article in extract_many(items, workers=workers, method=keep_red)] == [text, ""]
