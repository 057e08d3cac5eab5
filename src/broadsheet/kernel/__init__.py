"""Compiled loops that belong to no method.

Most modules are one `.py` file, which runs as it is, and one `.pxd` file, which gives Cython the C types of its
functions and local variables. Where the install found a C compiler, the compiled module is beside the source, and
Python prefers it. Otherwise Python runs the source: same file, same result, slower. `runs` and `network` are written in
C or Cython (`.pyx`); plain Python uses `runs.py` and `methods.fusion.array_network`, and tests compare the two.

The environment variable `BROADSHEET_PURE=1` makes Python run the sources although compiled modules are there.
"""

from broadsheet.compiled import is_compiled

__all__ = ["is_compiled"]
