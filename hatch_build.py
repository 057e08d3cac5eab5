"""Compile the loops of `broadsheet.html` and `broadsheet.kernel` when the package is installed or built.

Where Cython or a C compiler is missing, the plain Python files are installed, without an error: they give the same
results. Environment variables: BROADSHEET_PURE=1 compiles nothing; BROADSHEET_COMPILED=1 makes a failure an error, for
builds of wheels.

`python hatch_build.py` compiles the modules beside their sources. `python hatch_build.py FOLDER OPTION...` compiles
them with more compiler options into a copy of the package below FOLDER: `make fuzz-native` uses it.
"""

from __future__ import annotations

import os
import runpy
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    BuildHookInterface = Any
else:
    try:
        from hatchling.builders.hooks.plugin.interface import BuildHookInterface
    except ImportError:  # run as a script
        BuildHookInterface = object

ROOT = Path(__file__).parent
SOURCES = ROOT / "src"
PACKAGE = SOURCES / "broadsheet"
HTML = PACKAGE / "html"
FOLDERS = (HTML, PACKAGE / "kernel")
WORK = ROOT / "build" / "kernel"  # C files, object files, and the libraries of wheels
# Bounds checks stay on, except in `network`: the page decides many indices. C types come from the .pxd
# files alone.
DIRECTIVES = {"annotation_typing": False, "initializedcheck": False}
COMPILER_OPTIONS = ["-O3", "-g0"] if os.name == "posix" else []


def list_sources() -> list[Path]:
    """Return the modules to compile: plain Python files with a file of C types beside them, and Cython files."""
    types = [path for folder in FOLDERS for path in sorted(folder.glob("*.pxd"))]
    return [
        *(path.with_suffix(".py") for path in types if not path.with_suffix(".pyx").is_file()),
        *(path for folder in FOLDERS for path in sorted(folder.glob("*.pyx"))),
    ]


def compile_modules(folder: Path, options: tuple[str, ...] = (), work: Path = WORK) -> list[Path]:
    """Compile all modules; write the libraries below `folder`, in the folder of their package."""
    from Cython.Build import cythonize  # missing where the package is installed without build isolation
    from setuptools import Distribution, Extension

    os.chdir(ROOT)  # Cython finds the .pxd file of a module by its relative path
    headers = work / "headers"
    runpy.run_path(str(HTML / "headers.py"))["write_headers"](headers)
    modules = [
        Extension(
            ".".join(source.relative_to(SOURCES).with_suffix("").parts),
            [str(source.relative_to(ROOT))],
            include_dirs=[str(HTML), str(headers)],
            depends=[str(path) for path in HTML.glob("*.h")] if source.parent == HTML else [],
            extra_compile_args=[*COMPILER_OPTIONS, *options],
            extra_link_args=list(options),
        )
        for source in list_sources()
    ]
    extensions = cythonize(modules, build_dir=str(work), language_level=3, compiler_directives=DIRECTIVES, quiet=True)
    command: Any = Distribution({"name": "broadsheet", "ext_modules": extensions}).get_command_obj("build_ext")
    command.build_lib, command.build_temp, command.parallel = str(folder), str(work), True
    command.ensure_finalized()
    command.run()
    return [folder / command.get_ext_filename(extension.name) for extension in extensions]


def remove_libraries() -> None:
    """Remove the compiled modules for this Python that are beside the sources."""
    for folder in FOLDERS:
        for path in folder.glob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}"):
            path.unlink()


def is_compiled() -> bool:
    """Return whether the libraries beside the sources are there and newer than all of them."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    modules = list_sources()
    libraries = [path.with_name(f"{path.stem}{suffix}") for path in modules]
    if not all(map(Path.is_file, libraries)):
        return False
    sources = [Path(__file__), *modules, HTML / "headers.py", HTML / "names.py"]
    sources += [path for folder in FOLDERS for pattern in ("*.px*", "*.h") for path in folder.glob(pattern)]
    newest_source = max(path.stat().st_mtime for path in sources)
    return newest_source < min(path.stat().st_mtime for path in libraries)


def is_set(name: str) -> bool:
    """Return whether an environment variable is set to something other than 0."""
    return os.environ.get(name, "0") not in ("", "0")


class CustomBuildHook(BuildHookInterface):
    """Adds the compiled modules to the wheel, or puts them beside the sources for an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, unless it was turned off or does not work."""
        if self.target_name != "wheel":
            return
        is_editable = version == "editable"
        if is_editable and is_compiled() and not is_set("BROADSHEET_PURE"):
            return
        if is_editable:
            remove_libraries()  # an old library would be used in place of a newer source
        if is_set("BROADSHEET_PURE"):
            return
        try:
            libraries = compile_modules(SOURCES if is_editable else WORK / "libraries")
        except BaseException as error:  # setuptools also raises SystemExit
            if is_set("BROADSHEET_COMPILED") or isinstance(error, KeyboardInterrupt):
                raise
            if is_editable:
                remove_libraries()
            self.app.display_warning(f"broadsheet was not compiled: {error}")
            return
        if not is_editable:
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
            folder = WORK / "libraries"
            build_data["force_include"] |= {str(path): path.relative_to(folder).as_posix() for path in libraries}


def compile_copy(folder: Path, options: tuple[str, ...]) -> list[Path]:
    """Copy the package into a folder, and compile the modules of the copy with these compiler options."""
    package = folder / "broadsheet"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(SOURCES / "broadsheet", package, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    return compile_modules(folder, options, folder / "work")


if __name__ == "__main__":
    if sys.argv[1:]:
        compile_copy(Path(sys.argv[1]).resolve(), tuple(sys.argv[2:]))
    else:
        remove_libraries()
        for library in compile_modules(SOURCES):
            print(library.relative_to(ROOT))
