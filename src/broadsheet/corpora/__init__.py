"""Labelled pages in any of six layouts, read as a stream of records for training and evaluation."""

from broadsheet.corpora.align import align_text
from broadsheet.corpora.reader import count_records, describe_skipped, read_corpus
from broadsheet.corpora.record import Record

__all__ = ["Record", "align_text", "count_records", "describe_skipped", "read_corpus"]
