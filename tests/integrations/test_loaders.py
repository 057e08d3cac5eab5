"""Document loaders with the real packages: LangChain, LlamaIndex, Haystack."""

from __future__ import annotations

from pathlib import Path

import pytest

import broadsheet
from broadsheet.integrations.documents import LoadOptions

pytestmark = [pytest.mark.integrations, pytest.mark.filterwarnings("ignore")]
PAGES = Path(__file__).parents[2] / "examples" / "pages"
SAMPLE = PAGES / "harbour.html"
TITLE = "Harbour ferry returns after eleven years"
TEXT = broadsheet.extract(SAMPLE.read_bytes()).text


def test_langchain_into_a_splitter() -> None:
    splitters = pytest.importorskip("langchain_text_splitters")
    from broadsheet.integrations.langchain import ArticleLoader

    (document,) = ArticleLoader(SAMPLE).load()
    assert (document.page_content, document.metadata["title"]) == (TEXT, TITLE)
    splitter = splitters.RecursiveCharacterTextSplitter(chunk_size=400, chunk_overlap=0, add_start_index=True)
    parts = splitter.split_documents([document])
    assert len(parts) > 3
    for part in parts:
        start = part.metadata["start_index"]
        assert TEXT[start : start + len(part.page_content)] == part.page_content
        assert part.metadata["title"] == TITLE


def test_langchain_chunks() -> None:
    pytest.importorskip("langchain_core")
    from broadsheet.integrations.langchain import ArticleLoader

    loader = ArticleLoader([SAMPLE, *sorted((PAGES / "valley").glob("*.html"))], max_tokens=100)
    documents = loader.load()
    assert len({document.metadata["title"] for document in documents}) > 2
    assert documents[2].metadata["headings"] == ["A battery and a grant"]
    words = ArticleLoader(
        SAMPLE, options=LoadOptions(max_tokens=50, count_tokens=lambda text: len(text.split()))
    ).load()
    assert all(len(document.page_content.split()) <= 50 for document in words)


def test_llamaindex_into_a_node_parser() -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.node_parser import TokenTextSplitter
    from llama_index.core.schema import MetadataMode

    from broadsheet.integrations.llamaindex import ArticleReader

    (document,) = ArticleReader().load_data(SAMPLE)
    assert (document.text, document.metadata["title"]) == (TEXT, TITLE)
    # Its default tokenizer would be downloaded.
    parser = TokenTextSplitter(chunk_size=200, chunk_overlap=0, tokenizer=str.split)
    nodes = parser.get_nodes_from_documents([document])
    assert len(nodes) > 1
    assert all(node.metadata["title"] == TITLE for node in nodes)
    assert "confidence" not in nodes[0].get_content(MetadataMode.EMBED)
    assert TITLE in nodes[0].get_content(MetadataMode.EMBED)
    chunks = ArticleReader(max_tokens=100).load_data([SAMPLE])
    assert chunks[2].metadata["headings"] == ["A battery and a grant"]


def test_haystack_pipeline(tmp_path: Path) -> None:
    haystack = pytest.importorskip("haystack")
    from haystack.components.preprocessors import DocumentSplitter
    from haystack.components.writers import DocumentWriter
    from haystack.dataclasses import ByteStream
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    from broadsheet.integrations.haystack import ArticleConverter

    store = InMemoryDocumentStore()
    pipeline = haystack.Pipeline()
    pipeline.add_component("converter", ArticleConverter())
    pipeline.add_component("splitter", DocumentSplitter(split_by="word", split_length=50))
    pipeline.add_component("writer", DocumentWriter(store))
    pipeline.connect("converter.documents", "splitter.documents")
    pipeline.connect("splitter.documents", "writer.documents")
    again = haystack.Pipeline.loads(
        pipeline.dumps(), allowed_modules=["broadsheet.integrations.haystack"]
    )  # components are written to YAML and read back
    assert again.get_component("converter").max_tokens is None
    stream = ByteStream(SAMPLE.read_bytes(), meta={"url": "https://x.example/a"})
    empty = tmp_path / "empty.html"
    empty.write_text("<!doctype html><html><body></body></html>")
    result = pipeline.run({"converter": {"sources": [SAMPLE, stream, empty], "meta": {"batch": "1"}}})
    documents = store.filter_documents()
    assert result["writer"]["documents_written"] == len(documents) > 6
    assert {document.meta["source"] for document in documents} == {
        "https://x.example/a",
        "https://courier.example/news/2024/03/harbour-ferry-returns",
    }
    assert {(document.meta["title"], document.meta["batch"]) for document in documents} == {(TITLE, "1")}
    chunks = ArticleConverter(max_tokens=100, method="fusion").run([SAMPLE])["documents"]
    assert chunks[2].meta["headings"] == ["A battery and a grant"]
