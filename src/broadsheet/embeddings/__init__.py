"""Words to vectors: one small table for all languages, and sentences as weighted means of their words."""

from broadsheet.embeddings.words import WordVectors, load_words

__all__ = ["WordVectors", "load_words"]
