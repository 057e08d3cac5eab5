"""Extract a folder of pages with a service.

python examples/service_client.py http://127.0.0.1:8000 pages/
"""

import sys
from pathlib import Path

import broadsheet


def print_titles(address: str, folder: str) -> None:
    """Print the title of every page; the service extracts them."""
    paths = sorted(Path(folder).rglob("*.html"))
    with broadsheet.Client(address) as client:
        articles = client.extract_many(path.read_bytes() for path in paths)
        for path, article in zip(paths, articles, strict=True):
            print(f"{path.name}: {article.title} ({article.status})")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/service_client.py ADDRESS FOLDER")
    print_titles(*sys.argv[1:])
