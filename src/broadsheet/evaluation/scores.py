"""Score one answer for one page: named columns of numbers, and the words of wrong blocks by kind of error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from broadsheet.corpora import align_text
from broadsheet.corpora.align import drop_headline
from broadsheet.evaluation.answer import Answer
from broadsheet.evaluation.error_kinds import find_block_errors
from broadsheet.evaluation.gold import Gold
from broadsheet.evaluation.measures import (
    Hits,
    count_blocks,
    count_nodes,
    count_snippets,
    measure_edit_distance,
    score_authors,
    score_date,
    score_rouge_lsum,
    score_shingles,
    score_title,
    score_words,
)
from broadsheet.text import split_words


@dataclass(frozen=True, slots=True)
class PageScores:
    """Scores of one page. It has no column for a label that the page lacks, or a field that is not extracted."""

    columns: Mapping[str, float]
    error_words: Mapping[str, int] = field(default_factory=dict)  # "missed caption", "extra comment", ... -> words


def score_answer(gold: Gold, answer: Answer, *, fields: frozenset[str]) -> PageScores:
    """Compare an answer with the gold labels. `fields` are those that the contender extracts."""
    record = gold.record
    columns: dict[str, float] = {}
    error_words: Counter[str] = Counter()
    output = drop_unsure(drop_headline(answer.text or "", gold.headlines), gold)
    if "text" in fields and gold.text is not None:
        _score_text(columns, gold, output)
        if answer.confidence is not None:
            columns["confidence"] = answer.confidence
        if gold.blocks is not None:
            kept = find_kept_blocks(gold, answer, output)
            _score_blocks(columns, gold, kept)
            for error in find_block_errors(gold, kept):
                error_words[f"{error.error} {error.kind}"] += error.words
    if "text" in fields and (record.with_ or record.without):
        hits = count_snippets(answer.text or "", record.with_ or (), record.without or ())
        _add_hits(columns, "snippet", hits)
    if "title" in fields and record.title:
        columns["title"] = score_title(answer.title, record.title)
    if "date" in fields and record.date:
        columns["date"] = score_date(answer.date, record.date)
    if "authors" in fields and record.authors is not None:
        columns["authors"] = score_authors(answer.authors, record.authors)
    return PageScores(columns, dict(error_words))


def drop_unsure(output: str, gold: Gold) -> str:
    """Remove the texts of blocks that the main text may contain or not, unless the gold text contains them too.

    Long texts first: a short one may be a part of a long one. Line breaks in them do not matter.
    """
    for text in sorted(gold.record.unsure or (), key=len, reverse=True):
        words = text.split()
        pattern = re.compile(r"\s+".join(map(re.escape, words)))
        if words and len(pattern.findall(output)) > len(pattern.findall(gold.text or "")):
            output = pattern.sub("", output, count=1)
    return output


def find_kept_blocks(gold: Gold, answer: Answer, output: str) -> list[bool]:
    """Return for each block whether the output has it: by the method's labels, or by alignment with its text."""
    if gold.blocks is None:
        return []
    if answer.kept_blocks is not None and len(answer.kept_blocks) == len(gold.blocks):
        return [flag == "1" for flag in answer.kept_blocks]
    return align_text(gold.blocks.text, output)


def _score_text(columns: dict[str, float], gold: Gold, output: str) -> None:
    words = split_words(output)
    shingles, bag = score_shingles(words, gold.words), score_words(words, gold.words)
    rouge = score_rouge_lsum(output, gold.text or "")
    columns |= {
        "shingle_precision": shingles.precision,
        "shingle_recall": shingles.recall,
        "word_precision": bag.precision,
        "word_recall": bag.recall,
        "word_f1": bag.f1,
        "rouge_lsum": rouge.f1,
        "edit_distance": measure_edit_distance(output, gold.text or ""),
        "exact": float(words == gold.words),  # article-extraction-benchmark calls its mean accuracy
    }


def _score_blocks(columns: dict[str, float], gold: Gold, kept: list[bool]) -> None:
    assert gold.blocks is not None
    _add_hits(columns, "block", count_blocks(kept, gold.in_text, gold.ignored))
    _add_hits(columns, "node", count_nodes(gold.blocks, kept, gold.in_text, gold.ignored, gold.elements))


def _add_hits(columns: dict[str, float], name: str, hits: Hits) -> None:
    columns |= {
        f"{name}_right": hits.right,
        f"{name}_extra": hits.extra,
        f"{name}_missed": hits.missed,
        f"{name}_left_out": hits.left_out,
    }
