"""Outputs: whole or not at all, and never over a page."""

from __future__ import annotations

import io
import operator
import os
from pathlib import Path

import pytest

import broadsheet.atomic
from broadsheet.cli.destination import Destination, name_output, open_destination
from broadsheet.cli.messages import OutputError
from broadsheet.cli.sources import NamedSource
from broadsheet.errors import UsageError
from broadsheet.output import FORMATS, LINES, FileFrame

ONE = NamedSource("a/one.html", "one.html")
TWO = NamedSource("a/two.html", "two.html")


def open_at(output: Path | str, frame: FileFrame = LINES, sources: tuple[NamedSource, ...] = ()) -> Destination:
    return open_destination(str(output), sources=sources, ending=".txt", frame=frame)


@pytest.mark.parametrize(
    ("format_name", "expected"),
    [("jsonl", "1\n2\n"), ("text", "1\n\n2\n"), ("json", "[\n1,\n2\n]\n"), ("schema", "[\n1,\n2\n]\n")],
)
def test_frames(format_name: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    frame = FORMATS[format_name].frame
    assert frame is not None
    with open_at(path, frame) as destination:
        destination.write(ONE, "1")
        destination.write(TWO, "2")
    assert path.read_text() == expected
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def write_and_fail(destination: Destination) -> None:
    with destination:
        destination.write(ONE, "half")
        raise KeyboardInterrupt


def test_file_stays_as_it_was_when_something_fails(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("before")
    with pytest.raises(KeyboardInterrupt):
        write_and_fail(open_at(path))
    assert path.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("at", ["_find_mode", "Path.open", "Path.chmod", "Path.replace"])
@pytest.mark.parametrize("output", ["out.txt", "."])
def test_interrupt_leaves_no_temporary_file(
    at: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step is completed, and then the interrupt comes."""
    (tmp_path / "out.txt").write_text("before")
    place = f"broadsheet.atomic.{at}"
    step = operator.attrgetter(at)(broadsheet.atomic)

    def interrupt(*arguments: object, **options: object) -> None:
        result = step(*arguments, **options)
        if isinstance(result, io.IOBase):
            result.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(place, interrupt)
    with pytest.raises(KeyboardInterrupt), open_at(tmp_path / output) as destination:
        destination.write(NamedSource("out.html", "out.html"), "after")
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]
    assert (tmp_path / "out.txt").read_text() == ("after\n" if at == "Path.replace" else "before")


def test_nothing_written_makes_no_file(tmp_path: Path) -> None:
    with open_at(tmp_path / "out"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    path, link, fresh = tmp_path / "real", tmp_path / "link", tmp_path / "fresh"
    path.write_text("before")
    path.chmod(0o640)
    link.symlink_to(path)
    fresh.touch()
    for each in (link, tmp_path / "new"):
        with open_at(each) as destination:
            destination.write(ONE, "after")
    assert link.is_symlink()
    assert path.read_text() == "after\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "new").stat().st_mode == fresh.stat().st_mode


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no /dev/full")
def test_error_names_the_output() -> None:
    reason = "cannot write /dev/full: no space left on device; make room"
    with pytest.raises(OutputError, match=reason), open_at("/dev/full") as destination:
        destination.write(ONE, "too much")


def test_output_that_is_a_circle_of_links(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OutputError, match=r"cannot write .*loop: "), open_at(tmp_path / "loop"):
        pass


def test_pipe_without_a_name_is_written_to() -> None:
    """What a shell makes of `-o >(program)`."""
    reading, writing = os.pipe()
    with open_at(f"/dev/fd/{writing}") as destination:
        destination.write(ONE, "through")
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() == "through\n"


def test_special_file_is_written_to() -> None:
    with open_at("/dev/null") as destination:
        destination.write(ONE, "gone")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (NamedSource("p/a.html", "a.html"), "a"),
        (NamedSource("p/x/a.b.html.gz", "x/a.b.html.gz"), "x/a.b"),
        (NamedSource("-", "-"), "stdin"),
        (NamedSource("https://a.example/b/c?d=e", ""), "a.example-b-c-d-e"),
        (NamedSource("https://a.example/" + "x" * 500, ""), "a.example-" + "x" * 110),
        (NamedSource("../secret.html", "secret.html"), "secret"),
        (NamedSource("x", "../../up.html"), "up"),
        (NamedSource(".html", ".html"), "html"),
        (NamedSource("новости дня.html", "новости дня.html"), "новости-дня"),
        (NamedSource("https://" + "报" * 200, ""), "报" * 76),
    ],
)
def test_name_output(source: NamedSource, expected: str) -> None:
    assert "/".join(name_output(source)) == expected


def test_folder_gets_a_file_for_each_page_and_names_never_clash(tmp_path: Path) -> None:
    sources = (
        ONE,
        NamedSource("b/one.htm", "one.htm"),
        NamedSource("c/ONE.html", "ONE.html"),
        NamedSource("d", "sub/one.html"),
    )
    with open_at(f"{tmp_path}/new/", sources=sources) as destination:
        for number, source in enumerate(sources):
            destination.write(source, str(number))
    found = {str(path.relative_to(tmp_path / "new")): path.read_text() for path in tmp_path.rglob("*.txt")}
    assert found == {"one.txt": "0\n", "one-2.txt": "1\n", "ONE-3.txt": "2\n", "sub/one.txt": "3\n"}


def test_pages_are_never_written_over(tmp_path: Path) -> None:
    page = tmp_path / "one.txt"
    page.write_text("a page")
    source = NamedSource(str(page), "one.txt")
    with open_at(tmp_path, sources=(source,)) as destination:
        destination.write(source, "an article")
    assert page.read_text() == "a page"
    assert (tmp_path / "one-2.txt").read_text() == "an article\n"
    with pytest.raises(UsageError, match="is one of the pages"):
        open_at(page, sources=(source,))


def test_folder_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        open_at(tmp_path / "missing" / "out.txt")
