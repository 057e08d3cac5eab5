"""Chunks of an article for search and language models: `article.chunks(max_tokens=400)`."""

from broadsheet.output.chunks.chunk import Chunk as Chunk
from broadsheet.output.chunks.chunk import Link as Link
from broadsheet.output.chunks.make import make_chunks as make_chunks
from broadsheet.output.chunks.tokens import estimate_tokens as estimate_tokens

__all__ = ["Chunk", "Link", "estimate_tokens", "make_chunks"]
