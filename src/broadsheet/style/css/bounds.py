"""Bounds on the work that the style sheets of one page may cause.

CSS beyond a bound is ignored. The bounds count characters, rules and steps, not seconds: a page gets the same styles on
a fast and on a busy machine.
"""

from __future__ import annotations

# Style sheets
MAX_CSS_CHARS = 2_000_000  # of all style sheets of a page, and of all its style attributes
MAX_RULES = 50_000  # of all style sheets of a page
MAX_BLOCK_DEPTH = 20  # nested {} blocks; a style sheet that nests deeper is not read further
MAX_SHEETS = 5_000  # <style> and <link> elements
MAX_IMPORTS = 50
MAX_STYLE_ATTRIBUTES = 5_000  # distinct values
MAX_PRESENTATIONAL_HINTS = 20_000  # elements with attributes such as bgcolor
MAX_CONDITION_CHARS = 1_000  # of a media query list; longer ones are false

# Selectors
MAX_NAMES = 100_000  # classes and ids of a page that selectors can match
MAX_CLASSES = 1_000  # of an element
MAX_ATTRIBUTE_CHARS = 1_000  # of an attribute's value that are compared
MAX_SELECTOR_CHARS = 1_000
MAX_SELECTORS_PER_RULE = 1_000
MAX_SELECTOR_DEPTH = 8  # nested functions such as :is(:not(...))
MAX_MATCH_STEPS = 1_000_000  # elements that are examined, for each group of properties

# Values
MAX_VALUE_CHARS = 2_000  # a list of gradients may be long; longer values are embedded data
MAX_CALCULATION_CHARS = 500
MAX_VAR_DEPTH = 16  # var() inside the values and fallbacks of var()
MAX_SUBSTITUTED_CHARS = 4_000  # of all custom properties that are substituted in a value
MAX_SUBSTITUTIONS = 200_000  # of var() on a page
MAX_SCOPE_ENTRIES = 1_000_000  # custom properties of all elements that declare some, with the inherited ones
