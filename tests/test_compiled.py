"""Compiled modules that are older than the sources that use them: one line that tells what to do."""

from __future__ import annotations

import subprocess
import sys

import pytest

import broadsheet
from broadsheet.compiled import explain_import_error

# An old compiled module without the names that today's sources import from it.
OLD_MODULE = """
import sys, types, broadsheet.{package}
from importlib.machinery import ModuleSpec
module = types.ModuleType("broadsheet.{package}.{name}")
module.__file__ = {file!r}
module.__spec__ = ModuleSpec(module.__name__, None, origin=module.__file__)
sys.modules[module.__name__] = module
"""
ADVICE = "was compiled from an older version of Broadsheet; run `make`"


@pytest.mark.parametrize(
    ("module", "program"),
    [
        ("html.readers", "import broadsheet; broadsheet.extract('<p>text')"),
        ("kernel.segments", "import broadsheet; broadsheet.Article"),
        ("kernel.scores", "import broadsheet; broadsheet.extract('<p>text')"),
        ("kernel.selection", "import broadsheet.cli; sys.argv = ['broadsheet', 'extract', '-']; broadsheet.cli.main()"),
        ("kernel.scores", "import broadsheet.cli; sys.argv = ['broadsheet', 'extract', '-']; broadsheet.cli.main()"),
    ],
)
def test_stale_module_is_named(module: str, program: str) -> None:
    package, name = module.split(".")
    file = broadsheet.__file__.replace("__init__.py", f"{package}/{name}.cpython-311-x86_64-linux-gnu.so")
    code = OLD_MODULE.format(package=package, name=name, file=file) + program
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, input="<p>text", text=True)
    assert ran.returncode
    assert f"broadsheet.{module} {ADVICE}" in ran.stderr.splitlines()[-1]
    if "argv" in program:
        assert "Traceback" not in ran.stderr


def test_other_import_errors_stay() -> None:
    code = "import sys; sys.modules['broadsheet.api'] = None; import broadsheet; broadsheet.extract"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
    assert "import of broadsheet.api halted" in ran.stderr.splitlines()[-1]


def test_modules_of_different_versions() -> None:
    message = "broadsheet.kernel.runs.RunTexts size changed, may indicate binary incompatibility. Expected 864"
    assert f"broadsheet.kernel.runs {ADVICE}" in str(explain_import_error(ValueError(message)))
    other = ValueError("other")
    assert explain_import_error(other) is other
