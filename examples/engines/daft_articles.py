"""daft: pages in Parquet files to articles in Parquet files.

python daft_articles.py pages.parquet articles/

The input has the columns `html` and `url`; `key` is copied to the output.
"""

import sys

import daft

from broadsheet.arrow import extract_table

FIELDS = ["url", "status", "title", "authors", "date", "text", "confidence"]
pages, articles = sys.argv[1:]
for part in daft.read_parquet(pages).iter_partitions():
    table = extract_table(part.to_arrow(), keep=["key"], fields=FIELDS)
    daft.from_arrow(table).write_parquet(articles, write_mode="append")
