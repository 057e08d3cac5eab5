"""Turn the JSON Lines of `broadsheet extract` into an Excel file.

Needs pandas and openpyxl.

python examples/jsonl_to_excel.py articles.jsonl articles.xlsx
"""

import sys

import pandas


def read_articles(source: str) -> pandas.DataFrame:
    """Read the records as a table, with real dates and one line of authors."""
    articles = pandas.read_json(source, lines=True, dtype=False)
    articles["date"] = pandas.to_datetime(articles["date"], utc=True, format="ISO8601")
    articles["authors"] = articles["authors"].str.join("; ")
    return articles


def write_excel(source: str, target: str) -> None:
    """Write the most used columns; dates in UTC, because Excel has no time zones."""
    articles = read_articles(source)
    articles["date"] = articles["date"].dt.tz_localize(None)
    columns = [
        "source",
        "status",
        "confidence",
        "title",
        "authors",
        "date",
        "language",
        "url",
        "text",
    ]
    articles.sort_values("confidence").to_excel(target, columns=columns, index=False)


if __name__ == "__main__":
    write_excel(*sys.argv[1:3])
