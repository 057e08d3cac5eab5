"""Spark: pages in Parquet files to articles in Parquet files.

python spark_articles.py pages.parquet articles/

The input has the columns `html` and `url`; `key` is copied to the output.
"""

import sys

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from broadsheet.arrow import extract_batches, make_output_schema


def extract_part(batches):
    """Map the record batches of a partition."""
    return extract_batches(batches, keep=["key"], fields=FIELDS)


FIELDS = ["url", "status", "title", "authors", "date", "text", "confidence"]
pages, articles = sys.argv[1:]
schema = make_output_schema(fields=FIELDS, keep=[pa.field("key", pa.int64())])
spark = SparkSession.builder.appName("broadsheet").getOrCreate()
rows = spark.read.parquet(pages).mapInArrow(extract_part, from_arrow_schema(schema))
rows.write.mode("overwrite").parquet(articles)
spark.stop()
