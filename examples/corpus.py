"""Extract a folder of pages into JSON Lines: all cores, learned sites, resumable.

python examples/corpus.py crawl/ articles.jsonl
"""

import json
import sys
from pathlib import Path

import broadsheet
from broadsheet.site import Sites


def build_corpus(folder: Path, target: Path, workers: int | None = None) -> int:
    """Append the articles of pages that are not in the output; return their number."""
    paths = sorted(folder.rglob("*.html"))
    sites = Sites()  # one site for each host
    sites.learn(path.read_bytes() for path in paths)

    done = read_done(target)
    todo = [path for path in paths if str(path) not in done]
    pages = (  # read when they are needed
        broadsheet.Capture(path.read_bytes(), source_file=str(path)) for path in todo
    )
    with target.open("a", encoding="utf-8") as lines:
        articles = broadsheet.extract_many(pages, site=sites, workers=workers)
        lines.writelines(article.to_json() + "\n" for article in articles)
    return len(todo)


def read_done(target: Path) -> set[str]:
    """Return the pages that are in the output; cut off an incomplete last line."""
    if not target.exists():
        return set()
    data = target.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if whole != data:
        target.write_bytes(whole)
    lines = whole.decode("utf-8").split("\n")
    return {json.loads(line)["source_file"] for line in lines if line}


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/corpus.py FOLDER FILE")
    count = build_corpus(Path(sys.argv[1]), Path(sys.argv[2]))
    print(f"{count} pages extracted")
