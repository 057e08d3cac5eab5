"""Without its package, an integration is one clear line."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

import broadsheet
from broadsheet.errors import MissingExtra
from broadsheet.integrations.huggingface import to_dataset


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("langchain", "langchain_core", "langchain"),
        ("llamaindex", "llama_index", "llamaindex"),
        ("haystack", "haystack", "haystack"),
        ("scrapy", "scrapy", "scrapy"),
        ("webpoet", "web_poet", "web-poet"),
        ("datatrove", "datatrove", "datatrove"),
        ("mcp.server", "mcp", "mcp"),
    ],
)
def test_missing_extra(module: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"broadsheet.integrations.{module}", raising=False)
    for name in [name for name in sys.modules if name.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtra) as raised:
        import_module(f"broadsheet.integrations.{module}")
    assert str(raised.value) == f"{package} is not installed; run: pip install 'broadsheet[{extra}]'"


def test_missing_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtra, match=r"run: pip install 'broadsheet\[datasets\]'"):
        to_dataset([broadsheet.Article()])
