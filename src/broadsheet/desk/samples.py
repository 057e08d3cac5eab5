"""Sample pages for the first start: pages of invented newspapers, with the text that should be extracted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from broadsheet.desk.page_store import StoredPage, make_page


@dataclass(frozen=True, slots=True)
class Sample:
    """A page of the folder `samples/`."""

    file: str  # without its ending
    url: str
    description: str


SAMPLES = (
    Sample("harbour", "https://courier.example/news/harbour-ferry", "News report with sidebar, teasers and comments"),
    Sample("storm", "https://kuestenbote.example/live/sturm", "Live blog in German, with an advertisement in between"),
    Sample("recipe", "https://table.example/recipes/leek-tart", "Recipe with lists and a table"),
    Sample("review", "https://lantern.example/books/salt-roads", "Book review in old markup, without paragraphs"),
    Sample("front", "https://courier.example/", "Home page: not an article"),
)


@cache
def load_samples() -> dict[str, StoredPage]:
    """Return the sample pages by id. They are never dropped from memory."""
    return {page.id: page for page in map(_load, SAMPLES)}


def list_site_pages() -> list[tuple[bytes, str]]:
    """Return six pages of one site, with their names: for a first project."""
    folder = files("broadsheet.desk") / "samples" / "valley"
    return [(file.read_bytes(), file.name) for file in sorted(folder.iterdir(), key=lambda file: file.name)]


def _load(sample: Sample) -> StoredPage:
    folder = files("broadsheet.desk") / "samples"
    page = make_page((folder / f"{sample.file}.html").read_bytes(), name=f"{sample.file}.html", url=sample.url)
    gold = folder / f"{sample.file}.txt"
    return replace(page, gold=gold.read_text("utf-8").strip() if gold.is_file() else None)
