"""White space and invisible characters."""

from __future__ import annotations

from broadsheet.kernel import is_compiled
from broadsheet.kernel.spaces import drop_invisible as drop_invisible
from broadsheet.kernel.spaces import fold_spaces, split_and_join

# Both give the same result: the loop over the characters is slow in plain Python, the list of words in C.
fold_text = fold_spaces if is_compiled() else split_and_join
