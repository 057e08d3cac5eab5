"""The tools of the MCP server, without the protocol."""

from __future__ import annotations

from pathlib import Path

import pytest

from broadsheet.errors import FetchError, RefusedAddress, UnknownMethod, UsageError
from broadsheet.integrations.mcp.tools import (
    TextPart,
    ToolPage,
    ToolSettings,
    choose_fields,
    run_compare,
    run_discover,
    run_extract,
)

SAMPLE = (Path(__file__).parents[2] / "examples" / "pages" / "harbour.html").read_text("utf-8")
SETTINGS = ToolSettings()


def test_extract() -> None:
    page = ToolPage(SAMPLE, "https://mirror.example/a")
    answer = run_extract(page, SETTINGS)
    assert answer["title"] == "Harbour ferry returns after eleven years"
    assert answer["url"] == "https://mirror.example/a"
    assert "**thirty-eight miles**" in answer["text"]
    assert "**" not in run_extract(page, SETTINGS, output="text")["text"]
    assert run_extract(page, SETTINGS, output="record")["schema_version"] == 2
    chunks = run_extract(page, SETTINGS, output="chunks", max_tokens=100)["chunks"]
    assert chunks[2]["headings"] == ["A battery and a grant"]


def test_fields() -> None:
    answer = run_extract(ToolPage(SAMPLE), choose_fields(SETTINGS, ["title", "language"]))
    assert answer == {"title": "Harbour ferry returns after eleven years", "language": "en"}
    assert choose_fields(SETTINGS, None) is SETTINGS
    with pytest.raises(UsageError, match="did you mean 'title'"):
        choose_fields(SETTINGS, ["titel"])


def test_long_texts_have_parts() -> None:
    page = ToolPage(SAMPLE)
    whole = run_extract(page, SETTINGS)["text"]
    texts, offset = [], 0
    while True:
        answer = run_extract(page, SETTINGS, part=TextPart(offset, 600))
        assert len(answer["text"]) <= 600
        texts.append(answer["text"])
        if "read_on" not in answer:
            break
        assert f"of {len(whole):,}" in answer["read_on"]
        offset = int(answer["read_on"].rpartition("=")[2])
    assert len(texts) > 2
    assert "".join(texts) == whole
    assert run_extract(page, SETTINGS, part=TextPart(10**6))["text"] == ""


def test_long_lists_have_parts() -> None:
    page = ToolPage(SAMPLE)
    chunks = run_extract(page, SETTINGS, output="chunks", max_tokens=50)["chunks"]
    first = run_extract(page, SETTINGS, output="chunks", max_tokens=50, part=TextPart(0, 500))
    count = len(first["chunks"])
    assert first["read_on"] == f"chunks 0 to {count} of {len(chunks)}; call again with offset={count}"
    second = run_extract(page, SETTINGS, output="chunks", max_tokens=50, part=TextPart(count))
    assert first["chunks"] + second["chunks"] == chunks
    record = {"text": "a", "comments": ["b" * 9, "c"]}
    assert TextPart(0, 5).cut(dict(record)) == {
        "text": "a",
        "comments": [],
        "read_on": '2 comments are left out; call again with fields=["comments"]',
    }
    assert TextPart(0, 5).cut({"comments": record["comments"]})["comments"] == ["b" * 9]
    with pytest.raises(UsageError, match="offset must be at least 0"):
        TextPart(-1).cut({})


def test_compare() -> None:
    rows = run_compare(ToolPage(SAMPLE), SETTINGS, names=["fusion", "twcem", "fusion"])["methods"]
    assert [row["method"] for row in rows] == ["fusion", "twcem"]
    assert rows[0]["agreement"] == 1.0
    assert 0.5 < rows[1]["agreement"] <= 1.0
    assert len(run_compare(ToolPage(SAMPLE), SETTINGS)["methods"]) == 6


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1/", "http://localhost/", "https://news.example:8080/", "http://169.254.169.254/latest"]
)
def test_private_addresses_are_refused(address: str) -> None:
    with pytest.raises((RefusedAddress, FetchError), match=r"not allowed|private|not public|refused"):
        run_extract(ToolPage(url=address), SETTINGS)
    with pytest.raises((RefusedAddress, FetchError), match=r"not allowed|private|not public|refused"):
        run_discover(address, SETTINGS)


def test_wrong_arguments() -> None:
    with pytest.raises(UsageError, match="pass html or url"):
        run_extract(ToolPage(), SETTINGS)
    with pytest.raises(UnknownMethod):
        run_extract(ToolPage(SAMPLE), SETTINGS, method="twecm")
    with pytest.raises(UsageError, match="since must be a date"):
        run_discover("https://news.example", SETTINGS, since="yesterday")
    with pytest.raises(UsageError, match="limit must be from 1 to 500"):
        run_discover("https://news.example", SETTINGS, limit=501)
    with pytest.raises(FetchError):
        run_extract(ToolPage(url="file:///etc/passwd"), SETTINGS)
