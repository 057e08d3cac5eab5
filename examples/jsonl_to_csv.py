"""Turn the JSON Lines of `broadsheet extract` into a CSV file.

python examples/jsonl_to_csv.py articles.jsonl articles.csv
"""

import csv
import json
import sys

COLUMNS = "source status confidence title authors date site_name url text".split()
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def write_csv(source: str, target: str) -> None:
    """Write one row for each record."""
    # utf-8-sig: Excel takes a file without the mark for the encoding of the country.
    with (
        open(source, encoding="utf-8") as lines,
        open(target, "w", encoding="utf-8-sig", newline="") as file,
    ):
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for line in lines:
            record = json.loads(line)
            record["authors"] = "; ".join(record["authors"])
            rows.writerow(protect_cell(record.get(column)) for column in COLUMNS)


def protect_cell(value: object) -> object:
    """Put an apostrophe before text that a spreadsheet would run as a formula."""
    is_formula = isinstance(value, str) and value.startswith(FORMULA_STARTS)
    return f"'{value}" if is_formula else value


if __name__ == "__main__":
    write_csv(*sys.argv[1:3])
