"""The examples of the documentation run, and print what they say they print."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import broadsheet

ROOT = Path(__file__).parents[1]
PAGES = sorted(str(path.relative_to(ROOT)) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def test_readme_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    failed, tried = doctest.testfile("README.md", module_relative=False, encoding="utf-8")
    assert tried >= 8
    assert failed == 0


def test_the_method_of_the_guide_works() -> None:
    code = re.search(
        r"```python\n(# longest\.py.*?)```", (ROOT / "docs" / "extending.md").read_text("utf-8"), re.DOTALL
    )
    assert code is not None
    names: dict[str, type] = {}
    exec(code[1], names)  # our own documentation
    html = "<div><p>a</p></div><main><p>long one</p><p>long two</p></main>"
    assert broadsheet.extract(html, method=names["Longest"]()).text == "long one\nlong two"


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if "://" not in target:
            assert (ROOT / page).parent.joinpath(target).exists(), f"{page} links to {target}"


def test_every_method_has_its_page() -> None:
    for name in broadsheet.methods():
        assert (ROOT / "docs" / "methods" / f"{name}.md").exists()
