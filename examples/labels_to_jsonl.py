"""Turn a table of labels into the JSON Lines that `eval` and `train` read.

The table is a CSV file with the columns file, url, title, date, authors (separated by
semicolons) and text. An empty cell means that the label is not known; the page then
does not count for the measures that need it.

python examples/labels_to_jsonl.py labels.csv pages/ labelled.jsonl
"""

import csv
import json
import sys
from pathlib import Path


def write_records(labels: Path, pages: Path, target: Path) -> int:
    """Write one record for each row; return their number."""
    with labels.open(encoding="utf-8-sig", newline="") as file:
        records = [make_record(row, pages) for row in csv.DictReader(file)]
    with target.open("w", encoding="utf-8") as lines:
        for record in records:
            lines.write(json.dumps(record, ensure_ascii=False) + "\n")
    return len(records)


def make_record(row: dict[str, str], pages: Path) -> dict[str, object]:
    """Make a record of a row: the labels that it has, and the page itself."""
    record: dict[str, object] = {
        name: value for name, value in row.items() if value and name != "file"
    }
    if row.get("authors"):
        record["authors"] = [name.strip() for name in row["authors"].split(";")]
    html = (pages / row["file"]).read_text("utf-8")
    return {"id": row["file"], **record, "html": html}


if __name__ == "__main__":
    print(write_records(*map(Path, sys.argv[1:4])), "records")
