"""Sixty pages as a user would have them: variations of examples/labelled, without titles, dates or page types."""

from __future__ import annotations

import json
import re
from pathlib import Path

from broadsheet.corpora import Record, read_corpus
from broadsheet.page.decode import decode_page

LABELLED = Path(__file__).parents[2] / "examples" / "labelled"
COUNT = 60


def write_folder(folder: Path, count: int = COUNT) -> Path:
    """Write html/ and txt/."""
    for name in ("html", "txt"):
        (folder / name).mkdir(parents=True)
    for number, record in enumerate(vary_records(count)):
        (folder / "html" / f"page{number}.html").write_text(str(record.html), "utf-8")
        (folder / "txt" / f"page{number}.txt").write_text(record.text or "", "utf-8")
    return folder


def write_lines(path: Path, count: int = COUNT) -> Path:
    """Write a file of JSON Lines."""
    rows = (json.dumps({"html": record.html, "text": record.text}) for record in vary_records(count))
    path.write_text("\n".join(rows), "utf-8")
    return path


def vary_records(count: int) -> list[Record]:
    """Return articles of examples/labelled; those that are used again have other digits and class names."""
    articles = [record for record in read_corpus(LABELLED) if record.text]
    return [_vary(articles[number % len(articles)], number // len(articles)) for number in range(count)]


def _vary(record: Record, variation: int) -> Record:
    html = decode_page(record.html).text if isinstance(record.html, bytes) else record.html
    digits = str.maketrans("123456789", "123456789"[variation:] + "123456789"[:variation])
    html = re.sub(r'class="([^"]+)"', lambda match: f'class="{match[1]} v{variation}"', html)
    return Record(record.id, _translate_texts(html, digits), text=(record.text or "").translate(digits))


def _translate_texts(html: str, digits: dict[int, int]) -> str:
    """Change the digits of texts, not those of attributes and tags."""
    return re.sub(r">[^<]+<", lambda match: match[0].translate(digits), html)
