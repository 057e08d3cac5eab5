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
MAX_STYLE_ATTRIBUTES = 5_000  # distinct values
MAX_PRESENTATIONAL_HINTS = 20_000  # elements with attributes such as bgcolor
MAX_SHEETS = 5_000  # <style> and <link> elements
MAX_AT_RULE_BLOCKS = 20_000  # @media, @supports, @layer, ...
MAX_LAYER_DEPTH = 32  # names of a cascade layer, such as a.b.c; rules in deeper layers are ignored
MAX_IMPORTS = 50
MAX_IMPORT_DEPTH = 20

# Selectors
MAX_NAMES = 100_000  # classes, ids and tags of a page that selectors can match
MAX_CLASSES = 1_000  # of an element
MAX_SELECTOR_CHARS = 1_000
MAX_NESTED_SELECTOR_CHARS = 2_000  # of the selector list of a nested rule, written out in full
MAX_SELECTORS_PER_RULE = 1_000
MAX_SELECTOR_DEPTH = 8  # nested functions such as :is(:not(...)) that count towards the specificity
MAX_MATCH_STEPS = 600_000  # of about 0.5 microseconds, for each group of properties
MAX_TREE_DEPTH = 512  # of a page; see page.Limits

# Values and conditions
MAX_VALUE_CHARS = 2_000  # a list of gradients may be long; longer values are embedded data
MAX_COLOR_CHARS = 500
MAX_CALC_TOKENS = 200
MAX_CONDITION_CHARS = 2_000  # of a media query list or a @supports condition; longer ones are false
MAX_CONDITION_TOKENS = 200  # words and brackets; the result of longer conditions is unknown

# Custom properties
MAX_VAR_DEPTH = 16  # var() inside the values and fallbacks of var()
MAX_SUBSTITUTED_CHARS = 4_000  # of a custom property, and of all that are substituted in a value
MAX_CUSTOM_PROPERTY_LOOKUPS = 200_000  # in the declarations of rules

MAX_CACHED_VALUES = 10_000
