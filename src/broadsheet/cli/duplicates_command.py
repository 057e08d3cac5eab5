"""`broadsheet duplicates`: clusters of equal and nearly equal texts in the output of a batch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet batch 'warc/*.warc.gz' -o out/ --with minhash
  broadsheet duplicates out/                             writes out/duplicates.parquet
  broadsheet duplicates out/ --similarity 0.9 -o near.parquet
"""


def duplicates_command(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="Output folder of broadsheet batch.", show_default=False)
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Parquet file. Default: DIR/duplicates.parquet.", show_default=False
        ),
    ] = None,
    similarity: Annotated[
        float,
        typer.Option("--similarity", help="Minimum similarity of two texts: the share of common five-word shingles."),
    ] = 0.8,
) -> None:
    """Find rows of a batch with equal or nearly equal texts.

    The Parquet file lists the rows of all clusters: id, cluster (the id of its first row), similarity to that row,
    and whether the texts are equal. Nearly equal texts are found if the batch was made with --with minhash.
    """
    from broadsheet.batch.duplicates import find_duplicates
    from broadsheet.batch.remote import is_remote
    from broadsheet.errors import UsageError

    if output is None and is_remote(folder):
        raise UsageError(f"{folder} is in a store; name a file for the duplicates: -o FILE")
    counts = find_duplicates(folder, output or Path(folder) / "duplicates.parquet", min_similarity=similarity)
    kind = "equal or nearly equal" if counts.has_signatures else "equal (for nearly equal ones: --with minhash)"
    print(
        f"{counts.texts:,} texts; {counts.rows:,} in {counts.clusters:,} clusters of texts that are {kind}; "
        f"{counts.rows - counts.clusters:,} can be left out, {counts.same:,} of them exact copies"
    )
