"""Word vectors for all languages from one small table, and text vectors as weighted means of word vectors."""

from broadsheet.embeddings.words import WordVectors, load_words

__all__ = ["WordVectors", "load_words"]
