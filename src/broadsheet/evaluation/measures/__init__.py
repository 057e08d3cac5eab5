"""Measures, one per file, each with its source."""
