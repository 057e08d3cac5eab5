"""Ray Data: pages in Parquet files to articles in Parquet files.

python ray_articles.py pages.parquet articles/

The input has the columns `html` and `url`; `key` is copied to the output.
"""

import sys

import ray

from broadsheet.arrow import extract_table

FIELDS = ["url", "status", "title", "authors", "date", "text", "confidence"]
pages, articles = sys.argv[1:]
dataset = ray.data.read_parquet(pages)
options = {"keep": ["key"], "fields": FIELDS}
rows = dataset.map_batches(extract_table, batch_format="pyarrow", fn_kwargs=options)
rows.write_parquet(articles)
