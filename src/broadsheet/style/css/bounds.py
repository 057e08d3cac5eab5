"""Bounds on the work that the style sheets of one page may cause.

CSS beyond a bound is ignored. The bounds count characters, rules and steps, not seconds: a page gets the same styles on
a fast and on a busy machine.
"""

from __future__ import annotations

# Style sheets
MAX_CSS_CHARS = 2_000_000  # of all style sheets of a page
MAX_RULES = 50_000  # of all style sheets of a page
MAX_BLOCK_DEPTH = 20  # nested {} blocks; deeper blocks are skipped
MAX_OPEN_BRACES = 200  # a style sheet that nests deeper is not read further
MAX_IMPORTS = 50
MAX_IMPORT_DEPTH = 20

# Selectors
MAX_SELECTOR_CHARS = 1_000
MAX_NESTED_SELECTOR_CHARS = 2_000  # of the selector list of a nested rule, written out in full
MAX_SELECTORS_PER_RULE = 1_000
MAX_SELECTOR_DEPTH = 8  # nested functions such as :is(:not(...)) that count towards the specificity
MAX_MATCH_STEPS = 600_000  # about half a second; of 1,000 news pages the costliest takes a fifth of it

# Values and conditions
MAX_VALUE_CHARS = 2_000  # a list of gradients may be long; longer values are embedded data
MAX_CALC_TOKENS = 200
MAX_CONDITION_CHARS = 2_000  # of a media query list or a @supports condition; longer ones are false
MAX_CONDITION_DEPTH = 20

# Custom properties
MAX_VAR_DEPTH = 16  # var() inside the values and fallbacks of var()
MAX_SUBSTITUTED_CHARS = 4_000  # of a value after substitution

# Caches that a page could fill with distinct values
MAX_CACHED_VALUES = 10_000
MAX_CACHED_CUSTOM_PROPERTIES = 100_000
