"""Spark: WARC files to articles in Parquet files, one task for each file.

python spark_warc.py 'warc/*.warc.gz' articles/

Files are read as far as they can be; a damaged place is a row with the status
"failed". All nodes need the files. For archives in a store, and each page exactly
once under any failure, use `broadsheet batch`.
"""

import glob
import sys

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

import broadsheet
from broadsheet.arrow import extract_batches, make_output_schema

FIELDS = ["url", "status", "title", "authors", "date", "text", "confidence"]
PAGES = 64  # in memory at a time
PLACE = [pa.field("file", pa.string()), pa.field("offset", pa.int64())]


def extract_archives(batches):
    """Map record batches of paths to record batches of articles."""
    for batch in batches:
        for path in batch.column("path").to_pylist():
            yield from extract_batches(
                read_pages(path), keep=["file", "offset"], fields=FIELDS
            )


def read_pages(path):
    """Yield the pages of an archive in record batches."""
    rows = []
    for capture in broadsheet.read_captures(path):
        html = capture.html.encode() if isinstance(capture.html, str) else capture.html
        rows.append(
            {
                "html": html,
                "url": capture.url,
                "file": path,
                "offset": capture.source_offset,
            }
        )
        if len(rows) == PAGES:
            yield pa.RecordBatch.from_pylist(rows, schema=INPUT)
            rows = []
    if rows:
        yield pa.RecordBatch.from_pylist(rows, schema=INPUT)


INPUT = pa.schema([("html", pa.binary()), ("url", pa.string()), *PLACE])
paths, articles = sorted(glob.glob(sys.argv[1])), sys.argv[2]  # noqa: PTH207
spark = SparkSession.builder.appName("broadsheet").getOrCreate()
files = spark.createDataFrame([(path,) for path in paths], ["path"]).repartition(
    len(paths)
)
schema = make_output_schema(fields=FIELDS, keep=PLACE)
files.mapInArrow(extract_archives, from_arrow_schema(schema)).write.mode(
    "overwrite"
).parquet(articles)
spark.stop()
