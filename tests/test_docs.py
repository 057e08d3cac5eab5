"""The documentation is true: its examples print what it says, its links lead somewhere, its tables are complete."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import broadsheet
from broadsheet.errors import BroadsheetError

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(str(path.relative_to(ROOT)) for path in [*ROOT.glob("*.md"), *DOCS.glob("**/*.md")])
WRITTEN = [page for page in PAGES if page != "CHANGELOG.md"]
EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("*.py"))
MAX_LINE_CHARS = 112  # of prose; tables and code may be longer


def load_script(name: str) -> ModuleType:
    """Load a script of docs/, which is not a package."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


run_examples = load_script("run_examples")
hooks = load_script("hooks")


def read(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def mark_page(page: str) -> Any:
    """Leave all pages but the README to `make test-docs`: their commands take minutes."""
    return pytest.param(page, marks=[] if page == "README.md" else [pytest.mark.docs])


@pytest.mark.parametrize("page", [mark_page(page) for page in WRITTEN if run_examples.BLOCK.search(read(page))])
def test_examples_print_what_the_page_says(page: str) -> None:
    runner = run_examples.run_page(ROOT / page)
    assert not runner.differences, "\n".join(map(str, runner.differences))


def test_readme_has_examples() -> None:
    assert len(run_examples.BLOCK.findall(read("README.md"))) >= 3


@pytest.mark.parametrize(
    ("block", "output"),
    [
        ("```console\n$ echo one; echo two\none\n...\n```", ""),
        ("```console\n$ cat << END\n> one\n> END\none\n```", ""),
        ("```console\n$ echo one\ntwo\n```", "one\n"),
        ("<!-- not run: reason -->\n```console\n$ false\ntwo\n```", ""),
        ("<!-- numbers vary -->\n```console\n$ echo 1.5 ms\n2.5 ms\n```", ""),
        ("<!-- numbers vary -->\n```console\n$ echo 1.5 ms\n2.5 MB\n```", "1.5 ms\n"),
        ("<!-- numbers vary -->\n```console\n$ echo ──; echo 99\n───\n100\n```", ""),
        ("```pycon\n>>> x = 1\n>>> x + 1\n2\n```", ""),
        ("```pycon\n>>> x = 1\n>>> x + 1\n3\n```", "2\n"),
        ("```pycon\n>>> int('a')\nTraceback (most recent call last):\n    ...\nValueError: ...\n```", ""),
    ],
)
def test_examples_are_compared(block: str, output: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"text\n\n{block}\n", "utf-8")
    runner = run_examples.run_page(page, is_updated=True)
    assert [difference.output for difference in runner.differences] == [output] * bool(output)
    assert not run_examples.run_page(page).differences  # the page was updated


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files(page: str) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", read(page)):
        if "://" not in target:
            assert (ROOT / page).parent.joinpath(target).exists(), f"{page} links to {target}"


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[2]
    listed = set(re.findall(r"[\w/-]+\.md", navigation))
    assert listed == {str(path.relative_to(DOCS)) for path in DOCS.glob("**/*.md")}


def test_every_method_has_its_page() -> None:
    for name in broadsheet.methods():
        assert (DOCS / "methods" / f"{name}.md").exists()


@pytest.mark.parametrize("page", [*WRITTEN, *(f"examples/{name}" for name in EXAMPLES)])
def test_no_page_needs_the_data_of_the_project(page: str) -> None:
    assert "shared/data" not in read(page)


def test_tables_of_settings_are_in_the_pages() -> None:
    written = [page for page in WRITTEN if any(match["written"] for match in hooks.MARKER.finditer(read(page)))]
    assert {"docs/howto/watch.md", "docs/reference/configuration.md", "docs/reference/limits.md"} <= set(written)
    for page in written:
        assert hooks.update_page(read(page)) == read(page), f"run: python docs/hooks.py {page}"
    assert hooks.on_page_markdown(read("docs/reference/limits.md")).count("| `max_seconds` |") == 1


@pytest.mark.parametrize("page", WRITTEN)
def test_prose_is_wrapped(page: str) -> None:
    prose = re.sub(r"^```.*?^```$", "", read(page), flags=re.MULTILINE | re.DOTALL)
    assert [line for line in prose.splitlines() if len(line) > MAX_LINE_CHARS and not line.startswith("|")] == []


def test_every_recipe_is_shown_and_tested() -> None:
    shown = set(re.findall(r'--8<-- "(\w+\.py)"', "".join(map(read, WRITTEN))))
    tested = {f"{name}.py" for name in re.findall(r'load_example\("(\w+)"\)', read("tests/test_examples.py"))}
    for name in ("test_recipes", "test_scrapy"):  # with the real packages
        tested |= set(re.findall(r'(?:EXAMPLES|"examples") / "(\w+\.py)"', read(f"tests/integrations/{name}.py")))
    assert shown == tested == set(EXAMPLES)


@pytest.mark.parametrize("folder", ["src", "benchmarks"])
def test_pages_named_in_the_code_exist(folder: str) -> None:
    for path in (ROOT / folder).rglob("*"):
        if path.suffix in {".py", ".md"}:
            for name in re.findall(r"\bdocs/(?:[\w-]+/)*([\w-]+\.md)", path.read_text("utf-8")):
                assert list(DOCS.rglob(name)), f"{path} names {name}"


@pytest.mark.parametrize("page", WRITTEN)
def test_modules_named_by_pages_exist(page: str) -> None:
    for name in re.findall(r"`([\w-]+(?:/[\w-]+)+\.pyx?)`", read(page)):
        assert (ROOT / name).exists() or (ROOT / "src" / "broadsheet" / name).exists(), f"{page} names {name}"


def test_record_page_has_every_field_status_and_role() -> None:
    page = hooks.on_page_markdown(read("docs/reference/record.md"))
    for name in [*broadsheet.Article().to_dict(), *broadsheet.Status, *broadsheet.Role]:
        assert re.search(rf"^\| (?:\*\*)?`{name}`", page, re.MULTILINE), name


def test_readme_names_every_status() -> None:
    for status in broadsheet.Status:
        assert f"`{status}`" in read("README.md"), status


def test_command_line_page_has_every_option() -> None:
    import typer.main

    from broadsheet.cli.app import build_app

    page = hooks.on_page_markdown(read("docs/reference/cli.md"))
    for path, command in walk_commands("broadsheet", typer.main.get_command(build_app())):
        section = page.partition(f"## `{path}` ")[2].partition("\n## ")[0]
        for parameter in command.params:
            for option in parameter.opts if parameter.param_type_name == "option" else ():
                assert f"`{option}`" in section, f"{path} {option}"


def walk_commands(path: str, command: Any) -> list[tuple[str, Any]]:
    children = getattr(command, "commands", {}).items()
    return [(path, command), *(found for name, child in children for found in walk_commands(f"{path} {name}", child))]


def test_error_page_has_every_error() -> None:
    page = hooks.on_page_markdown(read("docs/reference/errors.md"))
    for error in hooks.walk_errors(BroadsheetError):
        assert page.count(error.__name__) >= 2, error  # in the tree and in the table


def test_configuration_page_has_every_setting() -> None:
    page = hooks.on_page_markdown(read("docs/reference/configuration.md"))
    for method in broadsheet.methods():
        for config in hooks.find_configs(method):
            assert f"`{config.__name__}`" in page
            for name in config.__dataclass_fields__:
                assert f"| `{name}` |" in page


@pytest.mark.parametrize(
    ("marker", "names"),
    [
        ("labels", ["html", "text", "with", "origin"]),
        ("peers", ["trafilatura", "turbohtml", "magic-html"]),
        ("extras", ["archive", "dev", "eval", "train"]),
        ("service options", ["method", "fields", "images", "render"]),
        ("options: batch:Filters", ["--language` `CODE,..."]),
    ],
)
def test_generated_tables_have_no_empty_cell(marker: str, names: list[str]) -> None:
    rows = [line.strip("|").split("|") for line in hooks.on_page_markdown(f"<!-- {marker} -->").splitlines()]
    assert {row[0].strip(" `") for row in rows} >= set(names)
    assert all(cell.strip() for row in rows for cell in row)


def test_api_page_has_every_public_name() -> None:
    page = hooks.on_page_markdown(read("docs/reference/api.md"))
    for name in broadsheet.__all__:
        assert re.search(rf"^::: broadsheet\..*\b{name}$", page, re.MULTILINE), name
