"""Writes the results of `benchmarks/speed.py --write` into the documents: tables, chart, the sentence of the README.

A written part stands between two marks, which are comments of HTML: `<!-- speed: NAME -->` and `<!-- /speed -->`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCUMENTS = ("README.md", "docs/explanation/speed.md")
CHART = "docs/explanation/figures/speed.svg"
_PART = re.compile(r"(<!-- speed: ([\w ]+) -->\n).*?(<!-- /speed -->)", re.DOTALL)


def write_documents(parts: Mapping[str, str], chart: str, root: Path = ROOT) -> None:
    """Replace the parts of the documents that were measured; those of other runs stay."""
    for name in DOCUMENTS:
        path = root / name
        path.write_text(replace_parts(path.read_text("utf-8"), parts), "utf-8")
    (root / CHART).write_text(chart, "utf-8")


def replace_parts(document: str, parts: Mapping[str, str]) -> str:
    """Return the document with new texts between its marks. Raises KeyError for a mark without a text."""
    return _PART.sub(lambda match: f"{match[1]}\n{parts[match[2]].strip()}\n\n{match[3]}", document)


def write_sentence(pages: int, all_fields: float, text_only: float, resiliparse: float) -> str:
    """Return the sentence of the README, from ratios of mean times."""
    return (
        f"On {pages} pages, Broadsheet with all fields is {all_fields:.1f} times as fast as trafilatura with\n"
        f"metadata; the text alone is {text_only:.1f} times as fast as that, and {resiliparse:.2f} times as fast as\n"
        "resiliparse, which extracts nothing else (means)."
    )
